/* Idea: what describes a request and what starts it are brought together by the variable or the
 * field of a record that holds the request. */
#include "analysis/region/start.h"

#include <string.h>

const char *an_request_name(const struct an_program *program, const struct an_mpi *mpi)
{
    if (mpi->what->request < 0)
        return NULL;
    const struct an_node *node =
        an_plain(an_mpi_argument(program, mpi, (unsigned)mpi->what->request));
    while (node && (node->kind == AN_INDEX || node->kind == AN_BINARY ||
                    (node->kind == AN_UNARY && node->op == AN_OP_ADDRESS)))
        node = an_plain(node->child);
    if (!node || node->storage == AN_PARAMETER_VARIABLE)
        return NULL;
    return node->kind == AN_REFERENCE || node->kind == AN_MEMBER ? node->symbol : NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool an_starts(const struct an_program *program, const struct an_node *call, const char *name)
{
    struct an_mpi mpi;
    return call->kind == AN_CALL && an_call_is_mpi(program, call, &mpi) &&
           mpi.what->role == AN_START && is_same(an_request_name(program, &mpi), name);
}

static bool is_matching_send(struct an_judgement *judgement, const struct an_mpi *mpi,
                             const struct an_message *receive)
{
    const struct an_program *program = judgement->program;
    if (mpi->what->role != AN_SEND || !(mpi->what->flags & AN_PERSISTENT) || mpi->what->comm < 0 ||
        mpi->what->send.tag < 0)
        return false;
    const struct an_node *comm = an_mpi_argument(program, mpi, (unsigned)mpi->what->comm);
    const struct an_node *tag = an_mpi_argument(program, mpi, (unsigned)mpi->what->send.tag);
    struct an_message send = {.sends = true};
    send.comm = an_term_of(judgement, comm, NULL);
    send.tag = an_term_of(judgement, tag, NULL);
    return an_message_match(&send, receive) != AN_NO_MATCH;
}

bool an_starts_match(struct an_judgement *judgement, const struct an_node *call,
                     const struct an_message *receive)
{
    struct an_mpi start, mpi;
    if (call->kind != AN_CALL || !an_call_is_mpi(judgement->program, call, &start) ||
        start.what->role != AN_START)
        return false;
    const char *name = an_request_name(judgement->program, &start);
    const struct an_unit *unit = an_program_unit_of(judgement->program, call);
    for (const struct an_node *f = name ? unit->functions : NULL; f; f = f->next)
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            if (n->kind == AN_CALL && an_call_is_mpi(judgement->program, n, &mpi) &&
                is_matching_send(judgement, &mpi, receive) &&
                is_same(an_request_name(judgement->program, &mpi), name))
                return true;
    return false;
}
