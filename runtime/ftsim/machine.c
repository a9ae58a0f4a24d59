/* The nodes of a simulated job (machine.h).
 *
 * Exponential nodes have no memory, so all of them together are one exponential process whose
 * victim is drawn: a failure costs the same for ten nodes and for a million. Weibull nodes have
 * ages, so each one's next failure lies in a heap. */
#include "ftsim/machine.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct due {
    double time;
    long node;
};

struct ring { /* times at which lost nodes are back, in ascending order */
    double *times;
    size_t first, count, room;
};

enum { REBOOTS, REPAIRS, RINGS };

struct sim_machine {
    const struct sim_job *job;
    const struct sim_log *log;
    struct sim_draw *draw;
    double now;  /* of the last failure */
    double mean; /* of a node's life */
    long nodes;
    struct due *heap; /* with SIM_WEIBULL: a binary heap, the earliest first */
    size_t place;     /* in the log */
    double turn;      /* time at which the log's present turn began */
    long spares, spares_least;
    struct ring back[RINGS];
};

static void sift_down(struct due *heap, size_t count, size_t at)
{
    struct due moved = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].time < heap[child].time)
            child++;
        if (heap[child].time >= moved.time)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static int fill_heap(struct sim_machine *machine)
{
    size_t count = (size_t)machine->nodes;

    machine->heap = malloc(count * sizeof(*machine->heap));
    if (!machine->heap)
        return -1;
    for (size_t i = 0; i < count; i++)
        machine->heap[i] = (struct due){
            sim_draw_weibull_rest(machine->draw, machine->job->shape, machine->mean), (long)i};
    for (size_t i = count / 2; i-- > 0;)
        sift_down(machine->heap, count, i);
    return 0;
}

struct sim_machine *sim_machine_create(const struct sim_job *job, double exposed,
                                       const struct sim_log *log, struct sim_draw *draw)
{
    struct sim_machine *machine = calloc(1, sizeof(*machine));

    if (!machine)
        return NULL;
    machine->job = job;
    machine->log = log;
    machine->draw = draw;
    machine->nodes = (long)exposed;
    machine->mean = job->mtbf / job->sockets;
    machine->spares = machine->spares_least = lround(job->nodes * job->spares);
    if (job->distribution == SIM_RECORDED) { /* each run begins at another place of the log */
        machine->place = sim_draw_below(draw, log->count);
        machine->turn = -log->times[machine->place];
    }
    if (job->distribution == SIM_WEIBULL && fill_heap(machine)) {
        sim_machine_destroy(machine);
        return NULL;
    }
    return machine;
}

void sim_machine_destroy(struct sim_machine *machine)
{
    if (!machine)
        return;
    free(machine->heap);
    for (int i = 0; i < RINGS; i++)
        free(machine->back[i].times);
    free(machine);
}

static double fail_by_age(struct sim_machine *machine, long *node)
{
    struct due *first = machine->heap;
    double time = first->time;

    *node = first->node;
    first->time += sim_draw_weibull(machine->draw, machine->job->shape, machine->mean);
    sift_down(machine->heap, (size_t)machine->nodes, 0);
    return time;
}

static double fail_by_log(struct sim_machine *machine)
{
    if (++machine->place == machine->log->count) {
        machine->place = 0;
        machine->turn += machine->log->length;
    }
    return machine->turn + machine->log->times[machine->place];
}

double sim_machine_fail(struct sim_machine *machine, long *node)
{
    if (machine->heap)
        return machine->now = fail_by_age(machine, node);
    *node = (long)sim_draw_below(machine->draw, (uint64_t)machine->nodes);
    if (machine->job->distribution == SIM_RECORDED)
        return machine->now = fail_by_log(machine);
    return machine->now +=
           sim_draw_exponential(machine->draw, machine->mean / (double)machine->nodes);
}

