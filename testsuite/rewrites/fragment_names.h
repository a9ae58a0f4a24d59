/* The names of a step, which end where the text around has something else. */
int value;
MPI_Status status;
