/* cg: conjugate gradients on a 27-point mesh, in the manner of miniFE and HPCG.
 *
 * Communication: each rank owns a range of rows. At set-up it knows which rows of others it needs,
 * but not who needs its own: the ranks are told how many requests come (Reduce_scatter_block),
 * receive that many from any source, and keep the lists in the order of ranks. In each iteration:
 * Irecv from the neighbours in the list, Send, Waitall; two dot products (Allreduce).
 *
 * Verification: the right side belongs to the solution 1, which is found to 1e-8. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 27, NEED_TAG = 7, VALUE_TAG = 8 };

/* Rows that go to, or come from, one rank. */
struct link {
    int rank, count;
    int *rows;      /* local numbers of own rows to send; or the first ghost, in rows[0] */
    double *values; /* to send */
};

struct matrix {
    long n;           /* points of one side of the mesh */
    long first, rows; /* this rank's */
    long ghosts;
    long *ghost_rows; /* global numbers, ascending; ghost g has local number rows + g */
    int *columns;     /* ROW a row, local numbers; -1 behind the last */
    double *entries;
    struct link *sends, *receives;
    int send_count, receive_count;
};

static int owner_of(const struct matrix *a, long row)
{
    long all = a->n * a->n * a->n;
    int rank = (int)(row * app_ranks / all);

    while (row < app_first(all, rank, app_ranks))
        rank--;
    while (row >= app_first(all, rank + 1, app_ranks))
        rank++;
    return rank;
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x > y) - (x < y);
}

static int by_rank(const void *a, const void *b)
{
    return ((const struct link *)a)->rank - ((const struct link *)b)->rank;
}

static bool is_own(const struct matrix *a, long row)
{
    return row >= a->first && row < a->first + a->rows;
}

/* The global columns of a global row; returns their number. */
static int row_columns(const struct matrix *a, long row, long *columns)
{
    long n = a->n, x = row % n, y = row / n % n, z = row / n / n;
    int count = 0;

    for (long k = z - 1; k <= z + 1; k++)
        for (long j = y - 1; j <= y + 1; j++)
            for (long i = x - 1; i <= x + 1; i++)
                if (i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < n)
                    columns[count++] = (k * n + j) * n + i;
    return count;
}

static void ghosts_find(struct matrix *a)
{
    long *found = app_alloc((size_t)(a->rows * ROW), sizeof(long)), count = 0, columns[ROW];

    for (long row = a->first; row < a->first + a->rows; row++) {
        int width = row_columns(a, row, columns);
        for (int i = 0; i < width; i++)
            if (!is_own(a, columns[i]))
                found[count++] = columns[i];
    }
    qsort(found, (size_t)count, sizeof(long), by_number);
    for (long i = 0; i < count; i++)
        if (a->ghosts == 0 || found[a->ghosts - 1] != found[i])
            found[a->ghosts++] = found[i];
    a->ghost_rows = found;
}

static int local_number(const struct matrix *a, long row)
{
    const long *found;

    if (is_own(a, row))
        return (int)(row - a->first);
    found = bsearch(&row, a->ghost_rows, (size_t)a->ghosts, sizeof(long), by_number);
    return (int)(a->rows + (found - a->ghost_rows));
}

static void entries_fill(struct matrix *a)
{
    long columns[ROW];

    a->columns = app_alloc((size_t)(a->rows * ROW), sizeof(int));
    a->entries = app_alloc((size_t)(a->rows * ROW), sizeof(double));
    for (long row = 0; row < a->rows; row++) {
        int width = row_columns(a, a->first + row, columns);
        for (int i = 0; i < ROW; i++) {
            a->columns[row * ROW + i] = i < width ? local_number(a, columns[i]) : -1;
            a->entries[row * ROW + i] = i < width && columns[i] == a->first + row ? ROW : -1.0;
        }
    }
}

/* Ghosts of one owner are neighbours in the list, because owners have ranges of rows. */
static void receives_make(struct matrix *a)
{
    a->receives = app_alloc((size_t)app_ranks, sizeof(struct link));
    for (long g = 0; g < a->ghosts; g++) {
        int rank = owner_of(a, a->ghost_rows[g]);
        struct link *link = &a->receives[a->receive_count - (a->receive_count > 0)];
        if (a->receive_count == 0 || link->rank != rank) {
            link = &a->receives[a->receive_count++];
            link->rank = rank;
            link->rows = app_alloc(1, sizeof(int));
            link->rows[0] = (int)(a->rows + g);
        }
        link->count++;
    }
}