static int grow(struct ring *ring)
{
    size_t room = ring->room ? 2 * ring->room : 64;
    double *times = malloc(room * sizeof(*times));

    if (!times)
        return -1;
    for (size_t i = 0; i < ring->count; i++)
        times[i] = ring->times[(ring->first + i) % ring->room];
    free(ring->times);
    *ring = (struct ring){.times = times, .count = ring->count, .room = room};
    return 0;
}

static double pop(struct ring *ring)
{
    double time = ring->times[ring->first];

    ring->first = (ring->first + 1) % ring->room;
    ring->count--;
    return time;
}

/* Without memory for it the node counts as lost for good, which is the slower case. */
static void push(struct ring *ring, double time)
{
    if (ring->count == ring->room && grow(ring))
        return;
    ring->times[(ring->first + ring->count++) % ring->room] = time;
}

static double first_of(const struct ring *ring)
{
    return ring->count > 0 ? ring->times[ring->first] : INFINITY;
}

void sim_machine_lose(struct sim_machine *machine, double now)
{
    if (sim_draw_uniform(machine->draw) < machine->job->reboot_chance)
        push(&machine->back[REBOOTS], now + machine->job->reboot);
    else if (isfinite(machine->job->repair))
        push(&machine->back[REPAIRS], now + machine->job->repair);
}

double sim_machine_replace(struct sim_machine *machine, double now)
{
    struct ring *reboots = &machine->back[REBOOTS], *repairs = &machine->back[REPAIRS];

    for (int i = 0; i < RINGS; i++) {
        while (first_of(&machine->back[i]) <= now) {
            pop(&machine->back[i]);
            machine->spares++;
        }
    }
    if (machine->spares > 0) {
        machine->spares--;
        if (machine->spares < machine->spares_least)
            machine->spares_least = machine->spares;
        return now;
    }
    struct ring *next = first_of(reboots) <= first_of(repairs) ? reboots : repairs;
    return next->count > 0 ? pop(next) : INFINITY;
}

long sim_machine_spares_most(const struct sim_machine *machine)
{
    return lround(machine->job->nodes * machine->job->spares) - machine->spares_least;
}

static int by_time(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

/* The log's length: its last failure, and one mean distance more. */
static void finish_log(struct sim_log *log)
{
    double begin;

    qsort(log->times, log->count, sizeof(*log->times), by_time);
    begin = log->times[0];
    for (size_t i = 0; i < log->count; i++)
        log->times[i] -= begin;
    log->length = log->times[log->count - 1] * (double)log->count / (double)(log->count - 1);
}

static int take_line(const char *line, struct sim_log *log, size_t *room)
{
    char *end;
    double time = strtod(line, &end);

    if (end == line || !isfinite(time) || strcspn(end, " \t\r\n") != 0)
        return -1;
    if (log->count == *room) {
        size_t more = *room ? 2 * *room : 256;
        double *times = realloc(log->times, more * sizeof(*times));

        if (!times)
            return -1;
        log->times = times;
        *room = more;
    }
    log->times[log->count++] = time;
    return 0;
}

int sim_log_read(const char *path, struct sim_log *log, char *why, size_t size)
{
    char line[4096];
    size_t room = 0, number = 0;
    int code = 0;
    FILE *file = fopen(path, "re");

    *log = (struct sim_log){0};
    if (!file) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    while (!code && fgets(line, sizeof(line), file)) {
        number++;
        if (line[strspn(line, " \t\r\n")] != 0 && line[0] != '#')
            code = take_line(line, log, &room);
    }
    fclose(file);
    if (code)
        snprintf(why, size, "%s:%zu: expected the time of a failure in seconds", path, number);
    else if (log->count < 2)
        code = -1, snprintf(why, size, "%s: expected two failures or more", path);
    else
        finish_log(log);
    if (!code && log->length <= 0)
        code = -1, snprintf(why, size, "%s: all failures are at the same time", path);
    if (code)
        free(log->times);
    return code;
}
