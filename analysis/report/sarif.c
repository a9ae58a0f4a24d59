/* Idea: a result per finding and per site that is not deterministic; everything that a viewer shows
 * comes from the document. Columns count characters, so the bytes of the document are converted
 * with the source where it is known. See the SARIF 2.1.0 standard; section numbers refer to it. */
#include "analysis/report/sarif.h"

#include <stdlib.h>
#include <string.h>

/* A URI reference (3.4.4): what is neither unreserved nor a slash becomes %XX. */
static char *uri_of(const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *uri = an_must(malloc(3 * strlen(path) + 1)), *out = uri;
    for (const unsigned char *byte = (const unsigned char *)path; *byte != '\0'; byte++)
        if (strchr(plain, *byte) != NULL)
            *out++ = (char)*byte;
        else
            out += sprintf(out, "%%%02X", *byte);
    *out = '\0';
    return uri;
}

static unsigned artifact_number(struct an_sarif *sarif, const char *file)
{
    const json_t *number = json_object_get(sarif->numbers, file);
    if (number != NULL)
        return (unsigned)json_integer_value(number);
    unsigned next = (unsigned)json_object_size(sarif->numbers);
    json_object_set_new(sarif->numbers, file, json_integer(next));
    json_array_append_new(
        sarif->artifacts,
        json_pack("{s:o, s:s}", "location", an_sarif_artifact(sarif, file), "sourceLanguage", "c"));
    return next;
}

json_t *an_sarif_artifact(struct an_sarif *sarif, const char *file)
{
    bool inside = file[0] != '/';
    char *path = uri_of(file);
    char *uri = an_format("%s%s", inside ? "" : "file://", path);
    json_t *location = an_must(json_pack("{s:s}", "uri", uri));
    if (inside)
        json_object_set_new(location, "uriBaseId", json_string("SRCROOT"));
    json_object_set_new(location, "index", json_integer(artifact_number(sarif, file)));
    free(path);
    free(uri);
    return location;
}

static json_t *region_of(struct an_sarif *sarif, const json_t *place)
{
    const struct an_text_file *file = an_texts_file(sarif->texts, an_field(place, "file"));
    unsigned line = an_field_number(place, "line"), end = an_field_number(place, "end_line");
    unsigned column = an_text_column(file, line, an_field_number(place, "column"));
    unsigned last = an_text_column(file, end, an_field_number(place, "end_column"));
    return an_must(json_pack("{s:i, s:i, s:i, s:i}", "startLine", line, "startColumn", column,
                             "endLine", end, "endColumn",
                             end == line && last <= column ? column + 1 : last));
}

/* A location (3.28), with a message unless `text` is NULL. */
static json_t *location_of(struct an_sarif *sarif, const json_t *place, const char *text)
{
    json_t *location = an_must(json_pack("{s:{s:o, s:o}}", "physicalLocation", "artifactLocation",
                                         an_sarif_artifact(sarif, an_field(place, "file")),
                                         "region", region_of(sarif, place)));
    const char *function = an_field(place, "function");
    if (function[0] != '\0')
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "name", function, "kind", "function"));
    if (text != NULL)
        json_object_set_new(location, "message", json_pack("{s:s}", "text", text));
    return location;
}

/* The code flow (3.36) of the steps, which ends at `place`. */
static json_t *flow_of(struct an_sarif *sarif, const json_t *steps, const json_t *place,
                       const char *text)
{
    json_t *locations = an_must(json_array());
    size_t n;
    const json_t *step;
    json_array_append_new(locations,
                          json_pack("{s:o}", "location", location_of(sarif, place, text)));
    json_array_foreach (steps, n, step)
        json_array_append_new(
            locations,
            json_pack("{s:o}", "location", location_of(sarif, step, an_field(step, "text"))));
    return an_must(json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", locations));
}

/* A result (3.27). `key` tells it from all others of its rule, and from run to run. */
static json_t *result_create(struct an_sarif *sarif, const char *rule, const char *level,
                             const char *text, const char *key)
{
    unsigned seen = (unsigned)json_integer_value(json_object_get(sarif->keys, key));
    json_object_set_new(sarif->keys, key, json_integer(seen + 1));
    char *print = seen == 0 ? an_format("%s", key) : an_format("%s:%u", key, seen + 1);
    json_t *result =
        an_must(json_pack("{s:s, s:i, s:s, s:{s:s}, s:{s:s}}", "ruleId", rule, "ruleIndex",
                          an_sarif_rule(sarif, rule), "level", level, "message", "text", text,
                          "partialFingerprints", "ftccIdentity/v1", print));
    free(print);
    return result;
}

static json_t *site_properties(const json_t *site)
{
    static const char *const keys[] = {"call",    "through",  "wildcard", "maybe",
                                       "judged",  "override", "logged",   "pattern",
                                       "dynamic", "class",    "id",       "logged_reason"};
    json_t *properties = an_must(json_object());
    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++)
        json_object_set(properties, keys[n], json_object_get(site, keys[n]));
    return properties;
}

/* "MPI_Recv is non-deterministic: the tag comes from ... 8 perturbed runs: held." */
static char *site_message(const json_t *site)
{
    const json_t *dynamic = json_object_get(site, "dynamic");
    return an_format("%s: %s%s%s%s", an_field(site, "call"), an_field(site, "reason"),
                     an_field_true(site, "override") ? " (the user's word)" : "",
                     json_is_object(dynamic) ? "; " : "", an_field(dynamic, "text"));
}

