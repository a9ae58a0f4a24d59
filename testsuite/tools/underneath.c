/* underneath: counts what the MPI library sends, between it and UCX (LD_PRELOAD): every message of
 * the program's time between MPI_Init and MPI_Finalize, whoever asked for it. At MPI_Finalize a
 * line "RANK MESSAGES" is appended to the file that FT_TEST_UNDERNEATH names. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static unsigned long sent, before;

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function)
        abort();
    return function;
}

/* The functions of UCX by which MPICH sends; all return a pointer. */
#define COUNTED(name, parameters, arguments)                                                       \
    void *name parameters;                                                                         \
    VISIBLE void *name parameters                                                                  \
    {                                                                                              \
        static void *(*real)parameters;                                                            \
                                                                                                   \
        if (!real)                                                                                 \
            real = (void *(*)parameters)next(#name);                                               \
        sent++;                                                                                    \
        return real arguments;                                                                     \
    }

COUNTED(ucp_tag_send_nbx,
        (void *end, const void *buffer, size_t count, unsigned long tag, const void *how),
        (end, buffer, count, tag, how))
COUNTED(ucp_tag_send_sync_nbx,
        (void *end, const void *buffer, size_t count, unsigned long tag, const void *how),
        (end, buffer, count, tag, how))
COUNTED(ucp_am_send_nb,
        (void *end, unsigned short id, const void *buffer, size_t count, unsigned long type,
         void *done, unsigned flags),
        (end, id, buffer, count, type, done, flags))

static int begun(int code)
{
    before = sent;
    return code;
}

VISIBLE int MPI_Init(int *argc, char ***argv)
{
    return begun(((int (*)(int *, char ***))next("MPI_Init"))(argc, argv));
}

VISIBLE int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return begun(((int (*)(int *, char ***, int, int *))next("MPI_Init_thread"))(
        argc, argv, required, provided));
}

VISIBLE int MPI_Finalize(void)
{
    const char *path = getenv("FT_TEST_UNDERNEATH");
    unsigned long count = sent - before;
    char line[64];
    int rank, length, fd;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    length = snprintf(line, sizeof line, "%d %lu\n", rank, count);
    fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || write(fd, line, (size_t)length) != length)
        abort();
    close(fd);
    return ((int (*)(void))next("MPI_Finalize"))();
}
