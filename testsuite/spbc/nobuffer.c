/* nobuffer: sends that the library refuses, under MPI_ERRORS_RETURN, between others that it takes.
 * Behind a rollback they are made again where the library is not asked at once: inside the cluster,
 * where nobody waits for such a send; to others, which have the messages around them, or get them
 * when their turn comes.
 *
 * arguments: [steps 40]
 *
 * ranks: 4
 * test: 40
 * pace: 2000
 */
#include "program.h"

enum { NEXT };

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

static send_function *const sends[] = {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend};

static uint64_t ring(uint64_t state, int distance)
{
    uint64_t got;

    MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + distance) % size, NEXT, &got, 1, MPI_UINT64_T,
                 (rank + size - distance) % size, NEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mix(3 * state ^ got);
}

static int class_of(int code)
{
    int class = 0;

    MPI_Error_class(code, &class);
    return class;
}

static uint64_t refusals(uint64_t state, int to)
{
    uint64_t data[4] = {0};
    int *bound, found, class[4];
    MPI_Datatype raw;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    MPI_Type_vector(2, 1, 2, MPI_UINT64_T, &raw);
    for (size_t i = 0; i < sizeof sends / sizeof *sends; i++) {
        class[0] = class_of(sends[i](NULL, 1, MPI_INT, to, NEXT, MPI_COMM_WORLD));
        class[1] = class_of(sends[i](data, 1, MPI_UINT64_T, to, *bound + 1, MPI_COMM_WORLD));
        class[2] = class_of(sends[i](data, 1, raw, to, NEXT, MPI_COMM_WORLD));
        class[3] = class_of(sends[i](data, -1, MPI_INT, to, NEXT, MPI_COMM_WORLD));
        for (int each = 0; each < 4; each++) {
            check(class[each] != MPI_SUCCESS, "a send was not refused", each);
            state = mix(state ^ (uint64_t) class[each]);
        }
    }
    MPI_Type_free(&raw);
    return state;
}

int main(int argc, char **argv)
{
    static char buffer[1000];
    uint64_t state;
    long steps;

    program_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(buffer, sizeof buffer);
    steps = argument(argc, argv, 1, 40);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        for (int distance = 1; distance < size; distance++) {
            state = refusals(state, (rank + distance) % size);
            state = ring(state, distance);
        }
    }
    return program_end("nobuffer", state);
}
