/* Idea: what a call of MPI does is in the table; what a function does is the union of its calls,
 * and grows along the call graph until nothing changes. That it synchronises is the other way round
 * a promise: it is false until every path through the function is shown to pass a synchronising
 * call, so recursion proves nothing. */
#include "analysis/program/inside.h"
#include "analysis/program/paths.h"
#include "analysis/program/wild.h"

#include <string.h>

enum { NOT_YET = 1, SYNCHRONISED = 2 };
enum { COMM_SELF = 0x44000001 }; /* MPICH's MPI_COMM_SELF */

static bool is_clock(const char *name)
{
    static const char *const names[] = {
        "clock",      "clock_gettime", "gettimeofday", "time",      "times",   "getpid",
        "gettid",     "getppid",       "rand",         "rand_r",    "random",  "drand48",
        "erand48",    "lrand48",       "nrand48",      "mrand48",   "jrand48", "getrandom",
        "arc4random", "getrusage",     "random_r",     "drand48_r", "ftime",   "timespec_get"};

    for (unsigned i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void unite(struct an_effects *to, const struct an_effects *from)
{
    to->sends |= from->sends;
    to->receives |= from->receives;
    to->takes |= from->takes;
    to->persists |= from->persists;
    to->anonymous |= from->anonymous;
    to->collective |= from->collective;
    to->polls |= from->polls;
    to->clock |= from->clock;
    to->repoints |= from->repoints;
    to->hidden |= from->hidden;
}

static bool is_wild(const struct an_program *program, const struct an_mpi *mpi)
{
    int peer = mpi->what->receive.peer, tag = mpi->what->receive.tag;

    if (mpi->what->role == AN_COLLECTIVE)
        return false;
    return (peer >= 0 && an_wild_argument(program, mpi, peer, AN_ANY_SOURCE) != AN_NEVER) ||
           (tag >= 0 && an_wild_argument(program, mpi, tag, AN_ANY_TAG) != AN_NEVER);
}

static struct an_effects effects_of_start(const struct an_program *program)
{
    bool unseen = program->starts_unseen;

    return (struct an_effects){
        .sends = program->starts_send || unseen || !program->whole,
        .receives = program->starts_receive || unseen || !program->whole,
        .takes = program->starts_receive || !program->whole,
        .anonymous = program->starts_anonymous || unseen,
        .collective = program->starts_collective || unseen,
    };
}

static struct an_effects effects_of_mpi(const struct an_program *program, const struct an_mpi *mpi)
{
    enum an_role role = mpi->what->role;
    struct an_effects effects = {.hidden = mpi->provisional};

    effects.persists = mpi->what->flags & AN_PERSISTENT;
    if (effects.persists)
        return effects;
    if (role == AN_START)
        return effects_of_start(program);
    effects.sends = role == AN_SEND || role == AN_EXCHANGE || role == AN_ONE_SIDED;
    effects.receives = role == AN_RECEIVE || role == AN_EXCHANGE || role == AN_ONE_SIDED;
    effects.takes = effects.receives;
    effects.collective = role == AN_COLLECTIVE;
    effects.polls = role == AN_POLL || role == AN_TEST ||
                    (role == AN_CHOICE && strncmp(mpi->what->name, "Test", 4) == 0);
    effects.clock = role == AN_CLOCK;
    effects.anonymous = is_wild(program, mpi);
    return effects;
}

/* The call as one of MPI, also inside of a forwarder. */
static bool is_mpi(const struct an_program *program, const struct an_bond *bond, struct an_mpi *mpi)
{
    if (bond->mpi) {
        *mpi = (struct an_mpi){bond->mpi, bond->node, bond->node, false};
        return true;
    }
    return an_call_is_mpi(program, bond->node, mpi);
}

/* The effects of the call itself, without those of its targets. */
static struct an_effects effects_find(const struct an_program *program, const struct an_bond *bond)
{
    struct an_effects effects = {.hidden = !bond->complete};
    struct an_mpi mpi;

    if (is_mpi(program, bond, &mpi)) {
        struct an_effects more = effects_of_mpi(program, &mpi);
        unite(&effects, &more);
    } else if (bond->quiet) {
        effects.clock = is_clock(bond->node->name);
    } else if (bond->node->name && strncmp(bond->node->name, "MPIX_", 5) == 0) {
        effects.hidden = true;
    }
    return effects;
}

static struct an_effects effects_of_call(const struct an_program *program, struct an_bond *bond)
{
    if (!bond->affected) {
        bond->own = effects_find(program, bond);
        bond->affected = true;
    }
    return bond->own;
}

static void unite_targets(const struct an_program *program, const struct an_bond *bond,
                          struct an_effects *effects)
{
    if (an_bond_forward(bond) && !bond->from->forward)
        return;
    for (unsigned i = 0; i < bond->count; i++)
        unite(effects, &an_program_function(program, bond->targets[i])->effects);
}

static bool call_synchronises(const struct an_program *program, const struct an_bond *bond)
{
    if (bond->mpi) {
        const struct an_node *comm =
            bond->mpi->comm < 0 ? NULL : an_argument(bond->node, (unsigned)bond->mpi->comm);
        comm = comm ? an_plain(comm) : NULL;
        return (bond->mpi->flags & AN_SYNCHRONISES) &&
               !(comm && comm->constant && comm->value == COMM_SELF);
    }
    if (!bond->complete || !bond->count || bond->quiet)
        return false;
    for (unsigned i = 0; i < bond->count; i++)
        if (!an_program_function(program, bond->targets[i])->effects.synchronises)
            return false;
    return true;
}

static unsigned sync_step(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    const struct an_program *program = paths->context;

    if (node->kind != AN_CALL || state == SYNCHRONISED)
        return state;
    const struct an_bond *bond = an_program_bond(program, node);
    return bond && call_synchronises(program, bond) ? SYNCHRONISED : state;
}

static bool node_synchronises(const struct an_program *program, const struct an_node *node)
{
    struct an_paths paths = {.step = sync_step, .context = (void *)program};
    unsigned end = an_paths_walk(&paths, node, NOT_YET);

    return (end | paths.leaves) == SYNCHRONISED;
}

static bool may_synchronise(const struct an_program *program, const struct an_function *function)
{
    for (unsigned i = 0; i < function->bonds_count && !function->jumps; i++)
        if (call_synchronises(program, &function->bonds[i]))
            return true;
    return false;
}

static bool update(const struct an_program *program, struct an_function *function)
{
    struct an_effects before = function->effects;

    for (unsigned i = 0; i < function->bonds_count; i++)
        unite_targets(program, &function->bonds[i], &function->effects);
    if (!before.synchronises && may_synchronise(program, function))
        function->effects.synchronises = node_synchronises(program, function->node);
    return memcmp(&before, &function->effects, sizeof before) != 0;
}

static void note_persistent(struct an_program *program, const struct an_bond *bond)
{
    struct an_mpi mpi;

    /* A pointer that holds nothing of what is here holds MPI_Send_init, perhaps. */
    program->starts_unseen |= !bond->complete || (bond->indirect && !bond->count);
    if (!is_mpi(program, bond, &mpi) || !(mpi.what->flags & AN_PERSISTENT))
        return;
    program->starts_send |= mpi.what->role == AN_SEND;
    program->starts_receive |= mpi.what->role == AN_RECEIVE;
    program->starts_collective |= mpi.what->role == AN_COLLECTIVE;
    program->starts_anonymous |= is_wild(program, &mpi);
}

static bool may_hold_pointer(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_RECORD);
}

/* Does the function assign a pointer, or a record, that is not a variable of its own? */
static bool repoints(const struct an_node *function)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *place = n->kind == AN_ASSIGN ? an_plain(n->child) : NULL;
        bool own = place && place->kind == AN_REFERENCE &&
                   (place->storage == AN_LOCAL_VARIABLE || place->storage == AN_PARAMETER_VARIABLE);
        if (place && !own && may_hold_pointer(n->child->type))
            return true;
    }
    return false;
}

