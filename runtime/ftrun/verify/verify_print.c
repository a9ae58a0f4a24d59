/* The report for people. A difference shows what was compared: up to five items of both runs around
 * the first that differs. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "verify/findings.h"

enum {
    SHOWN_MAX = 20, /* findings of one judgement that are shown */
    WIDTH = 92      /* columns of a line; ftrun puts its name before it */
};

/* The part of a path that the table of sites calls the file by; NULL: it does not know the file. */
static const char *name_in_table(const struct ft_sites *sites, const char *path)
{
    uint32_t count;
    const struct ft_site_entry *site = ft_sites_all(sites, &count);
    const char *colon = strrchr(path, ':');

    for (uint32_t i = 0; colon && i < count; i++) {
        const char *file = ft_sites_text(sites, site[i].file);
        size_t length = strlen(file), before = (size_t)(colon - path);

        if (length > 0 && length < before && colon[-(ptrdiff_t)length - 1] == '/' &&
            strncmp(colon - length, file, length) == 0)
            return colon - length;
    }
    return NULL;
}

/* "FILE:LINE" as the table calls the file, or else by its path from the working directory. */
static void locate(const struct ft_verify *verify, uint64_t address, char *text, size_t size)
{
    char folder[PATH_MAX];
    const char *name;
    size_t length;

    verify->options.locate(verify->options.program, address, text, size);
    name = name_in_table(verify->options.sites, text);
    length = !name && getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length > 1 && strncmp(text, folder, length) == 0 && text[length] == '/')
        name = text + length + 1;
    if (name)
        memmove(text, name, strlen(name) + 1);
}

void ft_place_name(struct ft_verify *verify, uint64_t place, uint64_t address, char *text,
                   size_t size)
{
    const struct ft_sites *sites = verify->options.sites;
    const struct ft_site_entry *entry =
        place & FT_SEQUENCE_UNMARKED ? NULL : ft_sites_find(sites, (uint32_t)place);

    if (entry)
        snprintf(text, size, "%s:%u", ft_sites_text(sites, entry->file), entry->line);
    else if (address || place & FT_SEQUENCE_UNMARKED)
        locate(verify, address ? address : place & ~FT_SEQUENCE_UNMARKED, text, size);
    else
        snprintf(text, size, "site %08x", (unsigned)place);
}

/* "MPI_Iprobe at nbx.c:45" of a record. */
static void print_call(struct ft_verify *verify, const struct ft_trace_record *record, FILE *out)
{
    char name[512];

    ft_place_name(verify, ft_sequence_place(&verify->sequences, record), record->address, name,
                  sizeof name);
    fprintf(out, "%s at %s", ft_verify_call(record->call), name);
}

const char *ft_comm_text(uint64_t comm, char *text, size_t size)
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

    if (!item->there) {
        fputs("nothing", out);
        return;
    }
    if (difference->key.kind == FT_SEQUENCE_COLLECTIVES && record->peer >= 0)
        fprintf(out, "%s of root %d, ", ft_verify_call(record->call), record->peer);
    else if (difference->key.kind == FT_SEQUENCE_COLLECTIVES)
        fprintf(out, "%s, ", ft_verify_call(record->call));
    else if (difference->key.kind == FT_SEQUENCE_ORDER)
        fprintf(out, "to rank %d, tag %d, ", record->peer, record->tag);
    fprintf(out, "%" PRIu64 " bytes", record->size);
    if (difference->content)
        fprintf(out, " (%08x)", item->content);
}

/* Two items before the first difference, which stands in angles, and what comes after it. */
static void print_sequence(const struct ft_difference *difference, int side, FILE *out)
{
    const int middle = FT_DIFFERENCE_CONTEXT / 2;
    int first = difference->index < (uint64_t)middle ? middle - (int)difference->index : 0;

    if (first == 0 && difference->index > (uint64_t)middle)
        fputs("...; ", out);
    for (int i = first; i < FT_DIFFERENCE_CONTEXT; i++) {
        const struct ft_item *item = &difference->shown[side][i];

        if (!item->there && i != middle)
            break;
        fputs(i == first ? "" : "; ", out);
        fputs(i == middle ? "> " : "", out);
        print_item(difference, item, out);
        fputs(i == middle ? " <" : "", out);
    }
}