/* Finds which entries each other rank needs of this one: they say it, in any order. */
static void sends_discover(struct matrix *a)
{
    int *asked = app_alloc((size_t)app_ranks, sizeof(int));
    MPI_Request *requests = app_alloc((size_t)app_ranks, sizeof(MPI_Request));

    for (int i = 0; i < a->receive_count; i++)
        asked[a->receives[i].rank] = 1;
    MPI_Reduce_scatter_block(asked, &a->send_count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < a->receive_count; i++)
        MPI_Isend(&a->ghost_rows[a->receives[i].rows[0] - a->rows], a->receives[i].count, MPI_LONG,
                  a->receives[i].rank, NEED_TAG, MPI_COMM_WORLD, &requests[i]);
    a->sends = app_alloc((size_t)a->send_count, sizeof(struct link));
    for (int i = 0; i < a->send_count; i++) {
        long *rows = app_alloc((size_t)a->rows, sizeof(long));
        struct link *link = &a->sends[i];
        MPI_Request request;
        MPI_Status status;
        MPI_Irecv(rows, (int)a->rows, MPI_LONG, MPI_ANY_SOURCE, NEED_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_LONG, &link->count);
        link->rank = status.MPI_SOURCE;
        link->rows = app_alloc((size_t)link->count, sizeof(int));
        link->values = app_alloc((size_t)link->count, sizeof(double));
        for (int j = 0; j < link->count; j++)
            link->rows[j] = (int)(rows[j] - a->first);
        free(rows);
    }
    qsort(a->sends, (size_t)a->send_count, sizeof(struct link), by_rank);
    MPI_Waitall(a->receive_count, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(asked);
}

static void matrix_create(struct matrix *a, long n)
{
    *a = (struct matrix){.n = n};
    a->first = app_first(n * n * n, app_rank, app_ranks);
    a->rows = app_first(n * n * n, app_rank + 1, app_ranks) - a->first;
    ghosts_find(a);
    entries_fill(a);
    receives_make(a);
    sends_discover(a);
}

static void links_destroy(struct link *links, int count)
{
    for (int i = 0; i < count; i++) {
        free(links[i].rows);
        free(links[i].values);
    }
    free(links);
}

static void matrix_destroy(struct matrix *a)
{
    links_destroy(a->sends, a->send_count);
    links_destroy(a->receives, a->receive_count);
    free(a->columns);
    free(a->entries);
    free(a->ghost_rows);
}

static void ghosts_exchange(struct matrix *a, double *x)
{
    MPI_Request *requests = app_alloc((size_t)a->receive_count, sizeof(MPI_Request));

    for (int i = 0; i < a->receive_count; i++)
        MPI_Irecv(x + a->receives[i].rows[0], a->receives[i].count, MPI_DOUBLE, a->receives[i].rank,
                  VALUE_TAG, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < a->send_count; i++) {
        struct link *link = &a->sends[i];
        for (int j = 0; j < link->count; j++)
            link->values[j] = x[link->rows[j]];
        MPI_Send(link->values, link->count, MPI_DOUBLE, link->rank, VALUE_TAG, MPI_COMM_WORLD);
    }
    MPI_Waitall(a->receive_count, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void multiply(struct matrix *a, double *x, double *y)
{
    ghosts_exchange(a, x);
    for (long row = 0; row < a->rows; row++) {
        double sum = 0;
        for (int i = 0; i < ROW && a->columns[row * ROW + i] >= 0; i++)
            sum += a->entries[row * ROW + i] * x[a->columns[row * ROW + i]];
        y[row] = sum;
    }
}

static double dot(const double *x, const double *y, long count)
{
    double sum = 0;

    for (long i = 0; i < count; i++)
        sum += x[i] * y[i];
    return app_sum(sum, MPI_COMM_WORLD);
}

/* Returns the residual's norm after `steps` iterations, or fewer when it is small. */
static double solve(struct matrix *a, const double *b, double *x, long *steps)
{
    double *r = app_alloc((size_t)a->rows, sizeof(double)),
           *q = app_alloc((size_t)a->rows, sizeof(double));
    double *p = app_alloc((size_t)(a->rows + a->ghosts), sizeof(double));
    double rho, before, alpha;
    long step;

    memcpy(r, b, (size_t)a->rows * sizeof(double));
    memcpy(p, b, (size_t)a->rows * sizeof(double));
    rho = dot(r, r, a->rows);
    for (step = 0; step < *steps && rho > 1e-24; step++) {
        multiply(a, p, q);
        alpha = rho / dot(p, q, a->rows);
        for (long i = 0; i < a->rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        before = rho;
        rho = dot(r, r, a->rows);
        for (long i = 0; i < a->rows; i++)
            p[i] = r[i] + rho / before * p[i];
    }
    *steps = step;
    free(r);
    free(q);
    free(p);
    return sqrt(rho);
}

int main(int argc, char **argv)
{
    long size = 16, steps = 200, repeat = 1;
    const struct app_option options[] = {
        {"size", &size, 2, 1024, "points of one side of the mesh"},
        {"steps", &steps, 1, 100000000, "iterations at most"},
        {"repeat", &repeat, 1, 1000000, "solves"},
        {0},
    };
    double *x, *b, residual = 0, error = 0;
    struct matrix a;

    app_start(argc, argv, "cg", options, NULL);
    if (size * size * size < app_ranks)
        app_fail("--size is too small for %d ranks", app_ranks);
    matrix_create(&a, size);
    x = app_alloc((size_t)(a.rows + a.ghosts), sizeof(double));
    b = app_alloc((size_t)a.rows, sizeof(double));
    for (long i = 0; i < a.rows; i++)
        x[i] = 1.0;
    multiply(&a, x, b);
    app_begin();
    for (long i = 0; i < repeat; i++) {
        memset(x, 0, (size_t)(a.rows + a.ghosts) * sizeof(double));
        residual = solve(&a, b, x, &steps);
    }
    for (long i = 0; i < a.rows; i++)
        error = fmax(error, fabs(x[i] - 1.0));
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    app_print("%ld iterations: residual %.17g, error %.17g", steps, residual, error);
    free(x);
    free(b);
    matrix_destroy(&a);
    return app_end(error < 1e-8);
}
