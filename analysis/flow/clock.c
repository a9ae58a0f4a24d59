/* Idea: without a site, what is followed is what differs between two runs of a program whatever the
 * messages are: clocks, random numbers seeded by them, process ids, addresses as numbers. */
#include "analysis/flow/flow.h"

#include <string.h>

/* Functions, and which argument they write; -1: they return it. */
static const struct {
    const char *name;
    signed char writes;
} clocks[] = {
    {"time", -1},         {"clock", -1},         {"gettimeofday", 0}, {"clock_gettime", 1},
    {"getpid", -1},       {"times", -1},         {"getrandom", 0},    {"gethostid", -1},
    {"pthread_self", -1}, {"omp_get_wtime", -1}, {"getrusage", 1},    {"timespec_get", 0},
    {"getentropy", 0},    {"arc4random", -1},    {"getppid", -1},     {"gettid", -1},
};

static const char *const randoms[] = {"rand", "random", "drand48", "lrand48", "mrand48"};
static const char *const seeds[] = {"srand", "srandom", "srand48"};

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int clock_find(struct an_program *program, const struct an_node *call)
{
    struct an_mpi mpi;

    if (call->name)
        for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
            if (strcmp(call->name, clocks[i].name) == 0 && call->system)
                return clocks[i].writes;
    return an_call_is_mpi(program, call, &mpi) && mpi.what->role == AN_CLOCK &&
                   strcmp(mpi.what->name, "Wtime") == 0
               ? -1
               : -2;
}

bool an_flow_is_clock(struct an_program *program, const struct an_node *call)
{
    return clock_find(program, call) > -2;
}

bool an_flow_clock(struct an_flow *flow, const struct an_node *call, struct an_flow_value *result)
{
    int writes = clock_find(flow->program, call);
    struct an_flow_value value = {.kind = AN_FLOW_ORDER, .flags = AN_FLOW_CLOCKED};
    const char *name = call->name ? call->name : "";

    if (is_among(name, seeds, sizeof seeds / sizeof *seeds) && an_argument(call, 0)) {
        flow->random |= an_flow_depends(an_flow_value_of(flow, an_argument(call, 0)));
        return true;
    }
    if (is_among(name, randoms, sizeof randoms / sizeof *randoms) && flow->random)
        writes = -1;
    if (writes == -2)
        return false;
    value.why = an_flow_because(flow, call, "a clock or random number is read", NULL);
    if (writes == -1) {
        *result = value;
        return true;
    }
    const struct an_node *argument = an_argument(call, (unsigned)writes);
    if (argument) {
        struct an_flow_value address = an_flow_value_of(flow, argument);
        an_flow_store(flow, address, value, true);
    }
    return true;
}
