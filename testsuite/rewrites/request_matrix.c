/* Requests in rows and columns of an array in a structure, completed row by row by Waitany. */
#include <mpi.h>

enum { ROWS = 2, COLUMNS = 2 };

struct halo {
    MPI_Request requests[ROWS][COLUMNS];
    double buffer[ROWS][COLUMNS];
    double field[ROWS][COLUMNS];
};

static void halo_post(struct halo *halo, int from, int to)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            MPI_Irecv(&halo->buffer[row][column], 1, MPI_DOUBLE, column ? from : to,
                      2 * row + column, MPI_COMM_WORLD, &halo->requests[row][column]);
}

static void halo_finish(struct halo *halo)
{
    int index;
    for (int row = 0; row < ROWS; row++)
        for (int left = COLUMNS; left > 0; left--) {
            /* expect: send-deterministic (index) */
            MPI_Waitany(COLUMNS, halo->requests[row], &index, MPI_STATUS_IGNORE);
            halo->field[row][index] = halo->buffer[row][index];
        }
}

int main(int argc, char **argv)
{
    int rank, size;
    struct halo halo;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double value = rank;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int step = 0; step < 3; step++) {
        halo_post(&halo, left, right);
        for (int tag = 0; tag < ROWS * COLUMNS; tag++)
            MPI_Send(&value, 1, MPI_DOUBLE, tag % 2 ? right : left, tag, MPI_COMM_WORLD);
        halo_finish(&halo);
        value += halo.field[0][0] - halo.field[1][1];
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 40
+#include <ft.h>
+            FT_SITE(ID1); :: index; send-deterministic
+        ft_hook_at(ID2);
*/
