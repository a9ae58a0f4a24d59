/* completion: Waitany, Waitsome, Testany, Testsome, Testall and Request_get_status over sets of
 * receives that arrive in any order; the result does not depend on it.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 100
 * soak: 150
 * pace: 6000
 * kill: 0@hook:50
 * kill: 2@hook:77:exit
 * kill: 1@hook:33:ABRT
 */
#include "program.h"

#define EACH 6
#define MOST (EACH * 16)

static uint64_t in[MOST], out[MOST];
static MPI_Request receives[MOST], sends[MOST];
static int many;

static void begin(long number)
{
    many = EACH * (size - 1);
    for (int i = 0, at = 0; i < EACH; i++)
        for (int r = 0; r < size; r++)
            if (r != rank) {
                in[at] = 0;
                MPI_Irecv(&in[at], 1, MPI_UINT64_T, r, i, MPI_COMM_WORLD, &receives[at]);
                out[at] = mix((uint64_t)(number * 1000 + i * 100 + r * 10 + rank));
                MPI_Isend(&out[at], 1, MPI_UINT64_T, r, i, MPI_COMM_WORLD, &sends[at]);
                at++;
            }
}

/* Takes completions by one of the calls until none is left; returns an order-independent sum. */
static uint64_t finish(long number, int way)
{
    int index[MOST], count, left = many, flag;
    MPI_Status statuses[MOST];
    uint64_t sum = 0;

    while (left > 0) {
        count = 1;
        flag = 1;
        if (way == 0)
            MPI_Waitany(many, receives, index, statuses);
        else if (way == 1)
            MPI_Waitsome(many, receives, &count, index, statuses);
        else if (way == 2)
            MPI_Testany(many, receives, index, &flag, statuses);
        else
            MPI_Testsome(many, receives, &count, index, statuses);
        for (int i = 0; flag && i < count; i++) {
            check(index[i] >= 0 && index[i] < many && receives[index[i]] == MPI_REQUEST_NULL,
                  "index", number);
            sum += mix(in[index[i]] + (uint64_t)(statuses[i].MPI_SOURCE * 100 + statuses[i].MPI_TAG));
            left--;
        }
    }
    return sum;
}

static void finish_sends(long number)
{
    int flag = 0;

    if (number % 2)
        while (!flag)
            MPI_Testall(many, sends, &flag, MPI_STATUSES_IGNORE);
    else {
        while (!flag)
            MPI_Request_get_status(sends[0], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(many, sends, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    for (long number = 1; number <= steps; number++) {
        step(number);
        begin(number);
        state = mix(state + finish(number, (int)(number % 4)));
        finish_sends(number);
    }
    return program_end("completion", state);
}
