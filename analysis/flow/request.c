/* Idea: whether a completion is of sends is read from the calls that post to the same variable or
 * field: all of them must be sends. */
#include "analysis/flow/flow.h"

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

static bool is_lasting(const struct an_node *node)
{
    for (node = node ? an_plain(node) : NULL; node;
         node = node->child ? an_plain(node->child) : NULL) {
        if (node->kind == AN_MEMBER)
            return true;
        if (node->kind == AN_REFERENCE)
            return node->storage == AN_GLOBAL || node->storage == AN_STATIC_LOCAL;
    }
    return false;
}

const struct an_node *an_flow_completion_next(struct an_program *program,
                                              const struct an_site *site,
                                              const struct an_node *after)
{
    const struct an_node *request =
        an_mpi_argument(program, &site->mpi, (unsigned)site->mpi.what->request);
    const char *wanted = root_find(request);
    bool passed = !after;

    if (!wanted || !is_lasting(request))
        return NULL;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false)) {
            struct an_mpi mpi;
            if (n->kind != AN_CALL || !an_call_is_mpi(program, n, &mpi))
                continue;
            if (mpi.what->role != AN_TEST && mpi.what->role != AN_CHOICE &&
                mpi.what->role != AN_WAIT)
                continue;
            const char *symbol =
                root_find(an_mpi_argument(program, &mpi, (unsigned)mpi.what->request));
            if (!symbol || strcmp(symbol, wanted) != 0)
                continue;
            if (passed)
                return n;
            passed = n == after;
        }
    return NULL;
}

static const struct an_node *loop_around(const struct an_node *node)
{
    const struct an_node *loop = node->parent;
    while (loop && loop->kind != AN_FOR && loop->kind != AN_WHILE && loop->kind != AN_DO &&
           loop->kind != AN_FUNCTION)
        loop = loop->parent;
    return loop;
}

bool an_flow_is_in_order(struct an_program *program, const struct an_site *site)
{
    const struct an_node *function = an_function_of(site->node), *posts = NULL;
    const char *wanted =
        root_find(an_mpi_argument(program, &site->mpi, (unsigned)site->mpi.what->request));
    const struct an_node *block = site->node;

    while (block->parent && block->parent->kind != AN_BLOCK)
        block = block->parent;
    if (!wanted || loop_around(site->node) != block->parent->parent)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        struct an_mpi mpi;
        if (n->kind != AN_CALL || n == site->node)
            continue;
        bool is_mpi = an_call_is_mpi(program, n, &mpi);
        for (unsigned i = 0; i < an_arguments(n); i++) {
            const char *passed = root_find(an_argument(n, i));
            if (!passed || strcmp(passed, wanted) != 0)
                continue;
            if (!is_mpi || posts || !(mpi.what->flags & AN_NONBLOCKING))
                return false;
            posts = n;
        }
    }
    while (posts && posts->parent && posts->parent->kind != AN_BLOCK)
        posts = posts->parent;
    return posts && posts->parent == block->parent && posts->place.offset < block->place.offset;
}
