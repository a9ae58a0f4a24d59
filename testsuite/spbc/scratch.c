/* scratch: rank 0 makes a folder, each rank a file in it; later each removes its own, and rank 0
 * the folder.
 *
 * arguments: [steps 60] [made in step 10] [removed in step 30]
 *
 * ranks: 4
 * test: 60 10 30
 * pace: 4000
 */
#include <sys/stat.h>

#include "program.h"

static void name_own(char name[32])
{
    snprintf(name, 32, "scratch/%d", rank);
}

static void make_own(long number)
{
    char name[32];
    FILE *file;

    name_own(name);
    file = fopen(name, "w");
    check(file != NULL && fprintf(file, "of %d\n", rank) > 0, name, number);
    fclose(file);
}

static void remove_own(long number)
{
    char name[32];

    name_own(name);
    check(unlink(name) == 0, name, number);
}

int main(int argc, char **argv)
{
    long steps, made, removed;
    uint64_t state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    made = argument(argc, argv, 2, 10);
    removed = argument(argc, argv, 3, 30);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        if (number == made) {
            if (rank == 0 && events_seen("\"rollback\"")) /* others may die meanwhile */
                pause_us(100000);
            if (rank == 0)
                check(mkdir("scratch", 0700) == 0, "mkdir", number);
            MPI_Barrier(MPI_COMM_WORLD);
            make_own(number);
        }
        if (number == removed) {
            remove_own(number);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0)
                check(rmdir("scratch") == 0, "rmdir", number);
        }
    }
    return program_end("scratch", state);
}
