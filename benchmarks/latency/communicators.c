/* communicators: making and freeing communicators. */
#include "micro.h"

static void dup(size_t bytes, void *state)
{
    MPI_Comm comm;

    (void)bytes, (void)state;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
}

static void split(size_t bytes, void *state)
{
    MPI_Comm comm;

    (void)bytes, (void)state;
    MPI_Comm_split(MPI_COMM_WORLD, micro_rank % 2, micro_rank, &comm);
    MPI_Comm_free(&comm);
}

static void create(size_t bytes, void *state)
{
    MPI_Group group = *(MPI_Group *)state;
    MPI_Comm comm;

    (void)bytes;
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Comm_free(&comm);
}

static void cart(size_t bytes, void *state)
{
    int sides[1] = {micro_ranks}, periods[1] = {1};
    MPI_Comm comm;

    (void)bytes, (void)state;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sides, periods, 0, &comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Group group;

    micro_start(argc, argv);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    micro_measure("comm_dup", 0, dup, NULL);
    micro_measure("comm_split", 0, split, NULL);
    micro_measure("comm_create", 0, create, &group);
    micro_measure("cart_create", 0, cart, NULL);
    MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
