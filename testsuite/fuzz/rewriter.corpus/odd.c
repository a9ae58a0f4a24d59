#include <mpi.h>
#define ANY(x) MPI_Irecv(x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[k++])
int g(int (*f)(int), int *b, int n)
{
    MPI_Request r[4]; int k = 0, j, i; struct { int a[3]; } t = {{1}};
    for (;;) switch (n) {
    case 1 ... 3: ANY(b); /* fall */
    default: if (n) for (i = 0; i < k; i++) MPI_Waitany(k, r, &j, MPI_STATUS_IGNORE); else return f ? f(b[j]) : ({ int q = t.a[j]; q; });
    again: if (j == MPI_UNDEFINED) return 0; else if (--n) goto again; else continue;
    }
}
