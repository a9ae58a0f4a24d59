/* starting: a call by which the runtime makes its own in the MPI library has an error at rank 0, as
 * when another rank has died in it: the runtime says so, and the rank dies. Also says a line there,
 * natively after MPI_Init, and others later.
 *
 * arguments: [life "none"] first, later: the life in which that happens, once. A later one begins
 *            with an image,
 *            [from 1] of such a step at least
 *
 * ranks: 4
 * pace: 20000
 */
#include <dlfcn.h>
#include "program.h"

#define STEPS 40

static const char *life;
static int said;           /* in the image */
static long present, from; /* steps, likewise */

static void say(void)
{
    static const char line[] = "rank 0 begins\n";

    said = 1;
    check(syscall(SYS_write, 2, line, strlen(line)) > 0, "a line", 0);
}

static int is_life(void)
{
    return strcmp(life, "later") ? !strcmp(life, "first") : present >= from;
}

/* Found before the library's, and called by the runtime alone: the program makes no
 * communicator. */
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    int (*next)(MPI_Comm, MPI_Comm *) = dlsym(RTLD_NEXT, "PMPI_Comm_dup");
    int (*number)(MPI_Comm, int *) = dlsym(RTLD_NEXT, "PMPI_Comm_rank"), world;

    number(MPI_COMM_WORLD, &world);
    if (world == 0 && !said)
        say();
    if (world == 0 && is_life() && death_due())
        return MPI_ERR_OTHER;
    return next(comm, newcomm);
}

int main(int argc, char **argv)
{
    uint64_t state, other = 0;

    life = argc > 1 ? argv[1] : "none";
    from = argument(argc, argv, 2, 1);
    program_start(&argc, &argv);
    if (rank == 0 && !said)
        say();
    state = mix((uint64_t)rank);
    for (long number = 1; number <= STEPS; number++) {
        step(number);
        present = number;
        if (rank == 0 && number % 5 == 0)
            fprintf(stderr, "step %ld\n", number);
        MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, 1, &other, 1, MPI_UINT64_T,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = mix(state + other);
    }
    return program_end("starting", state);
}
