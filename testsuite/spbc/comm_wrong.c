/* comm_wrong: creating calls and questions with wrong arguments, and more communicators than the
 * library has: the same error classes as natively, and the run goes on.
 *
 * ranks: 2
 */
#include "program.h"

#define MANY 3000

static MPI_Comm comms[MANY];

static void tell(const char *what, int code)
{
    int class;

    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("%s: class %d\n", what, class);
}

static void births(MPI_Comm half)
{
    int two[2] = {2, 2}, none[2] = {0, 0}, index[1] = {1}, edge[1] = {9};
    MPI_Group world;
    MPI_Comm made;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    tell("no place", MPI_Comm_split(MPI_COMM_WORLD, 3, 0, NULL));
    tell("too large a grid", MPI_Cart_create(MPI_COMM_WORLD, 2, two, none, 0, &made));
    tell("no grid", MPI_Cart_sub(MPI_COMM_WORLD, two, &made));
    tell("an edge to nobody", MPI_Graph_create(MPI_COMM_WORLD, 1, index, edge, 0, &made));
    tell("strangers in the group", MPI_Comm_create(half, world, &made));
    tell("no such leader", MPI_Intercomm_create(half, 9, MPI_COMM_WORLD, 0, 0, &made));
    tell("an empty group", MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &made));
    MPI_Comm_dup(half, &made);
    half = made;
    MPI_Comm_free(&made);
    tell("freed twice", MPI_Comm_free(&half));
    MPI_Group_free(&world);
}

static void questions(void)
{
    int dims[2] = {2, 1}, periods[2] = {0, 0}, place[2] = {3, 0}, a, b;
    MPI_Comm grid;

    tell("a grid's dimensions of the world", MPI_Cartdim_get(MPI_COMM_WORLD, &a));
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    tell("outside of the grid", MPI_Cart_rank(grid, place, &a));
    tell("no such dimension", MPI_Cart_shift(grid, 2, 1, &a, &b));
    tell("no room", MPI_Cart_coords(grid, 0, 1, place));
    tell("no such rank", MPI_Cart_coords(grid, 4, 2, place));
    tell("a grid is no graph", MPI_Graphdims_get(grid, &a, &b));
    MPI_Comm_free(&grid);
}

static void exhaust(void)
{
    int count = 0, code;

    while ((code = MPI_Comm_dup(MPI_COMM_WORLD, &comms[count])) == MPI_SUCCESS)
        count++;
    tell("no more", code);
    check(count > 2000, "communicators at once", count);
    while (count)
        MPI_Comm_free(&comms[--count]);
    tell("again", MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]));
    MPI_Comm_free(&comms[0]);
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    program_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    step(1);
    births(half);
    questions();
    exhaust();
    MPI_Comm_free(&half);
    return program_end("comm_wrong", 0);
}
