/* A round: the others send to rank 0, in any order. This comment is longer than what comes before
 * the function in the text around, so that a place there is one here, too.
 * ..............................
 */
if (rank == 0)
    for (int i = 1; i < size; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        total += value;
    }
else
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
