/* refused: calls MPI the runtime does not carry, named by the argument.
 *
 * arguments: win | file | folder | spawn | port; folder: as file, after MPICH has opened one itself
 *
 * ranks: 2
 * test: none
 */
#include "program.h"

/* MPICH makes a file in the folder, and opens it, to learn who shares the folder. */
static void split_by_folder(void)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "nbhd_common_dirname", ".");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

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
    if (!strcmp(what, "folder"))
        split_by_folder();
    if (!strcmp(what, "file") || !strcmp(what, "folder"))
        MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (!strcmp(what, "spawn"))
        MPI_Comm_spawn("prog", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, &memory);
    if (!strcmp(what, "port"))
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Finalize();
    return 0;
}
