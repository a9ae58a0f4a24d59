/* The report for ftcc, which shows it beside the static one (docs/formats/verify.md). */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <utlist.h>

#include "verify/findings.h"

static json_t *site_of(struct ft_verify *verify, const struct ft_place *place)
{
    char detail[128];

    if (!place->reached)
        return json_pack("{s:s, s:s}", "result", "not reached", "detail", "");
    snprintf(detail, sizeof detail, "%d perturbed runs; its outcome differed in %d of them",
             verify->taken, place->differed);
    return json_pack("{s:s, s:s}", "result", place->contradicted ? "contradicted" : "held",
                     "detail", detail);
}

static json_t *sites_of(struct ft_verify *verify)
{
    json_t *sites = json_object();
    const struct ft_place *place;
    char id[16];

    for (place = verify->places; place; place = place->hh.next) {
        if (place->place & FT_SEQUENCE_UNMARKED)
            continue;
        snprintf(id, sizeof id, "%08x", (unsigned)place->place);
        json_object_set_new(sites, id, site_of(verify, place));
    }
    return sites;
}

static json_t *finding_of(struct ft_verify *verify, const struct ft_finding *finding)
{
    static const char *const kinds[] = {"messages", "collectives", "order", "outcome"};
    char *text = NULL, id[16];
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *site = json_null(), *object;

    if (!out)
        return NULL;
    ft_finding_print(verify, finding, out);
    fclose(out);
    if (length > 0)
        text[length - 1] = 0; /* the last newline */
    snprintf(id, sizeof id, "%08x", (unsigned)finding->blamed);
    if (finding->blamed && !(finding->blamed & FT_SEQUENCE_UNMARKED))
        site = json_string(id);
    object = json_pack("{s:s, s:o, s:i, s:i, s:s}", "kind",
                       finding->is_match ? "match" : kinds[finding->difference.key.kind], "site",
                       site, "run", finding->run, "times", finding->times, "message", text);
    free(text);
    return object;
}

static json_t *findings_of(struct ft_verify *verify, enum ft_judgement judgement)
{
    json_t *array = json_array();
    const struct ft_finding *finding;

    LL_FOREACH (verify->findings, finding)
        if (finding->judgement == judgement)
            json_array_append_new(array, finding_of(verify, finding));
    return array;
}

static json_t *advice_of(const struct ft_verify *verify)
{
    json_t *array = json_array();
    const struct ft_advice *advice;

    LL_FOREACH (verify->advice, advice)
        json_array_append_new(
            array, json_pack("{s:i, s:s}", "run", advice->run, "message", advice->text));
    return array;
}

int ft_verify_write(struct ft_verify *verify, const char *path)
{
    json_t *root = json_pack(
        "{s:i, s:I, s:i, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "runs", verify->options.runs,
        "seed", (json_int_t)verify->options.seed, "compared", verify->taken, "ranks",
        verify->options.ranks, "messages", (json_int_t)verify->messages, "collectives",
        (json_int_t)verify->collectives, "sites", sites_of(verify), "contradictions",
        findings_of(verify, FT_JUDGED_CONTRADICTION), "explained",
        findings_of(verify, FT_JUDGED_EXPLAINED), "listed", findings_of(verify, FT_JUDGED_LISTED),
        "advice", advice_of(verify));
    FILE *file = root ? fopen(path, "we") : NULL;
    int code = root ? file ? 0 : -errno : -ENOMEM;

    if (file && (json_dumpf(root, file, JSON_INDENT(2)) || fputc('\n', file) == EOF))
        code = -EIO;
    if (file && fclose(file) && code == 0)
        code = -errno;
    json_decref(root);
    return code;
}
