/* heat: the heat equation on a square plate, by rows; halo exchange with both neighbours, and the
 * residual of the whole plate every few steps. Also the demo and a benchmark.
 *
 * arguments: [cells 256] [steps 500] [print every 50] [time: report seconds of the loop]
 *
 * ranks: 4
 * test: 256 300 50
 * soak: 256 450 50
 * pace: 3000
 * kill: 2@hook:150
 * kill: 0@call:400:exit
 */
#include <math.h>
#include "program.h"

struct plate {
    long cells;         /* of one side */
    long first, rows;   /* of this rank */
    double *now, *next; /* rows + 2 rows of cells + 2 */
};

static double *plate_at(double *cells, const struct plate *plate, long row)
{
    return cells + row * (plate->cells + 2);
}

/* A hot spot and a warm edge, the same whatever the number of ranks. */
static void plate_create(struct plate *plate, long cells)
{
    size_t bytes;

    plate->cells = cells;
    plate->first = cells * rank / size;
    plate->rows = cells * (rank + 1) / size - plate->first;
    bytes = (size_t)((plate->rows + 2) * (cells + 2)) * sizeof(double);
    plate->now = malloc(bytes);
    plate->next = malloc(bytes);
    memset(plate->now, 0, bytes);
    memset(plate->next, 0, bytes);
    for (long row = 0; row < plate->rows + 2; row++)
        for (long i = 0; i < cells + 2; i++) {
            long y = plate->first + row;
            double hot = (y - cells / 3) * (y - cells / 3) + (i - cells / 2) * (i - cells / 2);

            plate_at(plate->now, plate, row)[i] = i == 0 ? 50.0 : hot < cells ? 100.0 : 0.0;
            plate_at(plate->next, plate, row)[i] = plate_at(plate->now, plate, row)[i];
        }
}

static void plate_exchange(struct plate *plate)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int count = (int)plate->cells + 2;

    MPI_Sendrecv(plate_at(plate->now, plate, 1), count, MPI_DOUBLE, up, 1,
                 plate_at(plate->now, plate, plate->rows + 1), count, MPI_DOUBLE, down, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(plate_at(plate->now, plate, plate->rows), count, MPI_DOUBLE, down, 2,
                 plate_at(plate->now, plate, 0), count, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* One step; returns the sum of the squared changes of this rank's rows. */
static double plate_step(struct plate *plate)
{
    double change = 0.0, *swap = plate->now;

    for (long row = 1; row <= plate->rows; row++) {
        const double *above = plate_at(plate->now, plate, row - 1);
        const double *here = plate_at(plate->now, plate, row);
        const double *below = plate_at(plate->now, plate, row + 1);
        double *next = plate_at(plate->next, plate, row);

        for (long i = 1; i <= plate->cells; i++) {
            next[i] = here[i] + 0.2 * (above[i] + below[i] + here[i - 1] + here[i + 1] -
                                       4.0 * here[i]);
            change += (next[i] - here[i]) * (next[i] - here[i]);
        }
    }
    plate->now = plate->next;
    plate->next = swap;
    return change;
}

static void report(long number, double change)
{
    double sum;

    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("step %6ld: residual %.17g\n", number, sqrt(sum));
}

int main(int argc, char **argv)
{
    long cells, steps, every, number;
    double change, begin;
    struct plate plate;

    program_start(&argc, &argv);
    cells = argument(argc, argv, 1, 256);
    steps = argument(argc, argv, 2, 500);
    every = argument(argc, argv, 3, 50);
    plate_create(&plate, cells);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (number = 1; number <= steps; number++) {
        step(number);
        plate_exchange(&plate);
        change = plate_step(&plate);
        if (number % every == 0)
            report(number, change);
    }
    if (argc > 4 && rank == 0)
        printf("seconds %.6f\n", MPI_Wtime() - begin);
    return program_end("heat", digest(0, plate_at(plate.now, &plate, 1),
                                      (size_t)(plate.rows * (cells + 2)) * sizeof(double)));
}
