/* Only the fields of a record travel, or only those in front of its gap: nothing to find. */
#include <mpi.h>
#include <stddef.h>

struct item {
    int kind, count;
    char letter;
    double value;
};

int main(int argc, char **argv)
{
    int rank, size, lengths[] = {2, 1, 1};
    struct item item;
    MPI_Aint places[] = {offsetof(struct item, kind), offsetof(struct item, letter),
                         offsetof(struct item, value)};
    MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE}, fields;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_create_struct(3, lengths, places, types, &fields);
    MPI_Type_commit(&fields);
    item.kind = item.count = size;
    item.letter = 'a';
    item.value = rank;
    if (rank == 0) {
        MPI_Send(&item, 1, fields, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&item, offsetof(struct item, letter) + 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&item.value, sizeof item.value, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&item, 1, fields, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&item, offsetof(struct item, letter) + 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Recv(&item.value, sizeof item.value, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&fields);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
