/* Rule 1: which calls have an outcome that may depend on time. A receive or probe of a wildcard
 * does, and so does every question whether something has arrived or is complete, and every choice
 * among several requests. A named request that is waited for does not. */
#include "analysis/judgement/judgement.h"
#include "analysis/program/wild.h"

#include <utlist.h>

/* The part that is open by the nature of the call: the flag of a test, the index of a choice. */
static unsigned open_by_nature(const struct an_call *what)
{
    switch (what->role) {
    case AN_POLL:
    case AN_TEST:
        return AN_WILD_FLAG;
    case AN_CHOICE:
        return what->flag >= 0 || what->name[0] == 'T' ? AN_WILD_INDEX | AN_WILD_FLAG
                                                       : AN_WILD_INDEX;
    default:
        return 0;
    }
}

static void open_by_argument(const struct an_program *program, struct an_site *site, int number,
                             int64_t wildcard, unsigned bit)
{
    enum an_wildness wildness = an_wild_argument(program, &site->mpi, number, wildcard);

    if (wildness == AN_NEVER)
        return;
    site->wildcard |= bit;
    if (wildness == AN_MAYBE)
        site->maybe |= bit;
}

static bool names_source(const struct an_call *what)
{
    return what->role == AN_RECEIVE || what->role == AN_EXCHANGE || what->role == AN_PROBE ||
           what->role == AN_POLL;
}

static void site_add(struct an_judgement *judgement, const struct an_mpi *mpi)
{
    struct an_site site = {.node = mpi->call, .mpi = *mpi};
    const struct an_call *what = mpi->what;

    site.wildcard = open_by_nature(what);
    if (names_source(what) && what->receive.peer >= 0)
        open_by_argument(judgement->program, &site, what->receive.peer, AN_ANY_SOURCE,
                         AN_WILD_SOURCE);
    if (names_source(what) && what->receive.tag >= 0)
        open_by_argument(judgement->program, &site, what->receive.tag, AN_ANY_TAG, AN_WILD_TAG);
    if (!site.wildcard && what->role != AN_PROBE)
        return;
    struct an_site *kept = an_judgement_alloc(judgement, sizeof *kept);
    *kept = site;
    kept->id = an_program_identity(judgement->program, site.node);
    kept->verdict = kept->judged = AN_UNKNOWN;
    LL_APPEND(judgement->sites, kept);
    *an_judgement_kept(judgement, site.node) = kept;
}

const struct an_site *an_site_at(struct an_judgement *judgement, const struct an_node *call)
{
    return *an_judgement_kept(judgement, call);
}

void an_sites_find(struct an_judgement *judgement)
{
    struct an_program *program = judgement->program;
    struct an_mpi mpi;

    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            if (n->kind == AN_CALL && an_call_is_mpi(program, n, &mpi))
                site_add(judgement, &mpi);
}