static void print_cause(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    const struct ft_place *place = finding->blamed ? ft_place_of(verify, finding->blamed) : NULL;
    char name[512];

    if (!place) {
        fputs("though no call with a choice had another outcome before (so a clock, random numbers "
              "or an address decides), ",
              out);
        return;
    }
    ft_place_name(verify, place->place, place->sample.address, name, sizeof name);
    fprintf(out, "after %s at %s (%s) had another outcome, ", ft_verify_call(place->sample.call),
            name, place->entry ? ft_sites_class(place->entry->class) : "no verdict");
}

/* The call that differed, and its place in the program. */
static void print_subject(struct ft_verify *verify, const struct ft_difference *difference,
                          FILE *out)
{
    const struct ft_trace_record *record = &difference->at[difference->at[1].there].record;
    const char *what = difference->content ? "other content" : "another sequence";
    char text[64];

    if (difference->index == UINT64_MAX)
        fputs("a call", out);
    else
        print_call(verify, record, out);
    switch (difference->key.kind) {
    case FT_SEQUENCE_CHANNEL:
        fprintf(out, " sent %s from rank %d to rank %d (tag %d, %s)", what, difference->rank,
                difference->key.peer, difference->key.tag,
                ft_comm_text(difference->key.comm, text, sizeof text));
        break;
    case FT_SEQUENCE_COLLECTIVES:
        fprintf(out, " was %s in the collectives of rank %d on %s",
                difference->content ? "given other content" : "another call or had another size",
                difference->rank, ft_comm_text(difference->key.comm, text, sizeof text));
        break;
    default:
        fprintf(out, " came at another place in the order of the sends of rank %d",
                difference->rank);
    }
    if (difference->index != UINT64_MAX)
        fprintf(out, ", from %s %" PRIu64 " on",
                difference->key.kind == FT_SEQUENCE_COLLECTIVES ? "call" : "message",
                difference->index + 1);
}

/* "iteration 3 of pattern 0e0c4a11 (exchange, nbx.c:22)" */
static void print_iteration(struct ft_verify *verify, const struct ft_trace_record *record,
                            FILE *out)
{
    const struct ft_sites *sites = verify->options.sites;
    const struct ft_pattern_entry *entry = ft_sites_pattern(sites, record->pattern);

    if (!record->pattern) {
        fputs("outside all patterns", out);
        return;
    }
    fprintf(out, "iteration %u of pattern %08x", record->iteration, record->pattern);
    if (entry)
        fprintf(out, " (%s, %s:%u)", ft_sites_text(sites, entry->function),
                ft_sites_text(sites, entry->file), entry->line);
}

static void print_match(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    const struct ft_match *match = &finding->match;
    char text[64];

    print_call(verify, &match->request, out);
    fprintf(out, " on rank %d met a message of another iteration, which ", match->destination);
    print_call(verify, &match->message, out);
    fprintf(out, " had sent on rank %d (tag %d, %s)", match->source, match->request.tag,
            ft_comm_text(match->request.comm, text, sizeof text));
}

void ft_finding_sentence(struct ft_verify *verify, const struct ft_finding *finding, FILE *out)
{
    if (finding->is_match) {
        print_match(verify, finding, out);
        return;
    }
    if (!finding->difference.content || finding->judgement == FT_JUDGED_CONTRADICTION)
        print_cause(verify, finding, out);
    print_subject(verify, &finding->difference, out);
}

void ft_finding_sequence(struct ft_verify *verify, const struct ft_finding *finding, int side,
                         FILE *out)
{
    const struct ft_trace_record *record = side ? &finding->match.message : &finding->match.request;

    if (finding->is_match) {
        fputs(side ? "sent:  " : "asked: ", out);
        print_iteration(verify, record, out);
        return;
    }
    fprintf(out, "run %d", side ? finding->run : 0);
    if (finding->difference.key.kind == FT_SEQUENCE_CHANNEL)
        fprintf(out, ", tag %d", finding->difference.key.tag);
    fputs(": ", out);
    if (finding->difference.index == UINT64_MAX)
        fputs("not looked at", out);
    else
        print_sequence(&finding->difference, side, out);
}

