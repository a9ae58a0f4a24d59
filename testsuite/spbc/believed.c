/* believed: receives of which ftcc cannot prove that nothing needs to be recorded, because a
 * function is found at run time; a rehearsal tries it. In each step every rank tells every other
 * one a number.
 *
 *     even    what is made of the numbers does not depend on the order of their arrival
 *     first   it does, and is told to all others, who remember it to the end
 *     word    the same, and a comment says that it does not: --trust proved would believe it
 *
 * Lower ranks tell later, so that numbers come from above; a rank that rolls back gets them from
 * below.
 *
 * arguments: [even [steps 12]]
 *
 * ranks: 3
 * test: even 12
 * pace: 20000
 */
#include <dlfcn.h>
#include <math.h>

#include "program.h"

enum { MOST = 8, EVEN = 1, FIRST = 2, WORD = 3, OWN = 4 };

static double (*round_off)(double);
static double (*add)(double, double, double);
static MPI_Request sends[MOST];

static void *find(const char *name)
{
    void *library = dlopen("libm.so.6", RTLD_NOW), *found = library ? dlsym(library, name) : NULL;

    check(found != NULL, name, 0);
    return found;
}

static double even(long number)
{
    double mine = (double)number * 16 + rank, got, all[MOST] = {0}, sum = 0;
    MPI_Status status;
    int count = 0;

    pause_us((size - rank) * 1000);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_DOUBLE, r, EVEN, MPI_COMM_WORLD, &sends[count++]);
    for (int i = 0; i < size - 1; i++) {
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, EVEN, MPI_COMM_WORLD, &status);
        all[status.MPI_SOURCE] = round_off(got);
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    for (int r = 0; r < size; r++)
        sum += all[r];
    return sum;
}

static double first(long number)
{
    double mine = (double)number * 16 + rank, got, sum = 0;
    int count = 0;

    pause_us((size - rank) * 1000);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_DOUBLE, r, FIRST, MPI_COMM_WORLD, &sends[count++]);
    for (int i = 0; i < size - 1; i++) {
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = add(sum, 3, got);
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    return sum;
}

static double word(long number)
{
    double mine = (double)number * 16 + rank, got, sum = 0;
    int count = 0;

    pause_us((size - rank) * 1000);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_DOUBLE, r, WORD, MPI_COMM_WORLD, &sends[count++]);
    for (int i = 0; i < size - 1; i++) {
        /* ftcc: send-deterministic */
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = add(sum, 3, got);
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    return sum;
}

int main(int argc, char **argv)
{
    const char *mode;
    double *mine, *told, sum, all, digest_of = 0;
    long steps;

    program_start(&argc, &argv);
    mode = argc > 1 ? argv[1] : "even";
    steps = argument(argc, argv, 2, 12);
    check(size <= MOST, "ranks", size);
    *(void **)&round_off = find("trunc");
    *(void **)&add = find("fma");
    mine = calloc((size_t)steps, sizeof *mine);
    told = calloc((size_t)steps, sizeof *told);
    for (long number = 0; number < steps; number++) {
        step(number + 1);
        if (strcmp(mode, "even") == 0)
            mine[number] = even(number);
        else
            mine[number] = strcmp(mode, "word") == 0 ? word(number) : first(number);
        MPI_Sendrecv(&mine[number], 1, MPI_DOUBLE, (rank + 1) % size, OWN, &told[number], 1,
                     MPI_DOUBLE, (rank + size - 1) % size, OWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = mode[0] == 'e' ? mine[number] : 1;
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        digest_of += all;
    }
    MPI_Sendrecv_replace(mine, (int)steps, MPI_DOUBLE, (rank + 1) % size, OWN,
                         (rank + size - 1) % size, OWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long number = 0; number < steps; number++)
        check(told[number] <= mine[number] && told[number] >= mine[number],
              "another number was told", number);
    return program_end("believed", (uint64_t)digest_of);
}
