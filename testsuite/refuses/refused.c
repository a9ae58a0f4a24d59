/* refused: calls that the runtime does not carry, one for each reason; the argument is its name.
 *
 * arguments: NAME [module that dlopen loads], or folder: MPI_File_open, after MPICH has opened a
 * file itself
 *
 * ranks: 2
 * test: none
 */
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
    MPI_File file;
    MPI_Win win;

    CALL(MPI_Win_create, &memory, sizeof(memory), 1, MPI_INFO_NULL, WORLD, &win);
    CALL(MPI_File_open, WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CALL(MPI_Comm_spawn, "prog", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &comm, &answer);
    CALL(MPI_Open_port, MPI_INFO_NULL, port);
    CALL(MPI_Psend_init, &memory, 1, 1, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &request);
    CALL(MPI_Allreduce_init, &memory, &answer, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request);
    CALL(MPI_Send_c, &memory, 1, MPI_INT, 0, 0, WORLD);
    CALL(MPI_Bcast_c, &memory, (MPI_Count)1 << 31, MPI_INT, 0, WORLD);
    CALL(MPIX_Comm_revoke, WORLD);
}

static int query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void call_none(const char *what, const char *module)
{
    const int way = MAP_SHARED | MAP_ANONYMOUS;
    MPI_Request request;
    MPI_Session session;
    int answer = 0;

    CALL(MPI_Grequest_start, query, release, cancel, &answer, &request);
    CALL(MPI_Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &answer);
    CALL(MPIX_Delete_error_class, answer);
    CALL(mmap, NULL, 4096, PROT_READ, way, -1, 0);
    CALL(dlopen, module, RTLD_NOW);
    CALL(rename, "here", "there");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";

    program_start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "folder")) {
        split_by_folder();
        what = "MPI_File_open";
    }
    if (!strcmp(what, "rename"))
        mkdir("here", 0700);
    call_other_ranks(what);
    call_none(what, argc > 2 ? argv[2] : NULL);
    MPI_Finalize();
    return 0;
}
