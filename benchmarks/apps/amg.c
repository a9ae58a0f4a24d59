/* amg: multigrid for the Poisson equation on a square, with the data-dependent exchange of
 * BoomerAMG (hypre's assumed partition; Ropars et al., SC'13, figure 4).
 *
 * Communication: a rank that needs lines of the mesh asks their owners. An owner does not know who
 * will ask: it looks for questions from any source (Iprobe), and answers the sender. A rank that
 * has all its answers, and whose children in a tree have reported, reports to its parent; the root
 * then tells all, down the tree, that nobody asks any more. This is done in every cycle on every
 * level, on coarse levels with fewer lines than ranks. A faster rank may ask in the next round
 * before a slower one knows that this round has ended, so each round has fresh tags.
 *
 * Verification: the residual shrinks by a factor of at least 3 in each V-cycle, and the known
 * solution is found. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 16, SWEEPS = 2, ROUNDS = 4096 };
enum { QUESTION, ANSWER, REPORT, END, KINDS }; /* a tag is KINDS times the round, and the kind */

struct level {
    int n;             /* lines, and points of a line */
    int first, lines;  /* this rank's lines */
    double *u, *f, *r; /* lines -1 to `lines`, each with a point on either side: solution, right
                          side, residual */
};

static struct level levels[LEVELS];
static int level_count;
static long round_number;

/* ---- Lines ---- */

static double *line_at(const struct level *level, double *field, int line)
{
    return field + (size_t)(line + 1) * (size_t)(level->n + 2);
}

static int owner_of(const struct level *level, int line)
{
    int rank = (int)((long)line * app_ranks / level->n);

    while (line < app_first(level->n, rank, app_ranks))
        rank--;
    while (line >= app_first(level->n, rank + 1, app_ranks))
        rank++;
    return rank;
}

static bool is_own(const struct level *level, int line)
{
    return line >= level->first && line < level->first + level->lines;
}

/* ---- The exchange ---- */

struct exchange {
    const struct level *level;
    double *field; /* that is asked for */
    int tag;       /* of kind 0 in this round */
    int answers;   /* that are still to come */
    int reports;   /* of children that are still to come */
    bool reported, ended;
    MPI_Request *sends; /* of questions and answers */
    double **buffers;   /* of these sends, or NULL */
    int *lines;         /* that questions ask for */
    int send_count, send_room;
};

static MPI_Request *send_add(struct exchange *exchange, double *buffer)
{
    if (exchange->send_count == exchange->send_room)
        app_fail("more messages than ranks in one exchange");
    exchange->buffers[exchange->send_count] = buffer;
    return &exchange->sends[exchange->send_count++];
}