void an_program_affect(struct an_program *program)
{
    bool changed = true;

    for (unsigned i = 0; i < program->bonds_count; i++)
        note_persistent(program, &program->bonds[i]);
    for (unsigned i = 0; i < program->bonds_count; i++) {
        struct an_effects more = effects_of_call(program, &program->bonds[i]);
        unite(&program->bonds[i].from->effects, &more);
    }
    for (unsigned i = 0; i < program->functions.count; i++) {
        struct an_function *function = program->functions.items[i];
        function->effects.repoints = repoints(function->node);
    }
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < program->functions.count; i++)
            changed |= update(program, program->functions.items[i]);
    }
}

const struct an_effects *an_function_effects(const struct an_program *program,
                                             const struct an_node *function)
{
    static const struct an_effects unknown = {.hidden = true};
    const struct an_function *known = an_program_function(program, function);
    return known ? &known->effects : &unknown;
}

struct an_effects an_node_effects(const struct an_program *program, const struct an_node *node)
{
    struct an_effects effects = {0};

    for (const struct an_node *n = node; n; n = an_next(node, n, false)) {
        struct an_bond *bond = n->kind == AN_CALL ? an_program_bond(program, n) : NULL;
        if (n->kind == AN_CALL && !bond)
            effects.hidden = true;
        if (!bond)
            continue;
        struct an_effects more = effects_of_call(program, bond);
        unite(&effects, &more);
        unite_targets(program, bond, &effects);
    }
    effects.synchronises = effects.collective && node_synchronises(program, node);
    return effects;
}
