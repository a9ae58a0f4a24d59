/* Point-to-point under fire: every scenario is gated at the worst moment (gate_stub.h makes a new
 * epoch of it), and must end as if nothing had happened. Run with 2 or more ranks under mpiexec;
 * ranks from 2 on only meet the others at the end of each scenario. Arguments: names of scenarios.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "request/drain_test.h"

int rank, size;
MPI_Comm other, halves;
MPI_Datatype odd;
char *big;

static MPI_Comm meeting; /* a duplicate of the world, for meet() */
static const char *scenario_name;
static int gate_needless;

struct scenario {
    const char *name;
    void (*run)(void);
};

#define SCENARIO(name) {#name, name},

static const struct scenario scenarios[] = {SCENARIOS(SCENARIO)};

void check(int condition, const char *text, int line)
{
    if (condition)
        return;
    fprintf(stderr, "rank %d: %s: line %d: not true: %s\n", rank, scenario_name, line, text);
    abort();
}

static void meet(void)
{
    int in, out = 0;

    for (int step = 1; step < size; step *= 2)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + step) % size, 78, &in, 1, MPI_INT,
                     (rank + size - step) % size, 78, meeting, MPI_STATUS_IGNORE);
}

void interrupt(void)
{
    usleep(10000);
    stub_checkpoint();
}

void gate_await(void)
{
    while (stub_gates == 0) {
        ft_progress(ft_self);
        sched_yield();
        ft_wait_point(ft_self, FT_WAITING_MESSAGE);
    }
}

void needs_no_gate(void)
{
    gate_needless = 1;
}

int count_of(const MPI_Status *status, MPI_Datatype type)
{
    int count;

    PMPI_Get_count(status, type, &count);
    return count;
}

int class_of(int code)
{
    int class;

    PMPI_Error_class(code, &class);
    return class;
}

void send_int(int value, int to, int tag, MPI_Comm comm)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, comm);
}

int recv_int(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int value = -1;

    MPI_Recv(&value, 1, MPI_INT, from, tag, comm, status);
    return value;
}

void big_fill(int seed)
{
    for (int i = 0; i < BIG; i++)
        big[i] = (char)(i * 7 + seed + i / 1000);
}

int big_is(int seed)
{
    for (int i = 0; i < BIG; i++)
        if (big[i] != (char)(i * 7 + seed + i / 1000))
            return 0;
    return 1;
}

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 1;
}

/* All ranks count the gates of this scenario, and of no other. */
static void scenario_run(void (*scenario)(void))
{
    stub_gates = gate_needless = 0;
    meet();
    scenario();
    meet();
    stub_gate_pending();
    CHECK(stub_gates > 0 || gate_needless);
}

static MPI_Datatype odd_type(void)
{
    MPI_Datatype vector, resized;

    PMPI_Type_vector(4, 1, 2, MPI_INT, &vector);
    PMPI_Type_create_resized(vector, 0, 8 * sizeof(int), &resized);
    PMPI_Type_commit(&resized);
    PMPI_Type_free(&vector);
    return stub_type(resized);
}

int main(int argc, char **argv)
{
    stub_start(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    other = stub_comm_dup();
    meeting = stub_comm_dup();
    halves = stub_comm_halves();
    odd = odd_type();
    big = malloc(BIG);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        scenario_name = scenarios[i].name;
        if (!wanted(scenario_name, argc, argv))
            continue;
        scenario_run(scenarios[i].run);
        if (rank == 0)
            printf("%s: passed, %u gates\n", scenario_name, stub_gates);
    }
    free(big);
    stub_finish();
    return 0;
}
