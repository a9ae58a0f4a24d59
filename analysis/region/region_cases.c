/* Idea: a program is judged as the link step does it, and its patterns are written down. */
#include "analysis/region/region_cases.h"
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <utlist.h>
#include <cmocka.h>

const char region_head[] =
    "static int x, rank, size, table[64]; static MPI_Status s; void use(int); "
    "static int SEND(int to, int tag, MPI_Comm c) { return MPI_Send(&x, 1, MPI_INT, to, tag, c); } "
    "static void RECV(int tag, MPI_Comm c) { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, tag, c, &s); "
    "}\n";
static const char *separation_name(const struct an_pattern *pattern)
{
    static const char *const names[] = {"once", "collective", "termination", "tag"};
    return names[pattern->separation];
}

static void describe_pattern(FILE *out, const struct an_pattern *pattern)
{
    fprintf(out, "%s %u-%u %s", pattern->function->name, pattern->first->place.line,
            pattern->last->end.line, pattern->comm ? pattern->comm : "?");
    const struct an_exit *exit;
    LL_FOREACH (pattern->exits, exit)
        fprintf(out, "%s%u", exit == pattern->exits ? " exits: " : " ", exit->node->place.line);
    if (pattern->trusted)
        fprintf(out, " trusted %s", separation_name(pattern));
    else
        fprintf(out, " %s: %s", pattern->annotated ? "not" : "bare", pattern->reason);
}

char *region_describe(bool whole, const char *const *texts)
{
    struct an_program *program = snippets_join(whole, texts);
    struct an_judgement *judgement = an_judge(program);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const struct an_pattern *pattern;
    LL_FOREACH (judgement->patterns, pattern) {
        fputs(pattern == judgement->patterns ? "" : " | ", out);
        describe_pattern(out, pattern);
    }
    const struct an_finding *finding;
    LL_FOREACH (judgement->findings, finding)
        if (strcmp(finding->rule, "capture") == 0)
            fputs("; capture", out);
    fclose(out);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
    return text;
}

void region_check(const struct region_case *c, bool whole)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s", region_head, c->text);
    char *found = region_describe(whole, (const char *const[]){text, NULL});
    if (strcmp(found, c->expected) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", c->text, c->expected, found);
    free(found);
}

void region_check_all(const struct region_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        region_check(&cases[i], true);
}
