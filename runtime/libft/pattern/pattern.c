/* BEGIN counts and pushes, END pops. A program whose BEGINs and ENDs do not pair has a path out of
 * a region that misses its END: everything behind it would be matched wrongly, so it stops. */
#include "pattern/pattern.h"

#include "determinant/trail.h"
#include "ft.h"
#include "handle/handle.h"

#define FIRST_ROOM 16u

static int comm_lives(struct ft_rank *self, uint64_t id)
{
    for (const struct ft_comm *comm = ft_comm_first(self); comm; comm = comm->next)
        if (comm->id == id)
            return 1;
    return id == 0;
}

/* Nobody can begin an iteration on a communicator that is gone: its counts are not needed. */
static void forget_gone(struct ft_rank *self, struct ft_patterns *patterns)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < patterns->counts; i++)
        if (comm_lives(self, patterns->count[i].comm))
            patterns->count[kept++] = patterns->count[i];
    patterns->counts = kept;
}

static void make_room(struct ft_rank *self, struct ft_patterns *patterns)
{
    if (patterns->counts < patterns->room)
        return;
    forget_gone(self, patterns);
    if (patterns->room && patterns->counts <= patterns->room / 2)
        return;
    patterns->room = patterns->room ? 2 * patterns->room : FIRST_ROOM;
    patterns->count = ft_image_realloc(patterns->count, patterns->room * sizeof *patterns->count);
}

/* The entry of (pattern, communicator); a new one counts from 0. */
static struct ft_pattern_count *count_of(struct ft_rank *self, uint32_t pattern, uint64_t comm)
{
    struct ft_patterns *patterns = self->patterns;

    for (uint32_t i = 0; i < patterns->counts; i++) {
        uint32_t at = (patterns->last + i) % patterns->counts;

        if (patterns->count[at].pattern == pattern && patterns->count[at].comm == comm) {
            patterns->last = at;
            return &patterns->count[at];
        }
    }
    make_room(self, patterns);
    patterns->last = patterns->counts++;
    patterns->count[patterns->last] = (struct ft_pattern_count){.comm = comm, .pattern = pattern};
    return &patterns->count[patterns->last];
}

static void patterns_start(struct ft_rank *self)
{
    self->patterns = ft_image_alloc(sizeof *self->patterns);
    self->patterns->place = ft_image_alloc((FT_PATTERN_DEPTH + 1) * sizeof *self->patterns->place);
}

/* MPI_COMM_NULL and the like count under identity 0: no message can travel on them. */
static uint64_t identity_of(struct ft_rank *self, unsigned long communicator)
{
    const struct ft_comm *comm = ft_comm_find(self, (MPI_Comm)communicator);

    return comm ? comm->id : 0;
}

FT_EXPORT void ft_iteration_begin(unsigned pattern, unsigned long communicator)
{
    struct ft_rank *self = ft_self;
    struct ft_patterns *patterns;

    if (!self || self->mpi_state != 1)
        return;
    ft_depth++;
    if (!self->patterns)
        patterns_start(self);
    patterns = self->patterns;
    if (patterns->depth == FT_PATTERN_DEPTH)
        ft_refuse("FT_BEGIN_ITERATION", __builtin_return_address(0),
                  "64 patterns are open inside one another: a path out of a region misses its "
                  "FT_END_ITERATION");
    patterns->depth++;
    patterns->place[patterns->depth].pattern = pattern;
    patterns->place[patterns->depth].iteration =
        ++count_of(self, pattern, identity_of(self, communicator))->begun;
    if (ft_trust_pattern(pattern) && patterns->trusted++ == 0)
        ft_trail_loosen(self);
    ft_depth--;
}

static const char *end_problem(const struct ft_patterns *patterns, uint32_t pattern)
{
    if (!patterns || patterns->depth == 0)
        return "no pattern is open: its FT_BEGIN_ITERATION was not passed";
    for (uint32_t i = patterns->depth; i > 0; i--)
        if (patterns->place[i].pattern == pattern)
            return i == patterns->depth ? NULL
                                        : "a pattern inside this one is still open: a path out of "
                                          "it misses its FT_END_ITERATION";
    return "this pattern is not open: its FT_BEGIN_ITERATION was not passed";
}

FT_EXPORT void ft_iteration_end(unsigned pattern)
{
    struct ft_rank *self = ft_self;
    const char *problem;

    if (!self || self->mpi_state != 1)
        return;
    problem = end_problem(self->patterns, pattern);
    if (ft_unlikely(problem != NULL)) {
        ft_depth++;
        ft_refuse("FT_END_ITERATION", __builtin_return_address(0), problem);
    }
    self->patterns->depth--;
    if (ft_trust_pattern(pattern) && --self->patterns->trusted == 0)
        ft_trail_tighten(self);
}
