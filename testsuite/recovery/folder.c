/* folder: communicators of those that share a folder. MPICH makes a file there and opens it with
 * MPI_File_open, which is then the library's own call. One communicator lives from the start, another
 * for a step. The barrier keeps deaths away from the moments at which that file is there.
 *
 * arguments: [steps 200]
 *
 * ranks: 4
 * test: 20
 * pace: 20000
 */
#include "program.h"

static MPI_Comm folder_make(int key)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "nbhd_common_dirname", ".");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, key, info, &comm);
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);
    return comm;
}

static long comm_turn(MPI_Comm comm, long value)
{
    int n, r;
    long got = 0;

    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MPI_Sendrecv(&value, 1, MPI_LONG, (r + 1) % n, 3, &got, 1, MPI_LONG, (r + n - 1) % n, 3, comm,
                 MPI_STATUS_IGNORE);
    return got * 31 + n * 7 + r;
}

int main(int argc, char **argv)
{
    MPI_Comm kept, brief;
    long steps, state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    state = rank;
    kept = folder_make(0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        brief = folder_make((int)number);
        state = (long)mix((uint64_t)(comm_turn(kept, state) + comm_turn(brief, number)));
        MPI_Comm_free(&brief);
    }
    MPI_Comm_free(&kept);
    return program_end("folder", mix((uint64_t)state));
}
