/* The other half of the sample: a header, which has no digest in the report. */
static inline void answer(const MPI_Status *status, MPI_Comm comm)
{
    int reply = status->MPI_TAG;
    MPI_Send(&reply, 1, MPI_INT, status->MPI_SOURCE, ANSWER, comm);
}
