/* refused: calls that the runtime does not carry, one for each reason; the argument is its name.
 *
 * arguments: NAME [module that dlopen loads]
 *
 * ranks: 2
 * test: none
 */
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "program.h"

#define WORLD MPI_COMM_WORLD
#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        if (!strcmp(what, #name))                                                                  \
            name(__VA_ARGS__);                                                                     \
    } while (0)

static void call_other_ranks(const char *what)
{
    char port[MPI_MAX_PORT_NAME];
    int memory = 0, answer;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Win win;

    CALL(MPI_Win_create, &memory, sizeof(memory), 1, MPI_INFO_NULL, WORLD, &win);
    CALL(MPI_Comm_spawn, "prog", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &comm, &answer);
    CALL(MPI_Open_port, MPI_INFO_NULL, port);
    CALL(MPI_Psend_init, &memory, 1, 1, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
    CALL(MPI_Intercomm_create_from_groups, MPI_GROUP_EMPTY, 0, MPI_GROUP_EMPTY, 0, "tag",
         MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    CALL(MPI_Bcast_c, &memory, (MPI_Count)1 << 31, MPI_INT, 0, WORLD);
    CALL(MPIX_Comm_revoke, WORLD);
}

static void call_none(const char *what, const char *module)
{
    const int way = MAP_SHARED | MAP_ANONYMOUS;
    MPI_Request request;
    int answer = 0;

    CALL(MPIX_Grequest_start, NULL, NULL, NULL, NULL, NULL, NULL, &request);
    CALL(MPI_T_event_get_source, NULL, &answer);
    CALL(mmap, NULL, 4096, PROT_READ, way, -1, 0);
    CALL(dlopen, module, RTLD_NOW);
    CALL(rename, "here", "there");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";

    program_start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "rename"))
        mkdir("here", 0700);
    call_other_ranks(what);
    call_none(what, argc > 2 ? argv[2] : NULL);
    MPI_Finalize();
    return 0;
}
