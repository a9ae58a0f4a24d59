/* Idea: a pattern is inserted whole or not at all: each place is looked at before the first edit.
 *
 * A jump that leaves the region gets its END before it; with braces, unless it stands in a block
 * and begins its line. A jump that leaves several patterns ends the inner one first. */
#include "rewriters/pattern.h"
#include "rewriters/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { NESTED = 16 };

/* Labels of a switch stay before what is inserted; a goto's label comes behind it. */
static const struct an_node *beginning(const struct an_pattern *pattern)
{
    const struct an_node *first = pattern->first;
    while (first->kind == AN_CASE || first->kind == AN_DEFAULT)
        first = first->child;
    return first;
}

static bool can_end(const struct rw_target *target, const struct an_node *node)
{
    size_t end;
    return rw_target_holds(target, node) &&
           rw_statement_end(target->text, target->length, node->end.offset, &end);
}

static bool is_insertable(const struct rw_target *target, const struct an_pattern *pattern)
{
    if (!pattern->annotated || !pattern->comm || !rw_target_holds(target, pattern->function) ||
        !rw_target_holds(target, beginning(pattern)) || !can_end(target, pattern->last))
        return false;
    const struct an_exit *exit;
    LL_FOREACH (pattern->exits, exit)
        if (!can_end(target, exit->node))
            return false;
    return true;
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return *name != '\0';
}

/* The name in C; the identity makes it unique. The caller frees it. */
static char *name_of(const struct an_pattern *pattern)
{
    char *name = NULL;
    bool given = pattern->name && is_identifier(pattern->name) && strlen(pattern->name) < 64;
    if (asprintf(&name, "ftcc_%s%s%08x", given ? pattern->name : "", given ? "_" : "",
                 pattern->id) < 0)
        exit(1);
    return name;
}

static char *end_code(const struct an_pattern *pattern)
{
    char *name = name_of(pattern), *code = NULL;
    if (asprintf(&code, "FT_END_ITERATION(%s);", name) < 0)
        exit(1);
    free(name);
    return code;
}

/* ---- In order of depth ---- */

static bool is_around(const struct an_pattern *outer, const struct an_pattern *inner)
{
    return outer->function == inner->function &&
           outer->first->place.offset <= inner->first->place.offset &&
           outer->last->end.offset >= inner->last->end.offset;
}

static unsigned depth_of(const struct rw_target *target, const struct an_pattern *pattern)
{
    unsigned depth = 0;
    const struct an_pattern *other;
    LL_FOREACH (target->judgement->patterns, other)
        depth += other != pattern && is_around(other, pattern);
    return depth < NESTED ? depth : NESTED;
}

typedef void each_pattern(const struct rw_target *target, const struct an_pattern *pattern);

static void at_depth(const struct rw_target *target, unsigned depth, each_pattern *each)
{
    const struct an_pattern *pattern;
    LL_FOREACH (target->judgement->patterns, pattern)
        if (is_insertable(target, pattern) && depth_of(target, pattern) == depth)
            each(target, pattern);
}

/* ---- The parts ---- */

static void pattern_end(const struct rw_target *target, const struct an_pattern *pattern)
{
    size_t end, line;
    if (!pattern->falls_through ||
        !rw_statement_end(target->text, target->length, pattern->last->end.offset, &end))
        return;
    char *code = end_code(pattern);
    if (rw_line_behind(target->text, target->length, end, &line)) {
        char *blanks = rw_indentation(target->text, beginning(pattern)->place.offset);
        rw_target_line(target, line, blanks, code, pattern->id, "the round ends");
        free(blanks);
    } else {
        rw_edits_insert(target->edits, end, " ");
        rw_edits_insert(target->edits, end, code);
    }
    free(code);
}

static const char *words_of(const struct an_pattern *pattern)
{
    static const char *const words[] = {
        [AN_BY_NOTHING] = "runs once",
        [AN_BY_COLLECTIVE] = "rounds are separated by a collective",
        [AN_BY_TERMINATION] = "rounds are separated by their end",
        [AN_BY_TAG] = "each round has its own tag",
    };
    return pattern->trusted ? words[pattern->separation] : "not trusted; the report says why";
}

