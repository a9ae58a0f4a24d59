/* Idea: a mark speaks of the next call of MPI, so nothing that communicates may come in between.
 * Where the call is all that a statement of a block does, the mark is a statement before it, also
 * when a macro makes the call or gives it its name; elsewhere a comma expression takes the call's
 * place, and is evaluated as often as it. */
#include "rewriters/site.h"
#include "rewriters/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* The words for what is open, and the class: "any source; unknown: ...". */
static char *words_of(const struct an_site *site, bool reason)
{
    static const char *const names[] = {"any source", "any tag", "index", "flag"};
    char *words = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&words, &length);
    const char *before = "";
    for (unsigned i = 0; i < 4; i++)
        if (site->wildcard & 1u << i) {
            fprintf(out, "%s%s%s", before, site->maybe & 1u << i ? "maybe " : "", names[i]);
            before = ", ";
        }
    fprintf(out, "%s%s", *before ? "; " : "", an_verdict_name(site->verdict));
    if (reason && site->reason)
        fprintf(out, ": %s", site->reason);
    fclose(out);
    return words;
}

/* May an argument communicate, so that the mark would be taken for it? */
static bool arguments_communicate(const struct rw_target *target, const struct an_node *call)
{
    for (const struct an_node *child = call->child; child; child = child->next) {
        struct an_effects effects = an_node_effects(target->judgement->program, child);
        if (effects.sends || effects.receives || effects.collective || effects.polls ||
            (effects.hidden && child != call->child))
            return true;
    }
    return false;
}

/* The statement of a block that does nothing but make the call, perhaps for a variable. */
static const struct an_node *statement_of(const struct an_node *call)
{
    const struct an_node *node = call;
    for (; node->parent; node = node->parent) {
        const struct an_node *parent = node->parent;
        bool assigned = parent->kind == AN_ASSIGN && node == an_child(parent, 1) &&
                        an_plain(parent->child)->kind == AN_REFERENCE;
        if (parent->kind == AN_BLOCK)
            return parent->parent && parent->parent->kind == AN_STATEMENTS ? NULL : node;
        if (parent->kind != AN_CAST && !assigned)
            return NULL;
    }
    return NULL;
}

static bool line_mark(const struct rw_target *target, const struct an_site *site)
{
    const struct an_node *statement = statement_of(site->node);
    size_t line;
    if (!statement || !statement->editable || !rw_target_holds(target, statement) ||
        !rw_line_before(target->text, statement->place.offset, &line))
        return false;
    char code[32], *words = words_of(site, true);
    char *blanks = rw_indentation(target->text, statement->place.offset);
    snprintf(code, sizeof code, "FT_SITE(0x%08x);", site->id);
    rw_target_line(target, line, blanks, code, site->id, words);
    free(blanks);
    free(words);
    return true;
}

static void expression_mark(const struct rw_target *target, const struct an_site *site)
{
    char *words = words_of(site, false), *code = NULL;
    char *comment = rw_target_comment(site->id, words, 64);
    if (asprintf(&code, "(FT_SITE(0x%08x) %s, ", site->id, comment) < 0)
        exit(1);
    rw_edits_insert(target->edits, site->node->place.offset, code);
    rw_edits_insert(target->edits, site->node->end.offset, ")");
    free(code);
    free(comment);
    free(words);
}

static bool site_insert(const struct rw_target *target, const struct an_site *site)
{
    const struct an_node *call = site->node;
    if (!rw_target_holds(target, call) || arguments_communicate(target, call))
        return false;
    if (line_mark(target, site))
        return true;
    if (!call->editable || call->by_macro)
        return false;
    expression_mark(target, site);
    return true;
}

unsigned rw_sites_insert(const struct rw_target *target)
{
    unsigned marks = 0;
    const struct an_site *site;
    LL_FOREACH (target->judgement->sites, site)
        marks += site_insert(target, site);
    return marks;
}