static json_t *site_result(struct an_sarif *sarif, const json_t *site)
{
    char *text = site_message(site);
    char *key = an_format("site:%s", an_field(site, "id"));
    json_t *result = result_create(sarif, an_field(site, "class"), "note", text, key);
    const json_t *witness = json_object_get(site, "witness");
    json_object_set_new(result, "locations", json_pack("[o]", location_of(sarif, site, NULL)));
    if (json_array_size(witness) > 0)
        json_object_set_new(result, "codeFlows",
                            flow_of(sarif, witness, site, an_field(site, "call")));
    json_t *fixes = an_sarif_fixes(sarif, site);
    if (json_array_size(fixes) > 0)
        json_object_set(result, "fixes", fixes);
    json_decref(fixes);
    json_object_set_new(result, "properties", site_properties(site));
    free(text);
    free(key);
    return result;
}

static json_t *finding_result(struct an_sarif *sarif, const json_t *finding)
{
    const char *rule = an_field(finding, "rule"), *site = an_field(finding, "site");
    const char *fix = an_field(finding, "fix");
    const json_t *path = json_object_get(finding, "path");
    char *text =
        an_format("%s%s%s", an_field(finding, "message"), fix[0] != '\0' ? " Fix: " : "", fix);
    char *key = site[0] != '\0' ? an_format("%s:%s", rule, site)
                                : an_format("%s:%s:%s", rule, an_field(finding, "file"),
                                            an_field(finding, "function"));
    json_t *result = result_create(sarif, rule, "warning", text, key);
    json_object_set_new(result, "locations", json_pack("[o]", location_of(sarif, finding, NULL)));
    if (json_array_size(path) > 0)
        json_object_set_new(result, "codeFlows", flow_of(sarif, path, finding, rule));
    free(text);
    free(key);
    return result;
}

/* A contradiction is an error: a restart that trusts the verdict would go wrong. */
static json_t *contradiction_result(struct an_sarif *sarif, const json_t *item)
{
    json_t *ids = json_object_get(item, "sites"), *locations = an_must(json_array()), *id;
    const json_t *sites = json_object_get(sarif->document, "sites");
    const char *first = json_string_value(json_array_get(ids, 0));
    char *key = an_format("contradicted:%s", first != NULL ? first : an_field(item, "message"));
    json_t *result = result_create(sarif, "contradicted", "error", an_field(item, "message"), key);
    size_t n;
    json_array_foreach (ids, n, id) {
        const char *name = json_string_value(id);
        const json_t *site = an_item_with(sites, "id", name != NULL ? name : "");
        if (site != NULL && json_array_size(locations) == 0)
            json_array_append_new(locations, location_of(sarif, site, NULL));
        else if (site != NULL)
            json_object_set_new(result, "relatedLocations",
                                json_pack("[o]", location_of(sarif, site, "the other call")));
    }
    json_object_set_new(result, "locations", locations);
    json_object_set_new(result, "properties",
                        json_pack("{s:O}", "sequences", json_object_get(item, "sequences")));
    free(key);
    return result;
}

static json_t *results_of(struct an_sarif *sarif)
{
    json_t *results = an_must(json_array());
    const json_t *verify = json_object_get(json_object_get(sarif->document, "program"), "verify");
    size_t n;
    const json_t *item;
    json_array_foreach (json_object_get(sarif->document, "findings"), n, item)
        json_array_append_new(results, finding_result(sarif, item));
    json_array_foreach (json_object_get(verify, "contradictions"), n, item)
        json_array_append_new(results, contradiction_result(sarif, item));
    json_array_foreach (json_object_get(sarif->document, "sites"), n, item)
        if (!an_field_is(item, "class", "deterministic"))
            json_array_append_new(results, site_result(sarif, item));
    return results;
}

static json_t *bases_of(const json_t *document)
{
    char *path = uri_of(an_field(json_object_get(document, "program"), "base"));
    char *uri = an_format("file://%s%s", path, strcmp(path, "/") == 0 ? "" : "/");
    json_t *bases = an_must(json_pack("{s:{s:s, s:{s:s}}}", "SRCROOT", "uri", uri, "description",
                                      "text", "The folder that file names are relative to."));
    free(path);
    free(uri);
    return bases;
}

static json_t *run_of(struct an_sarif *sarif)
{
    const json_t *program = json_object_get(sarif->document, "program");
    json_t *results = results_of(sarif);
    json_t *invocation = an_sarif_invocation(sarif);
    return an_must(json_pack("{s:{s:o}, s:o, s:o, s:o, s:[o], s:s, s:{s:O, s:O, s:O}}", "tool",
                             "driver", an_sarif_driver(sarif), "originalUriBaseIds",
                             bases_of(sarif->document), "artifacts", json_incref(sarif->artifacts),
                             "results", results, "invocations", invocation, "columnKind",
                             "unicodeCodePoints", "properties", "program", program, "patterns",
                             json_object_get(sarif->document, "patterns"), "hooks",
                             json_object_get(sarif->document, "hooks")));
}

void an_report_sarif(const json_t *document, const struct an_report_options *options, FILE *out)
{
    struct an_sarif sarif = {
        .document = document,
        .texts = an_texts_create(document, options),
        .artifacts = an_must(json_array()),
        .numbers = an_must(json_object()),
        .keys = an_must(json_object()),
        .rules = an_sarif_rules(document),
    };
    json_t *log = an_must(json_pack("{s:s, s:s, s:[o]}", "$schema", AN_SARIF_SCHEMA, "version",
                                    "2.1.0", "runs", run_of(&sarif)));
    json_dumpf(log, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(log);
    json_decref(sarif.artifacts);
    json_decref(sarif.numbers);
    json_decref(sarif.keys);
    json_decref(sarif.rules);
    an_texts_destroy(sarif.texts);
}
