/* Idea: the receive, its completions, the loop that repeats a question and the sends that it can
 * match belong together, and the stretch that holds them is the region. It is looked for in the
 * receive's own function first, then in its callers; sends that surely match come before those that
 * may. */
#include "analysis/region/bounds.h"
#include "analysis/region/ask.h"
#include "analysis/region/lone.h"
#include "analysis/region/start.h"
#include "analysis/region/stretch.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

enum { CALLERS_UP = 3 };

/* The description of a send that can match. */
struct look {
    enum an_match least; /* of the tags */
    bool replies;        /* what goes to the source of a message, too */
    bool alone;          /* what the receiving rank sends itself, too */
    bool again;          /* only where a question is repeated */
};

struct locate {
    struct an_judgement *judgement;
    const struct an_site *site;
    struct an_region *found;
    const char *why;
};

/* ---- Completions ---- */

/* The variable that a request lies in, seen through frames. */
static const char *base_symbol(const struct an_node *node, const struct an_frame *frame)
{
    for (;;) {
        node = an_plain(node);
        if (!node)
            return NULL;
        if (node->kind == AN_REFERENCE)
            break;
        node = node->child;
    }
    if (node->storage != AN_PARAMETER_VARIABLE || !frame || !node->symbol)
        return node->symbol;
    int number = an_parameter_number(an_function_of(node), node->symbol);
    return number < 0 ? NULL : base_symbol(an_argument(frame->call, (unsigned)number), frame->up);
}

static const struct an_node *request_of(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    if (mpi->what->request < 0)
        return NULL;
    return an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->request);
}

static bool completes(const struct an_mpi *mpi)
{
    enum an_role role = mpi->what->role;
    return role == AN_WAIT || role == AN_TEST || role == AN_CHOICE;
}

/* Adds what completes the request of a non-blocking receive; false when nothing here does. */
static bool completions_add(const struct locate *locate, struct an_region *region,
                            struct an_together *together)
{
    const struct an_node *request = request_of(locate->judgement, &locate->site->mpi);
    region->end[0] = region->anchor;
    region->ends = 1;
    if (!request)
        return true;
    region->ends = 0;
    const char *symbol = base_symbol(request, region->frame);
    const struct an_node *body = an_body(region->function);
    bool found = false;
    for (const struct an_node *n = symbol ? body : NULL; n; n = an_next(body, n, false)) {
        struct an_mpi mpi;
        if (n->kind != AN_CALL || !an_call_is_mpi(locate->judgement->program, n, &mpi) ||
            !completes(&mpi))
            continue;
        const char *other = base_symbol(request_of(locate->judgement, &mpi), NULL);
        if (!other || strcmp(other, symbol) != 0)
            continue;
        found = true;
        if (region->ends < AN_REGION_ENDS)
            region->end[region->ends++] = n;
        an_together_add(together, n);
        if (an_asks(&mpi))
            an_together_add(together, an_asking_loop(locate->judgement, &mpi));
    }
    if (!found)
        region->end[region->ends++] = region->anchor;
    return found;
}

/* ---- What belongs together ---- */

static enum an_match tag_match(const struct an_message *send, const struct an_message *receive)
{
    return an_comm_match(&send->comm, &receive->comm) == AN_NO_MATCH
               ? AN_NO_MATCH
               : an_tag_match(&send->tag, &receive->tag);
}

/* Adds the sends that match. A rank does not itself receive the sends of the branch `lone`. */
static unsigned sends_add(const struct an_message *messages, const struct an_message *receive,
                          const struct look *look, const struct an_node *lone,
                          struct an_together *together)
{
    unsigned found = 0;
    const struct an_message *message;
    LL_FOREACH (messages, message) {
        if (!message->sends || (message->reply && !look->replies) ||
            tag_match(message, receive) < look->least ||
            (lone && an_is_inside(lone, message->anchor)))
            continue;
        an_together_add(together, message->anchor);
        found++;
    }
    return found;
}

/* ---- The search ---- */

