/* refused: calls MPI the runtime does not carry, named by the argument.
 *
 * arguments: win | file | spawn | port
 *
 * ranks: 2
 * test: none
 */
#include "program.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    const char *what = argc > 1 ? argv[1] : "none";
    MPI_Comm comm;
    MPI_File file;
    MPI_Win win;
    int memory;

    program_start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "win"))
        MPI_Win_create(&memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (!strcmp(what, "file"))
        MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (!strcmp(what, "spawn"))
        MPI_Comm_spawn("prog", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, &memory);
    if (!strcmp(what, "port"))
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Finalize();
    return 0;
}
