/* C++ in the shapes of C: a namespace, overloads, references, methods of plain classes, instances of
 * a template. What a reference changes is seen. */
#include <mpi.h>

namespace farm
{
struct Answers {
    int count, last;
    void take(int value) { last = value, count++; }
    void add(int value) { last += value; }
    int &latest() { return last; }
};

static void receive(int &value, MPI_Status &status)
{
    /* expect: send-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
}

static void receive(Answers &answers, int tag)
{
    int value;
    /* expect: non-deterministic (source), finding order-escapes */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answers.take(value);
}
}

template <class T> static T larger(T a, T b)
{
    return a < b ? b : a;
}

int main(int argc, char **argv)
{
    int rank, size, value, most = 0;
    MPI_Status status;
    farm::Answers answers = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 10; step++) {
        if (rank == 0) {
            for (int i = 1; i < size; i++) {
                farm::receive(value, status);
                most += larger(value, 0);
            }
            for (int i = 1; i < size; i++)
                farm::receive(answers, 2);
            MPI_Send(&most, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
            MPI_Send(&answers.latest(), 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        } else {
            value = rank * step;
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
            for (int i = 0; rank == 1 && i < 2; i++)
                MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 43 to 58, by collective
logged: 24
hook in main: 42
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source; send-deterministic
+    FT_SITE(ID3); :: any source; non-deterministic
+        ft_hook_at(ID4);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_END_ITERATION(ftcc_ID1);
*/