static void pattern_begin(const struct rw_target *target, const struct an_pattern *pattern)
{
    size_t offset = beginning(pattern)->place.offset, line;
    char *name = name_of(pattern), *code = NULL;
    if (asprintf(&code, "FT_BEGIN_ITERATION(%s, %s);", name, pattern->comm) < 0)
        exit(1);
    if (rw_line_before(target->text, offset, &line)) {
        char *blanks = rw_indentation(target->text, offset);
        rw_target_line(target, line, blanks, code, pattern->id, words_of(pattern));
        free(blanks);
    } else {
        char *comment = rw_target_comment(pattern->id, "", 0);
        rw_edits_insert(target->edits, offset, code);
        rw_edits_insert(target->edits, offset, " ");
        rw_edits_insert(target->edits, offset, comment);
        rw_edits_insert(target->edits, offset, " ");
        free(comment);
    }
    free(code);
    free(name);
}

void rw_patterns_end(const struct rw_target *target)
{
    for (unsigned depth = NESTED + 1; depth-- > 0;)
        at_depth(target, depth, pattern_end);
}

void rw_patterns_begin(const struct rw_target *target)
{
    for (unsigned depth = 0; depth <= NESTED; depth++)
        at_depth(target, depth, pattern_begin);
}

/* ---- Jumps ---- */

static bool leaves(const struct an_pattern *pattern, const struct an_node *jump)
{
    const struct an_exit *exit;
    LL_FOREACH (pattern->exits, exit)
        if (exit->node == jump)
            return true;
    return false;
}

/* The ENDs that come before the jump, inner patterns first. The caller frees them. */
static char *ends_of(const struct rw_target *target, const struct an_node *jump)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (unsigned depth = NESTED + 1; depth-- > 0;) {
        const struct an_pattern *pattern;
        LL_FOREACH (target->judgement->patterns, pattern) {
            if (!is_insertable(target, pattern) || depth_of(target, pattern) != depth ||
                !leaves(pattern, jump))
                continue;
            char *code = end_code(pattern);
            fprintf(out, "%s%s", ftell(out) ? " " : "", code);
            free(code);
        }
    }
    fclose(out);
    return text;
}

static void jump_leave(const struct rw_target *target, const struct an_pattern *pattern,
                       const struct an_node *jump)
{
    size_t line, end;
    char *ends = ends_of(target, jump);
    if (jump->parent->kind == AN_BLOCK && rw_line_before(target->text, jump->place.offset, &line)) {
        char *blanks = rw_indentation(target->text, jump->place.offset);
        rw_target_line(target, line, blanks, ends, pattern->id, "the round ends");
        free(blanks);
    } else if (rw_statement_end(target->text, target->length, jump->end.offset, &end)) {
        rw_edits_insert(target->edits, jump->place.offset, "{ ");
        rw_edits_insert(target->edits, jump->place.offset, ends);
        rw_edits_insert(target->edits, jump->place.offset, " ");
        rw_edits_insert(target->edits, end, " }");
    }
    free(ends);
}

/* Whether an earlier pattern of the list has done it. */
static bool is_done(const struct rw_target *target, const struct an_pattern *pattern,
                    const struct an_node *jump)
{
    for (const struct an_pattern *p = target->judgement->patterns; p != pattern; p = p->next)
        if (is_insertable(target, p) && leaves(p, jump))
            return true;
    return false;
}

void rw_patterns_leave(const struct rw_target *target)
{
    const struct an_pattern *pattern;
    LL_FOREACH (target->judgement->patterns, pattern) {
        const struct an_exit *exit;
        if (!is_insertable(target, pattern))
            continue;
        LL_FOREACH (pattern->exits, exit)
            if (!is_done(target, pattern, exit->node))
                jump_leave(target, pattern, exit->node);
    }
}

/* ---- Declarations ---- */

static void pattern_declare(const struct rw_target *target, const struct an_pattern *pattern,
                            size_t line)
{
    char *name = name_of(pattern), *code = NULL;
    if (asprintf(&code, "FT_DECLARE_PATTERN(%s, 0x%08x);", name, pattern->id) < 0)
        exit(1);
    size_t offset = pattern->function->place.offset;
    if (rw_target_is_main(target) || rw_line_before(target->text, offset, &line)) {
        rw_target_line(target, line, "", code, pattern->id, pattern->function->name);
    } else {
        rw_edits_insert(target->edits, offset, code);
        rw_edits_insert(target->edits, offset, " ");
    }
    free(code);
    free(name);
}

unsigned rw_patterns_declare(const struct rw_target *target, size_t line)
{
    unsigned count = 0;
    const struct an_pattern *pattern;
    LL_FOREACH (target->judgement->patterns, pattern) {
        if (!is_insertable(target, pattern))
            continue;
        pattern_declare(target, pattern, line);
        count++;
    }
    return count;
}