static bool in_function(struct locate *locate, struct an_region *region,
                        const struct an_message *messages, const struct an_message *receive,
                        const struct look *look)
{
    struct an_together together = {.count = 0};
    const struct an_node *lone =
        look->alone ? NULL : an_lone_branch(locate->judgement, region->anchor);
    if (!sends_add(messages, receive, look, lone, &together))
        return false;
    an_together_add(&together, region->anchor);
    const struct an_node *loop;
    bool again = an_is_asked_again(locate->judgement, locate->site, region->frame, &loop);
    if (!again && look->again)
        return false;
    region->asked_once = !again;
    an_together_add(&together, loop);
    if (!again)
        region->doubt = "the loop that asks again is in another file, or there is none";
    if (!completions_add(locate, region, &together))
        region->doubt = "its request is completed where it cannot be followed";
    if (!an_stretch_find(region, &together))
        return false;
    an_stretch_close(region, messages);
    an_stretch_widen(locate->judgement, region);
    return true;
}

static void region_add(struct locate *locate, const struct an_region *region)
{
    struct an_region *copy = an_judgement_alloc(locate->judgement, sizeof *copy);
    *copy = *region;
    copy->next = NULL;
    LL_APPEND(locate->found, copy);
}

static struct an_region region_of(const struct locate *locate, const struct an_node *function,
                                  const struct an_message *receive)
{
    return (struct an_region){.site = locate->site,
                              .function = function,
                              .frame = receive->frame,
                              .anchor = receive->anchor,
                              .comm = receive->comm,
                              .tag = receive->tag};
}

static bool is_site(const struct locate *locate, const struct an_message *message)
{
    return !message->sends && message->call == locate->site->node;
}

/* Looks in `function` for each way in which it reaches the site; true when all have a region. */
static bool look_in(struct locate *locate, const struct an_node *function, const struct look *look)
{
    const struct an_message *messages = an_messages_of(locate->judgement, function, NULL), *message;
    bool all = messages != NULL;
    LL_FOREACH (messages, message) {
        if (!is_site(locate, message))
            continue;
        struct an_region region = region_of(locate, function, message);
        bool found = in_function(locate, &region, messages, message, look);
        if (found)
            region_add(locate, &region);
        all &= found;
    }
    return all;
}

/* Looks in the function, then in its callers, up to `levels`. */
static bool look_up(struct locate *locate, const struct an_node *function, unsigned levels,
                    const struct look *look)
{
    bool skip = !look->alone && an_is_lone(locate->judgement, function, CALLERS_UP);
    if (!skip && look_in(locate, function, look))
        return true;
    struct an_callers callers = an_local_callers(locate->judgement, function);
    bool all = callers.count > 0 && levels > 0;
    for (unsigned i = 0; i < callers.count && levels; i++) {
        const struct an_node *caller = an_function_of(callers.calls[i]);
        bool again = caller == function;
        for (unsigned k = 0; k < i && !again; k++)
            again = an_function_of(callers.calls[k]) == caller;
        all &= again || look_up(locate, caller, levels - 1, look);
    }
    return all;
}

/* ---- Persistent receives ---- */

static bool started_parts_add(struct locate *locate, struct an_region *region, const char *name,
                              struct an_together *together)
{
    const struct an_program *program = locate->judgement->program;
    const struct an_node *body = an_body(region->function);
    for (const struct an_node *n = body; n; n = an_next(body, n, false)) {
        struct an_mpi mpi;
        if (an_starts(program, n, name)) {
            region->anchor = region->anchor ? region->anchor : n;
            an_together_add(together, n);
        } else if (n->kind == AN_CALL && an_call_is_mpi(program, n, &mpi) && completes(&mpi)) {
            const char *other = an_request_name(program, &mpi);
            if (!other || strcmp(other, name) != 0)
                continue;
            if (region->ends < AN_REGION_ENDS)
                region->end[region->ends++] = n;
            an_together_add(together, n);
            if (an_asks(&mpi))
                an_together_add(together, an_asking_loop(locate->judgement, &mpi));
        }
    }
    return region->anchor != NULL;
}

