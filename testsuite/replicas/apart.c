/* apart: what the two copies of a rank do otherwise.
 *
 * arguments: WHAT: nothing, call (one more message to itself), data (of a message), line (that is printed)
 *
 * ranks: 2
 * test: nothing
 * pace: 1000
 * output: sorted
 */
#include "program.h"

/* Is this one of the two copies, by a number that the runtime does not see? */
static int is_odd_one(void)
{
    static const char file[] = "/proc/self/stat"; /* the time of the start is its 22nd word */
    FILE *stat = fopen(file, "r");
    unsigned long long start = 0;
    static unsigned long long first;

    if (!stat || fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                              "%*d %*d %*d %llu",
                        &start) != 1)
        exit(1);
    fclose(stat);
    if (!first)
        first = start;
    return start != first;
}

static void call_one_more(void)
{
    long got, sent = 1;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_LONG, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_LONG, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "nothing";
    uint64_t state = 1, unread = 0;
    int odd = is_odd_one();

    program_start(&argc, &argv);
    for (long number = 1; number <= 300; number++) {
        step(number);
        odd = is_odd_one() && rank == 1 && number == 100;
        if (odd && !strcmp(what, "call"))
            call_one_more();
        unread = odd && !strcmp(what, "data");
        MPI_Bcast(&unread, 1, MPI_UINT64_T, 1, MPI_COMM_WORLD);
        state = ring_shift(state, 0);
        if (odd && !strcmp(what, "line"))
            printf("rank 1 is the odd one\n");
    }
    printf("rank %d: %016llx\n", rank, (unsigned long long)state);
    MPI_Finalize();
    return 0;
}
