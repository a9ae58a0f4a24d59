/* A function of a header whose only site is a call that a macro makes. */
#define TEST(request, flag) MPI_Test(request, flag, MPI_STATUS_IGNORE)

static inline int wait_for(MPI_Request *request)
{
    int done = 0, code = MPI_SUCCESS;
    while (!done && code == MPI_SUCCESS) {
        /* expect: send-deterministic (flag) */
        code = TEST(request, &done);
    }
    return code;
}
