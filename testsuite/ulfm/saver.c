/* Data in the memory of other ranks: saved twice under each of two ids, then ranks die, the others
 * shrink, and load what all had, the dead ones' too, in as many parts as ranks are left.
 *
 *     saver single|full|coded|lost|inside DEATHS [PARTS PARITY] */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "ft.h"
#include "ft_saver.h"

static int rank, size, number;
static MPI_Comm comm;
static struct ft_saver *saver;

static void wrong(const char *what, int code)
{
    printf("number %d: %s: code %d\n", number, what, code);
    fflush(stdout);
    _exit(9);
}

static size_t bytes_of(int id, int owner, int version)
{
    return (size_t)(owner * 70001 + id * 13 + version) % 300000;
}

static char byte_of(int id, int owner, int version, size_t i)
{
    return (char)(id * 7 + owner * 31 + version * 3 + (int)(i * 2654435761u >> 7));
}

static char *made(int id, int owner, int version)
{
    size_t bytes = bytes_of(id, owner, version);
    char *data = malloc(bytes + 1);

    for (size_t i = 0; i < bytes; i++)
        data[i] = byte_of(id, owner, version, i);
    return data;
}

static int save(int id, int version)
{
    char *data = made(id, number, version);
    int code = ft_saver_save(saver, id, data, bytes_of(id, number, version));

    free(data);
    return code;
}

/* In each round each rank wants the data of one owner. */
static void load_all(int id, int version, int owners, int may_be_lost)
{
    for (int first = 0; first < owners; first += size) {
        int owner = first + rank < owners ? first + rank : -1, code;
        size_t bytes = 0, room;
        char *data, *truth;

        code = ft_saver_size(saver, id, owner, &bytes);
        room = bytes;
        data = malloc(room + 1);
        if (owner >= 0 && code == FT_SAVER_LOST && may_be_lost)
            owner = -1;
        else if (code != MPI_SUCCESS || (owner >= 0 && bytes != bytes_of(id, owner, version)))
            wrong("the size of saved data", code);
        code = ft_saver_load(saver, id, owner, data, &room);
        if (code != MPI_SUCCESS)
            wrong("load", code);
        truth = owner >= 0 ? made(id, owner, version) : NULL;
        if (truth && memcmp(truth, data, bytes))
            wrong("other data than were saved", owner);
        free(truth);
        free(data);
    }
}

static void shrink(void)
{
    MPI_Comm smaller;
    int code;

    MPIX_Comm_revoke(comm);
    code = MPIX_Comm_shrink(comm, &smaller);
    if (code != MPI_SUCCESS)
        wrong("shrink", code);
    comm = smaller;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    code = ft_saver_move(saver, comm);
    if (code != MPI_SUCCESS)
        wrong("move", code);
}

static void die(int signal_number)
{
    (void)signal_number;
    kill(getpid(), SIGKILL);
}

static int is_lost(int id, int owner)
{
    size_t bytes;

    return ft_saver_size(saver, id, owner, &bytes) == FT_SAVER_LOST;
}

/* Some save, in the middle of which somebody dies: all have the old or all have the new data. */
static int save_until_death(int owners)
{
    struct itimerval value = {.it_value = {0, 30000}};
    int version = 2, code = MPI_SUCCESS;

    if (number == 1) {
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &value, NULL);
    }
    while (code == MPI_SUCCESS)
        code = save(1, ++version);
    (void)owners;
    return version - 1;
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int deaths = argc > 2 ? atoi(argv[2]) : 1, owners, version = 2, code;
    enum ft_saver_strategy strategy = !strcmp(what, "full")    ? FT_SAVER_FULL
                                      : !strcmp(what, "coded") ? FT_SAVER_CODED
                                                               : FT_SAVER_SINGLE;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &owners);
    size = owners;
    code = ft_saver_init(&saver, comm, strategy, argc > 3 ? atoi(argv[3]) : 0,
                         argc > 4 ? atoi(argv[4]) : 0);
    if (code != MPI_SUCCESS)
        wrong("init", code);
    number = ft_saver_number(saver);
    for (int i = 1; i <= 2; i++)
        if ((code = save(1, i)) != MPI_SUCCESS || (code = save(2, i)) != MPI_SUCCESS)
            wrong("save", code);
    load_all(1, 2, owners, 0);
    if (!strcmp(what, "inside"))
        version = save_until_death(owners);
    else if (number >= 1 && number <= deaths) /* neighbours */
        die(0);
    shrink();
    if (size != owners - deaths)
        wrong("the number of survivors", size);
    load_all(1, version, owners, !strcmp(what, "lost"));
    load_all(2, 2, owners, !strcmp(what, "lost"));
    if (!strcmp(what, "lost") && !is_lost(1, 1))
        wrong("data that are lost are not said to be", 0);
    if ((code = save(1, 1000)) != MPI_SUCCESS)
        wrong("save after the failure", code);
    if (is_lost(1, number))
        wrong("data saved after the failure", 0);
    ft_saver_free(&saver);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
