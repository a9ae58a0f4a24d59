/* Idea: whether a completion is of sends is read from the calls that post to the same variable or
 * field: all of them must be sends. */
#include "analysis/judge/flow.h"

#include <string.h>

static const char *root_find(const struct an_node *node)
{
    for (node = node ? an_plain(node) : NULL; node; node = an_plain(node->child)) {
        if (node->kind == AN_REFERENCE || node->kind == AN_MEMBER)
            return node->symbol;
        if (!node->child ||
            (node->kind != AN_UNARY && node->kind != AN_INDEX && node->kind != AN_BINARY))
            return NULL;
    }
    return NULL;
}

bool an_flow_completes_sends(struct an_program *program, const struct an_site *site)
{
    bool sends = false;

    if (site->mpi.what->role != AN_CHOICE && site->mpi.what->role != AN_TEST)
        return false;
    const char *wanted =
        root_find(an_mpi_argument(program, &site->mpi, (unsigned)site->mpi.what->request));
    if (!wanted)
        return false;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false)) {
            struct an_mpi mpi;
            if (n->kind != AN_CALL)
                continue;
            if (!an_call_is_mpi(program, n, &mpi)) {
                for (unsigned i = 0; i < an_arguments(n); i++) {
                    const char *passed = root_find(an_argument(n, i));
                    if (passed && strcmp(passed, wanted) == 0 && !n->system)
                        return false;
                }
                continue;
            }
            if (mpi.what->request < 0 || !(mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT)))
                continue;
            const char *symbol =
                root_find(an_mpi_argument(program, &mpi, (unsigned)mpi.what->request));
            if (!symbol || strcmp(symbol, wanted) != 0)
                continue;
            if (mpi.what->role != AN_SEND)
                return false;
            sends = true;
        }
    return sends;
}
