/* One receive with more callers than are followed; the last one sends in the order of arrival. */
#include <mpi.h>

static int take(void)
{
    int x;
    MPI_Status status;
    /* expect: unknown (source) */
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    return status.MPI_SOURCE;
}

#define CALLER(name)                                                                               \
    static void name(int count)                                                                    \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            (void)take();                                                                          \
    }
#define TEN(name)                                                                                  \
    CALLER(name##0)                                                                                \
    CALLER(name##1)                                                                                \
    CALLER(name##2)                                                                                \
    CALLER(name##3)                                                                                \
    CALLER(name##4)                                                                                \
    CALLER(name##5)                                                                                \
    CALLER(name##6)                                                                                \
    CALLER(name##7)                                                                                \
    CALLER(name##8)                                                                                \
    CALLER(name##9)                                                                                \
    static void name(int count)                                                                    \
    {                                                                                              \
        name##0(count), name##1(count), name##2(count), name##3(count), name##4(count);            \
        name##5(count), name##6(count), name##7(count), name##8(count), name##9(count);            \
    }
TEN(a) TEN(b) TEN(c) TEN(d) TEN(e) TEN(f)

static void forward(int count)
{
    for (int i = 0; i < count; i++)
        MPI_Send(&i, 1, MPI_INT, take(), 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    a(argc), b(argc), c(argc), d(argc), e(argc), f(argc);
    forward(argc);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 9
hook in forward: 39
+#include <ft.h>
+    FT_SITE(ID1); :: any source; unknown
-        MPI_Send(&i, 1, MPI_INT, take(), 2, MPI_COMM_WORLD);
+        { ft_hook_at(ID2); MPI_Send(&i, 1, MPI_INT, take(), 2, MPI_COMM_WORLD); }
*/
