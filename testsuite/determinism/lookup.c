/* A table in blocks, one on each rank. Everybody asks everybody for values, and answers.
 * prints: checksum 19400.000 */
#include <mpi.h>
#include <stdio.h>

enum { BLOCK = 100, QUESTION = 1, ANSWER = 2 };

static double table[BLOCK];

/* Each answer goes to the rank that asked, and depends on the question and on the table alone: the
 * answers may leave in any order, but each rank gets the same ones. */
static void answer_all(int questions)
{
    int key;
    double value;
    MPI_Status status;
    while (questions-- > 0) {
        /* expect: channel-deterministic (source) */
        MPI_Recv(&key, 1, MPI_INT, MPI_ANY_SOURCE, QUESTION, MPI_COMM_WORLD, &status);
        value = 2 * table[key];
        MPI_Send(&value, 1, MPI_DOUBLE, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, keys[64];
    double values[64], sum = 0, total;
    MPI_Request questions[64], answers[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < BLOCK; i++)
        table[i] = rank * BLOCK + i;
    for (int i = 0; i < size; i++) {
        keys[i] = (rank * 37 + i * 11) % BLOCK;
        MPI_Irecv(&values[i], 1, MPI_DOUBLE, i, ANSWER, MPI_COMM_WORLD, &answers[i]);
        MPI_Isend(&keys[i], 1, MPI_INT, i, QUESTION, MPI_COMM_WORLD, &questions[i]);
    }
    answer_all(size);
    MPI_Waitall(size, questions, MPI_STATUSES_IGNORE);
    MPI_Waitall(size, answers, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size; i++)
        sum += values[i] * (i + 1);
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.3f\n", total);
    MPI_Finalize();
    return 0;
}
