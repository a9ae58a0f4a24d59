/* Containers, lambdas, virtual functions, objects that end: sites are found in all of them, and in
 * the instances of templates, and all are unknown. */
#include <functional>
#include <mpi.h>
#include <vector>

struct Task {
    virtual ~Task() {}
    virtual void run(int rank) = 0;
};

struct Gather : Task {
    std::vector<int> values;
    void run(int size) override
    {
        MPI_Status status;
        for (int i = 1; i < size; i++) {
            int value;
            /* expect: unknown (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            values.push_back(value);
        }
    }
};

template <class T> static T pull(MPI_Datatype type)
{
    T value;
    /* expect: unknown (source) */
    MPI_Recv(&value, 1, type, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Gather gather;
    std::vector<int> answers;
    std::function<void()> drain = [&] {
        int value;
        /* expect: unknown (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        answers.push_back(value);
    };
    for (int step = 0; step < 10; step++) {
        if (rank == 0) {
            static_cast<Task &>(gather).run(size);
            for (int i = 1; i < size; i++)
                answers.push_back(pull<int>(MPI_INT));
            for (int i = 1; i < size; i++)
                drain();
        } else {
            for (int tag : {1, 2, 3})
                MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 20
logged: 45
logged: 30
hook in main: 48
not seen: function 8
not seen: callee 21 push_back
not seen: callee 50 run
not seen: callee 54 operator()
+#include <ft.h>
+            FT_SITE(ID1); :: any source; unknown
-        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        (FT_SITE(ID2) :: any source; unknown, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
+        ft_hook_at(ID3);
*/