/* The sends that are made, or started, where the receive is started. */
static void started_sends_add(struct locate *locate, const struct an_region *region,
                              struct an_together *together)
{
    struct an_judgement *judgement = locate->judgement;
    const struct an_message receive = {.comm = region->comm, .tag = region->tag}, *message;
    const struct an_node *lone = an_lone_branch(judgement, region->anchor);
    const struct an_node *body = an_body(region->function);
    LL_FOREACH (an_messages_of(judgement, region->function, NULL), message) {
        struct an_mpi mpi;
        if (message->sends && an_call_is_mpi(judgement->program, message->call, &mpi) &&
            !(mpi.what->flags & AN_PERSISTENT) && !(lone && an_is_inside(lone, message->anchor)) &&
            an_message_match(message, &receive) != AN_NO_MATCH)
            an_together_add(together, message->anchor);
    }
    for (const struct an_node *n = body; n; n = an_next(body, n, false))
        if (an_starts_match(judgement, n, &receive))
            an_together_add(together, n);
}

/* The region of a persistent receive is where it is started and completed. */
static bool started_in(struct locate *locate, const struct an_node *function, const char *name)
{
    const struct an_mpi *mpi = &locate->site->mpi;
    const struct an_program *program = locate->judgement->program;
    struct an_region region = {.site = locate->site, .function = function};
    struct an_together together = {.count = 0};
    region.comm = an_term_of(locate->judgement,
                             an_mpi_argument(program, mpi, (unsigned)mpi->what->comm), NULL);
    region.tag = an_term_of(locate->judgement,
                            an_mpi_argument(program, mpi, (unsigned)mpi->what->receive.tag), NULL);
    if (!started_parts_add(locate, &region, name, &together))
        return true;
    if (region.ends == 0)
        return false;
    started_sends_add(locate, &region, &together);
    if (!an_stretch_find(&region, &together))
        return false;
    an_stretch_widen(locate->judgement, &region);
    if (!an_is_within(region.first, region.last, locate->site->node))
        region.doubt = "its request is described outside of the region";
    region_add(locate, &region);
    return true;
}

static struct an_region *locate_started(struct locate *locate, const char **why)
{
    const struct an_judgement *judgement = locate->judgement;
    const char *name = an_request_name(judgement->program, &locate->site->mpi);
    const struct an_unit *unit = an_program_unit_of(judgement->program, locate->site->node);
    *why = "its request is started or completed where it cannot be followed";
    for (const struct an_node *f = name ? unit->functions : NULL; f; f = f->next)
        if (!started_in(locate, f, name))
            return NULL;
    return locate->found;
}

struct an_region *an_region_locate(struct an_judgement *judgement, const struct an_site *site,
                                   const char **why)
{
    static const struct look looks[] = {
        {AN_MUST_MATCH, false, false, true}, {AN_MUST_MATCH, false, false, false},
        {AN_MAY_MATCH, false, false, true},  {AN_MAY_MATCH, false, false, false},
        {AN_MUST_MATCH, false, true, true},  {AN_MUST_MATCH, false, true, false},
        {AN_MUST_MATCH, true, true, true},   {AN_MUST_MATCH, true, true, false}};
    struct locate locate = {.judgement = judgement, .site = site};
    if (site->mpi.what->flags & AN_PERSISTENT)
        return locate_started(&locate, why);
    const struct an_node *function = an_function_of(site->node);
    for (unsigned i = 0; function && i < sizeof looks / sizeof *looks; i++) {
        locate.found = NULL;
        bool all = look_up(&locate, function, CALLERS_UP, &looks[i]);
        if (locate.found && !all)
            locate.found->doubt = "on some way into its function nothing sends to it";
        if (locate.found)
            return locate.found;
    }
    *why = "the sends that it can match stand in no function of this file that also receives";
    return NULL;
}