static void print_finding(struct ft_verify *verify, const struct ft_finding *finding,
                          const char *title, FILE *out)
{
    fprintf(out, "%s, in run %d%s", title, finding->run, finding->run ? "" : ", undisturbed");
    if (finding->times > 1)
        fprintf(out, " (%d times in all)", finding->times);
    fputs(":\n    ", out);
    ft_finding_sentence(verify, finding, out);
    for (int side = 0; side < 2; side++) {
        fputs("\n        ", out);
        ft_finding_sequence(verify, finding, side, out);
    }
    fputc('\n', out);
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
        print_finding(verify, finding, title, out);
    }
    if (hidden)
        fprintf(out, "%s: %d more like these\n", title, hidden);
}

/* "3 perturbed runs" */
static const char *runs_of(const struct ft_verify *verify, char text[64])
{
    snprintf(text, 64, "%d perturbed run%s", verify->taken, verify->taken == 1 ? "" : "s");
    return text;
}

static void print_result(struct ft_verify *verify, const struct ft_place *place, FILE *out)
{
    char runs[64];

    runs_of(verify, runs);
    if (!place->reached)
        fputs("not reached\n", out);
    else if (place->contradicted)
        fprintf(out, "%s: contradicted\n", runs);
    else if (place->entry && place->entry->class < FT_SITE_NON_DETERMINISTIC)
        fprintf(out, "%s: held\n", runs);
    else if (!place->differed && place->polled)
        fprintf(out, "polled more or less often in %s\n", runs);
    else
        fprintf(out, "differed in %d of %s\n", place->differed, runs);
}

static void print_verdict(struct ft_verify *verify, const struct ft_place *place, FILE *out)
{
    const struct ft_sites *sites = verify->options.sites;
    char name[512];

    if (!place->entry && !place->differed)
        return;
    ft_place_name(verify, place->place, place->sample.address, name, sizeof name);
    fprintf(out, "%s %s", name,
            place->entry ? ft_sites_text(sites, place->entry->call)
                         : ft_verify_call(place->sample.call));
    if (place->entry)
        fprintf(out, " (site %08x): %s; ", (unsigned)place->place,
                ft_sites_class(place->entry->class));
    else
        fputs(": no verdict; ", out);
    print_result(verify, place, out);
}

/* Sites in the order of the source, then calls that are not marked. */
static int by_place(const void *a, const void *b)
{
    const struct ft_place *x = a, *y = b;

    if (!x->entry || !y->entry)
        return x->entry ? -1 : y->entry ? 1 : (x->place > y->place) - (x->place < y->place);
    if (x->entry->file != y->entry->file)
        return x->entry->file < y->entry->file ? -1 : 1;
    return (x->entry->line > y->entry->line) - (x->entry->line < y->entry->line);
}

static void print_all(struct ft_verify *verify, FILE *out)
{
    const struct ft_place *place;
    const struct ft_advice *advice;
    int count = ft_verify_contradictions(verify);
    char runs[64];

    if (!verify->taken)
        fputs("verify: no perturbed run could be compared\n", out);
    else
        fprintf(out,
                "verify: %s compared (seed %" PRIu64 "): %" PRIu64 " messages, %" PRIu64
                " collectives\n",
                runs_of(verify, runs), verify->options.seed, verify->messages, verify->collectives);
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
    else if (verify->taken)
        fputs("verify: nothing is contradicted\n", out);
}

/* Where a line that is too long is broken: behind the last blank that fits, or the first one. */
static size_t break_of(const char *line, size_t indent)
{
    size_t at = 0;

    if (strlen(line) <= WIDTH)
        return 0;
    for (size_t i = indent; line[i] && (i <= WIDTH || at == 0); i++)
        if (line[i] == ' ' && i > indent)
            at = i;
    return at;
}

/* Says a line, in several where it is too long: those behind the first are set in by `hang` more.
 */
static void tell_line(const char *line, int hang, void (*say)(const char *line))
{
    size_t indent = strspn(line, " "), at = break_of(line, indent);
    char *first = at > 0 ? strndup(line, at) : NULL, *rest = NULL;

    if (!first || asprintf(&rest, "%*s%s", (int)indent + hang, "", line + at + 1) < 0) {
        say(line);
    } else {
        say(first);
        tell_line(rest, 0, say);
        free(rest);
    }
    free(first);
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
        tell_line(line, *line == ' ' ? 2 : 4, say);
    free(text);
}
