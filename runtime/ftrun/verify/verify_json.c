/* The report for ftcc, which shows it beside the static one (docs/formats/verify.md). */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <utlist.h>

#include "store/text.h"
#include "verify/findings.h"

static json_t *site_of(const struct ft_place *place)
{
    char detail[128];

    if (!place->reached)
        return json_pack("{s:s, s:s, s:i}", "result", "not reached", "detail", "", "differed", 0);
    snprintf(detail, sizeof detail, "its outcome differed in %d of them", place->differed);
    return json_pack("{s:s, s:s, s:i}", "result", place->contradicted ? "contradicted" : "held",
                     "detail", detail, "differed", place->differed);
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
        json_object_set_new(sites, id, site_of(place));
    }
    return sites;
}

/* The output of `print`, as a string. */
static json_t *text_of(struct ft_verify *verify, const struct ft_finding *finding, int part)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *string;

    if (!out)
        return NULL;
    if (part < 0)
        ft_finding_sentence(verify, finding, out);
    else
        ft_finding_sequence(verify, finding, part, out);
    fclose(out);
    string = ft_text_json(text);
    free(text);
    return string;
}

static void site_append(json_t *array, uint64_t place)
{
    char id[16];

    snprintf(id, sizeof id, "%08x", (unsigned)place);
    if (place && !(place & FT_SEQUENCE_UNMARKED))
        json_array_append_new(array, json_string(id));
}

static json_t *channel_of(const struct ft_finding *finding)
{
    const struct ft_difference *difference = &finding->difference;
    const struct ft_match *match = &finding->match;
    char text[64];

    if (finding->is_match)
        return json_pack("{s:i, s:i, s:s, s:i}", "source", match->source, "destination",
                         match->destination, "communicator",
                         ft_comm_text(match->request.comm, text, sizeof text), "tag",
                         match->request.tag);
    if (difference->key.kind != FT_SEQUENCE_CHANNEL)
        return json_null();
    return json_pack("{s:i, s:i, s:s, s:i}", "source", difference->rank, "destination",
                     difference->key.peer, "communicator",
                     ft_comm_text(difference->key.comm, text, sizeof text), "tag",
                     difference->key.tag);
}

static json_t *finding_of(struct ft_verify *verify, const struct ft_finding *finding)
{
    json_t *sites = json_array();

    site_append(sites, finding->blamed);
    if (finding->is_match)
        site_append(sites, finding->match.message.site);
    return json_pack("{s:s, s:o, s:[i,i], s:i, s:o, s:o, s:[o,o]}", "kind",
                     finding->is_match ? "pattern" : "sequence", "sites", sites, "runs",
                     finding->is_match ? finding->run : 0, finding->run, "times", finding->times,
                     "channel", channel_of(finding), "message", text_of(verify, finding, -1),
                     "sequences", text_of(verify, finding, 0), text_of(verify, finding, 1));
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

static void advice_append(json_t *array, int run, json_t *text)
{
    json_array_append_new(array, json_sprintf("run %d: %s", run, json_string_value(text)));
    json_decref(text);
}

static json_t *advice_of(struct ft_verify *verify)
{
    json_t *array = json_array();
    const struct ft_finding *finding;
    const struct ft_advice *advice;

    LL_FOREACH (verify->findings, finding)
        if (finding->judgement == FT_JUDGED_CONTENT)
            advice_append(array, finding->run, text_of(verify, finding, -1));
    LL_FOREACH (verify->advice, advice)
        advice_append(array, advice->run, ft_text_json(advice->text));
    return array;
}

/* The command, as one string. */
static json_t *command_of(const struct ft_verify *verify)
{
    json_t *command = json_string("");

    for (char *const *word = verify->options.argv; *word; word++) {
        json_t *text = ft_text_json(*word);
        json_t *longer =
            json_sprintf("%s%s%s", json_string_value(command),
                         word == verify->options.argv ? "" : " ", json_string_value(text));

        json_decref(text);
        json_decref(command);
        command = longer;
    }
    return command;
}

static json_t *document_of(struct ft_verify *verify)
{
    return json_pack("{s:s, s:o, s:i, s:I, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "ftrun-verify-1", "program", command_of(verify), "ranks",
                     verify->options.ranks, "seed", (json_int_t)verify->options.seed, "runs",
                     verify->taken, "messages", (json_int_t)verify->messages, "collectives",
                     (json_int_t)verify->collectives, "sites", sites_of(verify), "contradictions",
                     findings_of(verify, FT_JUDGED_CONTRADICTION), "explained",
                     findings_of(verify, FT_JUDGED_EXPLAINED), "listed",
                     findings_of(verify, FT_JUDGED_LISTED), "advice", advice_of(verify));
}

int ft_verify_write(struct ft_verify *verify, const char *path)
{
    json_t *root = document_of(verify);
    FILE *file = root ? fopen(path, "we") : NULL;
    int code = root ? file ? 0 : -errno : -ENOMEM;

    if (file && (json_dumpf(root, file, JSON_INDENT(2)) || fputc('\n', file) == EOF))
        code = -EIO;
    if (file && fclose(file) && code == 0)
        code = -errno;
    json_decref(root);
    return code;
}
