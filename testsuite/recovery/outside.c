/* MPI calls before MPI_Init and after MPI_Finalize.
 *
 * ranks: 1
 * test: before none
 * hooks: none
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void no_function(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)in, (void)out, (void)count, (void)type;
}

static void make(const char *call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type;
    MPI_Info info;
    MPI_Op op;
    int length = 0, flag;

    if (!strcmp(call, "none")) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "key", "value");
        MPI_Info_free(&info);
        MPI_Initialized(&flag);
        MPI_Finalized(&length);
        printf("%d %d\n", flag, length);
    } else if (!strcmp(call, "wait")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(call, "rank")) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    } else if (!strcmp(call, "barrier")) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(call, "type")) {
        MPI_Type_contiguous(2, MPI_INT, &type);
    } else if (!strcmp(call, "op")) {
        MPI_Op_create(no_function, 1, &op);
    } else if (!strcmp(call, "send")) {
        MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else if (!strcmp(call, "finalize")) {
        MPI_Finalize();
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    printf("it begins\n");
    fflush(stdout);
    if (!strcmp(argv[1], "before"))
        make(argv[2]);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d has begun\n", rank);
    fflush(stdout);
    MPI_Finalize();
    if (!strcmp(argv[1], "behind"))
        make(argv[2]);
    printf("it ends\n");
    return 0;
}
