/* The report for people. A difference shows what was compared: up to five items of both runs around
 * the first that differs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "verify/findings.h"

enum { SHOWN_MAX = 20 }; /* findings of one judgement that are shown */

void ft_place_name(struct ft_verify *verify, uint64_t place, uint64_t address, char *text,
                   size_t size)
{
    const struct ft_sites *sites = verify->options.sites;
    const struct ft_site_entry *entry =
        place & FT_SEQUENCE_UNMARKED ? NULL : ft_sites_find(sites, (uint32_t)place);

    if (entry)
        snprintf(text, size, "%s:%u", ft_sites_text(sites, entry->file), entry->line);
    else if (address || place & FT_SEQUENCE_UNMARKED)
        verify->options.locate(verify->options.program,
                               address ? address : place & ~FT_SEQUENCE_UNMARKED, text, size);
    else
        snprintf(text, size, "site %08x", (unsigned)place);
}

/* "nbx.c:45 MPI_Iprobe" of a record. */
static void print_call(struct ft_verify *verify, const struct ft_trace_record *record, FILE *out)
{
    char name[512];

    ft_place_name(verify, ft_sequence_place(&verify->sequences, record), record->address, name,
                  sizeof name);
    fprintf(out, "%s %s", name, ft_verify_call(record->call));
}

static const char *comm_name(uint64_t comm, char *text, size_t size)
{
    if (comm == 1)
        return "MPI_COMM_WORLD";
    if (comm == 2)
        return "MPI_COMM_SELF";
    snprintf(text, size, "communicator %016" PRIx64, comm);
    return text;
}

static void print_item(const struct ft_difference *difference, const struct ft_item *item,
                       FILE *out)
{
    const struct ft_trace_record *record = &item->record;

    if (!item->there)
        fputs(" -", out);
    else if (difference->key.kind == FT_SEQUENCE_COLLECTIVES)
        fprintf(out, " %s(root %d, %" PRIu64 " bytes)", ft_verify_call(record->call), record->peer,
                record->size);
    else if (difference->key.kind == FT_SEQUENCE_ORDER)
        fprintf(out, " to %d(tag %d, %" PRIu64 " bytes)", record->peer, record->tag, record->size);
    else if (difference->content)
        fprintf(out, " (tag %d, %" PRIu64 " bytes, content %08x)", record->tag, record->size,
                item->content);
    else
        fprintf(out, " (tag %d, %" PRIu64 " bytes)", record->tag, record->size);
}

static void print_sequence(const struct ft_difference *difference, int run, int side, FILE *out)
{
    fprintf(out, "    run %d:", side ? run : 0);
    for (int i = 0; i < FT_DIFFERENCE_CONTEXT; i++) {
        if (difference->first + (uint64_t)i > difference->index + FT_DIFFERENCE_CONTEXT)
            continue; /* before the first item */
        if (i == FT_DIFFERENCE_CONTEXT / 2)
            fputs("  >", out);
        print_item(difference, &difference->shown[side][i], out);
        if (i == FT_DIFFERENCE_CONTEXT / 2)
            fputs(" <", out);
    }
    fputc('\n', out);
}

static void print_head(const struct ft_difference *difference, FILE *out)
{
    char text[64];
    const char *comm = comm_name(difference->key.comm, text, sizeof text);

    switch (difference->key.kind) {
    case FT_SEQUENCE_CHANNEL:
        fprintf(out, "messages from rank %d to rank %d, tag %d, %s", difference->rank,
                difference->key.peer, difference->key.tag, comm);
        break;
    case FT_SEQUENCE_COLLECTIVES:
        fprintf(out, "collectives of rank %d on %s", difference->rank, comm);
        break;
    default:
        fprintf(out, "the order of the sends of rank %d", difference->rank);
    }
}

static void print_cause(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    const struct ft_place *place = finding->blamed ? ft_place_of(verify, finding->blamed) : NULL;
    char name[512];

    if (!place) {
        fputs("    no call with a choice had another outcome before: something else decides what "
              "is sent (a clock, random numbers, an address)\n",
              out);
        return;
    }
    ft_place_name(verify, place->place, place->sample.address, name, sizeof name);
    fprintf(out, "    %s %s, %s, had another outcome before\n", name,
            ft_verify_call(place->sample.call),
            place->entry ? ft_sites_class(place->entry->class) : "without a verdict");
}

static void print_difference(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    const struct ft_difference *difference = &finding->difference;
    int side = difference->at[1].there;

    print_head(difference, out);
    if (difference->index == UINT64_MAX) {
        fprintf(out, ": run %d differs\n", finding->run);
    } else {
        fprintf(out, ": run %d differs from number %" PRIu64 " on (%s", finding->run,
                difference->index + 1, difference->content ? "only in content, sent at " : "");
        if (!difference->content)
            fputs("called at ", out);
        print_call(verify, &difference->at[side].record, out);
        fputs(")\n", out);
        print_sequence(difference, finding->run, 0, out);
        print_sequence(difference, finding->run, 1, out);
    }
    if (!difference->content)
        print_cause(verify, finding, out);
}

