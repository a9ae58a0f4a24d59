/* neighbourhoods: every neighbourhood collective, blocking and not, on a grid with two edges
 * between the same two processes, a ring, a graph with doubled edges and an edge to oneself, and a
 * chain.
 *
 * arguments: [steps 40]
 *
 * ranks: 4
 * test: 40
 * soak: 200
 * pace: 20000
 * kill: 3@hook:12
 */
#include "program.h"

#define MOST 4 /* edges of a process */

/* The digests of all ranks, in their order, in one. */
static uint64_t together(uint64_t value)
{
    uint64_t *all = calloc((size_t)size, sizeof(*all)), result;

    MPI_Allgather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    result = digest(0, all, (size_t)size * sizeof(*all));
    free(all);
    return result;
}

static int from[4 * MOST], to[4 * MOST], counts[MOST], displs[MOST];
static MPI_Aint far[MOST];
static MPI_Datatype types[MOST];

static void fill(int number)
{
    for (int i = 0; i < 4 * MOST; i++) {
        from[i] = number * 10000 + rank * 1000 + i;
        to[i] = -1;
    }
    for (int i = 0; i < MOST; i++) {
        counts[i] = 2;
        displs[i] = 3 * i;
        far[i] = 12 * i;
        types[i] = MPI_INT;
    }
}

static void blocking(int kind, MPI_Comm comm)
{
    if (kind == 0)
        MPI_Neighbor_allgather(from, 2, MPI_INT, to, 2, MPI_INT, comm);
    else if (kind == 1)
        MPI_Neighbor_allgatherv(from, 2, MPI_INT, to, counts, displs, MPI_INT, comm);
    else if (kind == 2)
        MPI_Neighbor_alltoall(from, 2, MPI_INT, to, 2, MPI_INT, comm);
    else if (kind == 3)
        MPI_Neighbor_alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm);
    else
        MPI_Neighbor_alltoallw(from, counts, far, types, to, counts, far, types, comm);
}

static void non_blocking(int kind, MPI_Comm comm)
{
    MPI_Request request;

    if (kind == 0)
        MPI_Ineighbor_allgather(from, 2, MPI_INT, to, 2, MPI_INT, comm, &request);
    else if (kind == 1)
        MPI_Ineighbor_allgatherv(from, 2, MPI_INT, to, counts, displs, MPI_INT, comm, &request);
    else if (kind == 2)
        MPI_Ineighbor_alltoall(from, 2, MPI_INT, to, 2, MPI_INT, comm, &request);
    else if (kind == 3)
        MPI_Ineighbor_alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm,
                                &request);
    else
        MPI_Ineighbor_alltoallw(from, counts, far, types, to, counts, far, types, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static uint64_t all_kinds(int number, MPI_Comm comm)
{
    uint64_t result = 0;

    for (int kind = 0; kind < 10; kind++) {
        fill(number);
        if (kind < 5)
            blocking(kind, comm);
        else
            non_blocking(kind - 5, comm);
        result = digest(result, to, sizeof(to));
    }
    return together(result);
}

/* Each process beside the next and the one before. */
static MPI_Comm chain_make(void)
{
    int *index = calloc(3 * (size_t)size, sizeof(*index)), *edges = index + size;
    MPI_Comm made;

    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &made);
    free(index);
    return made;
}

int main(int argc, char **argv)
{
    int dims[2] = {2, 2}, periods[2] = {1, 0}, ring[1] = {1}, graph[6];
    MPI_Comm comm[4];
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, ring, 0, &comm[1]);
    graph[0] = graph[1] = (rank + 1) % size;
    graph[3] = graph[4] = (rank + size - 1) % size;
    graph[2] = graph[5] = rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, graph, MPI_UNWEIGHTED, 3, graph + 3,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm[2]);
    comm[3] = chain_make();
    for (long number = 1; number <= steps; number++) {
        step(number);
        for (int i = 0; i < 4; i++) {
            uint64_t result = all_kinds((int)number, comm[i]);

            state = mix(state ^ result);
            if (rank == 0 && number <= 2)
                printf("step %ld, topology %d: %016llx\n", number, i, (unsigned long long)result);
        }
    }
    for (int i = 0; i < 4; i++)
        MPI_Comm_free(&comm[i]);
    return program_end("neighbourhoods", state);
}