/* A question from anyone is answered with the line. */
static void question_serve(struct exchange *exchange)
{
    const struct level *level = exchange->level;
    double *copy;
    MPI_Status status;
    int line, found;

    MPI_Iprobe(MPI_ANY_SOURCE, exchange->tag + QUESTION, MPI_COMM_WORLD, &found, &status);
    if (!found)
        return;
    MPI_Recv(&line, 1, MPI_INT, status.MPI_SOURCE, exchange->tag + QUESTION, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    copy = app_alloc((size_t)level->n, sizeof(double));
    memcpy(copy, line_at(level, exchange->field, line - level->first) + 1,
           (size_t)level->n * sizeof(double));
    MPI_Isend(copy, level->n, MPI_DOUBLE, status.MPI_SOURCE, exchange->tag + ANSWER, MPI_COMM_WORLD,
              send_add(exchange, copy));
}

static void reports_take(struct exchange *exchange)
{
    int found;

    MPI_Iprobe(MPI_ANY_SOURCE, exchange->tag + REPORT, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!found)
        return;
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, exchange->tag + REPORT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    exchange->reports--;
}

static void end_tell(struct exchange *exchange)
{
    for (int child = 2 * app_rank + 1; child <= 2 * app_rank + 2 && child < app_ranks; child++)
        MPI_Send(NULL, 0, MPI_BYTE, child, exchange->tag + END, MPI_COMM_WORLD);
    exchange->ended = true;
}

/* The tree: reports go up, the end goes down. */
static void termination_advance(struct exchange *exchange)
{
    int parent = (app_rank - 1) / 2, found;

    if (exchange->reports > 0)
        reports_take(exchange);
    if (exchange->answers > 0 || exchange->reports > 0)
        return;
    if (app_rank == 0) {
        end_tell(exchange);
        return;
    }
    if (!exchange->reported) {
        MPI_Send(NULL, 0, MPI_BYTE, parent, exchange->tag + REPORT, MPI_COMM_WORLD);
        exchange->reported = true;
    }
    MPI_Iprobe(parent, exchange->tag + END, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!found)
        return;
    MPI_Recv(NULL, 0, MPI_BYTE, parent, exchange->tag + END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end_tell(exchange);
}

/* Gets lines [first, first + count) of a field into `out` (each level->n + 2 wide); lines outside
 * of the mesh are 0. Every rank calls it, also one that needs nothing. */
static void lines_get(const struct level *level, double *field, int first, int count, double *out)
{
    struct exchange exchange = {.level = level, .field = field};
    MPI_Request *answers = app_alloc((size_t)count, sizeof(MPI_Request));
    int found, children = (2 * app_rank + 1 < app_ranks) + (2 * app_rank + 2 < app_ranks);

    exchange.tag = (int)(round_number++ % ROUNDS) * KINDS;
    exchange.reports = children;
    exchange.send_room = count + level->n + 4 * app_ranks;
    exchange.sends = app_alloc((size_t)exchange.send_room, sizeof(MPI_Request));
    exchange.buffers = app_alloc((size_t)exchange.send_room, sizeof(double *));
    exchange.lines = app_alloc((size_t)count, sizeof(int));
    for (int i = 0; i < count; i++) {
        double *line = out + (size_t)i * (size_t)(level->n + 2);
        memset(line, 0, (size_t)(level->n + 2) * sizeof(double));
        exchange.lines[i] = first + i;
        if (first + i < 0 || first + i >= level->n)
            continue;
        if (is_own(level, first + i)) {
            memcpy(line, line_at(level, field, first + i - level->first),
                   (size_t)(level->n + 2) * sizeof(double));
            continue;
        }
        MPI_Irecv(line + 1, level->n, MPI_DOUBLE, owner_of(level, first + i), exchange.tag + ANSWER,
                  MPI_COMM_WORLD, &answers[exchange.answers++]);
        MPI_Isend(&exchange.lines[i], 1, MPI_INT, owner_of(level, first + i),
                  exchange.tag + QUESTION, MPI_COMM_WORLD, send_add(&exchange, NULL));
    }
    for (int waiting = exchange.answers; !exchange.ended;) {
        question_serve(&exchange);
        if (exchange.answers > 0) {
            MPI_Testall(waiting, answers, &found, MPI_STATUSES_IGNORE);
            if (found)
                exchange.answers = 0;
        }
        termination_advance(&exchange);
    }
    MPI_Waitall(exchange.send_count, exchange.sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < exchange.send_count; i++)
        free(exchange.buffers[i]);
    free(exchange.buffers);
    free(exchange.sends);
    free(exchange.lines);
    free(answers);
}

/* ---- Multigrid ---- */

static void levels_create(int n)
{
    for (; n >= 3 && level_count < LEVELS; n /= 2, level_count++) {
        struct level *level = &levels[level_count];
        size_t points;
        level->n = n;
        level->first = (int)app_first(n, app_rank, app_ranks);
        level->lines = (int)app_first(n, app_rank + 1, app_ranks) - level->first;
        points = (size_t)(level->lines + 2) * (size_t)(n + 2);
        level->u = app_alloc(points, sizeof(double));
        level->f = app_alloc(points, sizeof(double));
        level->r = app_alloc(points, sizeof(double));
    }
}

static void levels_destroy(void)
{
    for (int i = 0; i < level_count; i++) {
        free(levels[i].u);
        free(levels[i].f);
        free(levels[i].r);
    }
}

/* Fetches the lines above and below this rank's; a rank without lines needs none. */
static void borders_get(struct level *level, double *field)
{
    size_t width = (size_t)(level->n + 2);
    double *around = app_alloc((size_t)(level->lines + 2) * width, sizeof(double));

    lines_get(level, field, level->first - 1, level->lines ? level->lines + 2 : 0, around);
    if (level->lines) {
        memcpy(line_at(level, field, -1), around, width * sizeof(double));
        memcpy(line_at(level, field, level->lines), around + (size_t)(level->lines + 1) * width,
               width * sizeof(double));
    }
    free(around);
}

/* r = f - A u, with A the five-point star. Returns the sum of squares of this rank. */
static double residual_find(struct level *level)
{
    double sum = 0;

    borders_get(level, level->u);
    for (int y = 0; y < level->lines; y++) {
        const double *above = line_at(level, level->u, y - 1), *here = line_at(level, level->u, y);
        const double *below = line_at(level, level->u, y + 1), *f = line_at(level, level->f, y);
        double *r = line_at(level, level->r, y);
        for (int x = 1; x <= level->n; x++) {
            r[x] = f[x] - (4.0 * here[x] - here[x - 1] - here[x + 1] - above[x] - below[x]);
            sum += r[x] * r[x];
        }
    }
    return sum;
}

static void smooth(struct level *level, int sweeps)
{
    for (int sweep = 0; sweep < sweeps; sweep++) {
        residual_find(level);
        for (int y = 0; y < level->lines; y++)
            for (int x = 1; x <= level->n; x++)
                line_at(level, level->u, y)[x] += 0.8 / 4.0 * line_at(level, level->r, y)[x];
    }
}

/* The right side of the coarse level: full weighting of the residual. Coarse point i lies on fine
 * point 2 i + 1. */
static void residual_restrict(struct level *fine, struct level *coarse)
{
    size_t width = (size_t)(fine->n + 2);
    int count = coarse->lines ? 2 * coarse->lines + 1 : 0;
    double *lines = app_alloc((size_t)count * width, sizeof(double));

    lines_get(fine, fine->r, 2 * coarse->first, count, lines);
    for (int y = 0; y < coarse->lines; y++)
        for (int x = 1; x <= coarse->n; x++) {
            const double *middle = lines + (size_t)(2 * y + 1) * width + 2 * x;
            const double *low = middle - width, *high = middle + width;
            line_at(coarse, coarse->f, y)[x] =
                (4.0 * middle[0] + 2.0 * (middle[-1] + middle[1] + low[0] + high[0]) + low[-1] +
                 low[1] + high[-1] + high[1]) /
                4.0;
        }
    free(lines);
    memset(coarse->u, 0, (size_t)(coarse->lines + 2) * (size_t)(coarse->n + 2) * sizeof(double));
}

/* Adds the coarse solution, interpolated linearly. */
static void correction_add(struct level *fine, struct level *coarse)
{
    int first = (fine->first - 1 + 2) / 2 - 1, last = (fine->first + fine->lines) / 2;
    int count = fine->lines ? last - first + 1 : 0;
    size_t width = (size_t)(coarse->n + 2);
    double *lines = app_alloc((size_t)count * width, sizeof(double));

    lines_get(coarse, coarse->u, first, count, lines);
    for (int y = 0; y < fine->lines; y++) {
        int line = fine->first + y;
        const double *low = lines + (size_t)((line + 1) / 2 - 1 - first) * width;
        const double *high = lines + (size_t)(line / 2 - first) * width;
        double *u = line_at(fine, fine->u, y);
        for (int x = 1; x <= fine->n; x++)
            u[x] += 0.25 * (low[x / 2] + low[(x + 1) / 2] + high[x / 2] + high[(x + 1) / 2]);
    }
    free(lines);
}

static void cycle_run(void)
{
    for (int i = 0; i < level_count - 1; i++) {
        smooth(&levels[i], SWEEPS);
        residual_find(&levels[i]);
        residual_restrict(&levels[i], &levels[i + 1]);
    }
    smooth(&levels[level_count - 1], 4 * SWEEPS);
    for (int i = level_count - 2; i >= 0; i--) {
        correction_add(&levels[i], &levels[i + 1]);
        smooth(&levels[i], SWEEPS);
    }
}

static double truth(const struct level *level, int line, int x)
{
    if (line < 0 || line >= level->n || x < 1 || x > level->n)
        return 0;
    return app_uniform((uint64_t)line * (uint64_t)level->n + (uint64_t)x);
}

static void right_side_fill(struct level *level)
{
    for (int y = 0; y < level->lines; y++)
        for (int x = 1; x <= level->n; x++) {
            int line = level->first + y;
            line_at(level, level->f, y)[x] = 4.0 * truth(level, line, x) -
                                             truth(level, line, x - 1) - truth(level, line, x + 1) -
                                             truth(level, line - 1, x) - truth(level, line + 1, x);
        }
}

static double error_find(const struct level *level)
{
    double worst = 0;

    for (int y = 0; y < level->lines; y++)
        for (int x = 1; x <= level->n; x++)
            worst = fmax(worst,
                         fabs(line_at(level, level->u, y)[x] - truth(level, level->first + y, x)));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

int main(int argc, char **argv)
{
    long size = 63, steps = 10;
    const struct app_option options[] = {
        {"size", &size, 7, 8191, "points of one side of the mesh, a power of two less one"},
        {"steps", &steps, 1, 100000000, "V-cycles"},
        {0},
    };
    double start, residual = 0, before, error;
    bool good = true;

    app_start(argc, argv, "amg", options, NULL);
    if (size & (size + 1))
        app_fail("--size must be a power of two less one");
    levels_create((int)size);
    right_side_fill(&levels[0]);
    start = before = sqrt(app_sum(residual_find(&levels[0]), MPI_COMM_WORLD));
    app_begin();
    for (long step = 0; step < steps; step++) {
        cycle_run();
        residual = sqrt(app_sum(residual_find(&levels[0]), MPI_COMM_WORLD));
        good &= residual < before / 3.0 || residual < 1e-12 * start;
        before = residual;
    }
    error = error_find(&levels[0]);
    app_print("%ld cycles on %d levels: residual %.17g, error %.17g", steps, level_count, residual,
              error);
    levels_destroy();
    return app_end(good && error < 100.0 * residual + 1e-12);
}
