/* turns: files that some ranks use together, in an order that only barriers of all ranks give: lines
 * of a log, a number that each adds to, a text that one writes anew and another reads.
 *
 * arguments: [steps 60] [step of ranks that share 3]
 *
 * ranks: 4
 * test: 60 3
 * pace: 3000
 */
#include "program.h"

static int shares, place, many; /* among those that share */

/* One after the other. */
static void append(long number)
{
    for (int turn = 0; turn < many; turn++) {
        FILE *log = shares && turn == place ? fopen("log", "a") : NULL;

        if (log) {
            fprintf(log, "step %ld rank %d\n", number, rank);
            fclose(log);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static long add(int table, long number)
{
    long sum = 0;

    for (int turn = 0; turn < many; turn++) {
        if (shares && turn == (place + number) % many) {
            check(pread(table, &sum, sizeof(sum), 0) == sizeof(sum), "pread", number);
            sum = (long)mix((uint64_t)sum + (uint64_t)rank);
            check(pwrite(table, &sum, sizeof(sum), 0) == sizeof(sum), "pwrite", number);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return sum;
}

/* The last of them writes, the first reads. */
static void note(long number)
{
    long got = -1;
    FILE *file;

    if (shares && place == many - 1) {
        check((file = fopen("note", "w")) != NULL, "fopen", number);
        fprintf(file, "%ld\n", number);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (shares && place == 0) {
        check((file = fopen("note", "r")) != NULL, "a note", number);
        check(fscanf(file, "%ld", &got) == 1 && got == number, "its number", number);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps, apart, sum = 0;
    int table = -1;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    apart = argument(argc, argv, 2, 3);
    shares = rank % apart == 0;
    place = (int)(rank / apart);
    many = (int)((size - 1) / apart + 1);
    if (rank == 0) {
        FILE *file = fopen("table", "w");

        check(file != NULL && fwrite(&sum, sizeof(sum), 1, file) == 1, "table", 0);
        fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (shares)
        check((table = open("table", O_RDWR)) >= 0, "open", 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        append(number);
        state = mix(state ^ (uint64_t)add(table, number));
        note(number);
    }
    if (shares)
        close(table);
    return program_end("turns", state);
}
