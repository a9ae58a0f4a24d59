/* spans: every rank exchanges messages of 8 B to 8 MB with its neighbours in a ring, by all the
 * ways of sending and receiving by name: in blocks, in the background, several on one stream that
 * are completed out of order, and of a datatype with gaps. Each message depends on all that its
 * sender got.
 *
 * arguments: [steps 100]
 *
 * ranks: 4
 * test: 100
 * pace: 5000
 */
#include "program.h"

#define LARGEST (8 << 20)
#define SHARE 4

static unsigned char in[LARGEST], out[LARGEST];
static uint64_t state;
static int left, right;

static int length_of(long number)
{
    return 8 << (mix((uint64_t)number) % 21);
}

static void fill(int bytes)
{
    for (int i = 0; i + 8 <= bytes; i += i < 4096 ? 8 : 4096)
        memcpy(out + i, &(uint64_t){mix(state + (uint64_t)i)}, 8);
}

static void take(int bytes)
{
    for (int i = 0; i + 8 <= bytes; i += i < 4096 ? 8 : 4096)
        state = digest(state, in + i, 8);
}

static void in_background(int bytes, int tag)
{
    MPI_Request request[2];

    MPI_Irecv(in, bytes, MPI_BYTE, left, tag, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void in_blocks(int bytes, int tag, int synchronous)
{
    if (rank > 0)
        MPI_Recv(in, bytes, MPI_BYTE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (synchronous)
        MPI_Ssend(out, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD);
    else
        MPI_Send(out, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(in, bytes, MPI_BYTE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The first of the stream is long, the others are short; each second tag in the other order. */
static void several(int bytes, int tag)
{
    int part = bytes / (2 * SHARE);
    MPI_Request receive[SHARE], send[SHARE];
    int which;

    for (int i = 0; i < SHARE; i++)
        MPI_Irecv(in + (i ? bytes - i * part : 0), i ? part : bytes / 2, MPI_BYTE, left,
                  tag + (i == SHARE - 1), MPI_COMM_WORLD, &receive[i]);
    for (int i = 0; i < SHARE; i++)
        MPI_Isend(out + (i ? bytes - i * part : 0), i ? part : bytes / 2, MPI_BYTE, right,
                  tag + (i == SHARE - 1), MPI_COMM_WORLD, &send[i]);
    for (int i = 0; i < SHARE; i++)
        MPI_Waitany(SHARE, receive, &which, MPI_STATUS_IGNORE);
    MPI_Waitall(SHARE, send, MPI_STATUSES_IGNORE);
}

/* Every second of the 8-byte words travels. */
static void with_gaps(int bytes, int tag)
{
    MPI_Datatype type;

    MPI_Type_vector(bytes / 16, 1, 2, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 1, type, right, tag, in, 1, type, left, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    state = (uint64_t)rank;
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (long number = 1; number <= steps; number++) {
        int bytes = length_of(number), tag = (int)(number % 3);

        step(number);
        fill(bytes);
        switch (number % 5) {
        case 0:
            in_background(bytes, tag);
            break;
        case 1:
            in_blocks(bytes, tag, 0);
            break;
        case 2:
            in_blocks(bytes, tag, 1);
            break;
        case 3:
            several(bytes, tag);
            break;
        case 4:
            with_gaps(bytes, tag);
            break;
        }
        take(bytes);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld: %016llx\n", number, (unsigned long long)state);
    }
    return program_end("spans", state);
}