static void print_place(const struct ft_trace_record *record, FILE *out)
{
    if (record->pattern)
        fprintf(out, "pattern %08x, iteration %u", record->pattern, record->iteration);
    else
        fputs("no pattern", out);
}

static void print_match(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    const struct ft_match *match = &finding->match;

    fprintf(out, "rank %d took a message of another iteration from rank %d (tag %d), in run %d",
            match->destination, match->source, match->request.tag, finding->run);
    if (finding->times > 1)
        fprintf(out, " and %d more times", finding->times - 1);
    fputs("\n    asked for at ", out);
    print_call(verify, &match->request, out);
    fputs(": ", out);
    print_place(&match->request, out);
    fputs("\n    sent at ", out);
    print_call(verify, &match->message, out);
    fputs(": ", out);
    print_place(&match->message, out);
    fputc('\n', out);
}

void ft_finding_print(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    if (finding->is_match)
        print_match(verify, finding, out);
    else
        print_difference(verify, finding, out);
}

static void print_findings(struct ft_verify *verify, enum ft_judgement judgement, const char *title,
                           FILE *out)
{
    const struct ft_finding *finding;
    int shown = 0, hidden = 0;

    LL_FOREACH (verify->findings, finding) {
        if (finding->judgement != judgement)
            continue;
        if (shown == SHOWN_MAX) {
            hidden++;
            continue;
        }
        shown++;
        fprintf(out, "%s: ", title);
        ft_finding_print(verify, finding, out);
    }
    if (hidden)
        fprintf(out, "%s: %d more like these\n", title, hidden);
}

static void print_verdict(struct ft_verify *verify, const struct ft_place *place, FILE *out)
{
    const struct ft_sites *sites = verify->options.sites;

    if (!place->entry && !place->differed)
        return;
    char name[512];
    ft_place_name(verify, place->place, place->sample.address, name, sizeof name);
    fprintf(out, "%s %s", name,
            place->entry ? ft_sites_text(sites, place->entry->call)
                         : ft_verify_call(place->sample.call));
    if (place->entry)
        fprintf(out, " (site %08x): %s; ", (unsigned)place->place,
                ft_sites_class(place->entry->class));
    else
        fputs(": no verdict; ", out);
    if (!place->reached)
        fputs("not reached", out);
    else if (place->contradicted)
        fprintf(out, "%d perturbed runs: contradicted", verify->taken);
    else if (place->entry && place->entry->class < FT_SITE_NON_DETERMINISTIC)
        fprintf(out, "%d perturbed runs: held", verify->taken);
    else
        fprintf(out, "its outcome differed in %d of %d perturbed runs", place->differed,
                verify->taken);
    fputc('\n', out);
}

static int by_place(const void *a, const void *b)
{
    uint64_t x = ((const struct ft_place *)a)->place, y = ((const struct ft_place *)b)->place;

    return (x > y) - (x < y);
}

static void print_all(struct ft_verify *verify, FILE *out)
{
    const struct ft_place *place;
    const struct ft_advice *advice;
    int count = ft_verify_contradictions(verify);

    fprintf(out, "verify: %d perturbed runs compared with an undisturbed one (seed %" PRIu64
                 "): %" PRIu64 " messages, %" PRIu64 " collectives\n",
            verify->taken, verify->options.seed, verify->messages, verify->collectives);
    HASH_SORT(verify->places, by_place);
    for (place = verify->places; place; place = place->hh.next)
        print_verdict(verify, place, out);
    print_findings(verify, FT_JUDGED_CONTENT, "advice", out);
    LL_FOREACH (verify->advice, advice)
        fprintf(out, "run %d: %s\n", advice->run, advice->text);
    print_findings(verify, FT_JUDGED_LISTED, "difference", out);
    print_findings(verify, FT_JUDGED_EXPLAINED, "difference, explained", out);
    print_findings(verify, FT_JUDGED_CONTRADICTION, "CONTRADICTION", out);
    if (count)
        fprintf(out, "verify: %d contradiction%s\n", count, count == 1 ? "" : "s");
    else
        fputs("verify: nothing is contradicted\n", out);
}

void ft_verify_tell(struct ft_verify *verify, void (*say)(const char *line))
{
    char *text = NULL, *rest, *line;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return;
    print_all(verify, out);
    fclose(out);
    for (rest = text; (line = strsep(&rest, "\n")) && rest;)
        say(line);
    free(text);
}
