/* Idea: a site of the static report and a site of the runs have the same id, so the results are
 * joined by it. The whole file is checked before anything is changed. */
#include "analysis/report/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_result(const char *text)
{
    return strcmp(text, "held") == 0 || strcmp(text, "contradicted") == 0 ||
           strcmp(text, "not reached") == 0;
}

static bool is_strings(const json_t *list)
{
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item)
        if (!json_is_string(item))
            return false;
    return json_is_array(list);
}

/* The fault of the array of contradictions, or NULL. */
static const char *contradictions_wrong(const json_t *contradictions)
{
    size_t n;
    const json_t *item;
    if (!json_is_array(contradictions))
        return "\"contradictions\" is no array";
    json_array_foreach (contradictions, n, item) {
        if (!json_is_string(json_object_get(item, "message")))
            return "a contradiction has no message";
        if (!is_strings(json_object_get(item, "sites")) ||
            !is_strings(json_object_get(item, "sequences")))
            return "a contradiction has no sites or no sequences";
    }
    return NULL;
}

/* The fault of the file, or NULL. */
static const char *results_wrong(const json_t *results)
{
    const json_t *schema = json_object_get(results, "schema");
    json_int_t runs = json_integer_value(json_object_get(results, "runs"));
    if (schema != NULL && !an_field_is(results, "schema", "ftrun-verify-1"))
        return "it has another version";
    if (runs < 1 || runs > INT_MAX)
        return "\"runs\" is no positive number";
    if (!json_is_object(json_object_get(results, "sites")))
        return "\"sites\" is no object";
    const char *id;
    json_t *result;
    json_object_foreach (json_object_get(results, "sites"), id, result)
        if (!is_result(an_field(result, "result")))
            return "a site has no result";
    return contradictions_wrong(json_object_get(results, "contradictions"));
}

/* "static: channel-deterministic; 8 perturbed runs: held" */
static json_t *dynamic_of(const json_t *site, const json_t *result, unsigned runs)
{
    const char *word = an_field(result, "result");
    char *text = an_format("static: %s; %u perturbed run%s: %s", an_field(site, "class"), runs,
                           runs == 1 ? "" : "s", word);
    json_t *dynamic = an_must(json_pack("{s:s, s:i, s:s, s:s}", "result", word, "runs", runs,
                                        "detail", an_field(result, "detail"), "text", text));
    free(text);
    return dynamic;
}

/* The ids of the runs that the report does not know. */
static json_t *strangers_of(const json_t *sites, json_t *results)
{
    json_t *strangers = an_must(json_array());
    const char *id;
    json_t *result;
    json_object_foreach (results, id, result)
        if (an_item_with(sites, "id", id) == NULL)
            json_array_append_new(strangers, json_string(id));
    return strangers;
}

static void results_merge(json_t *document, const json_t *results)
{
    unsigned runs = an_field_number(results, "runs");
    json_t *sites = json_object_get(document, "sites");
    json_t *known = json_object_get(results, "sites");
    size_t n;
    json_t *site;
    json_array_foreach (sites, n, site) {
        const json_t *result = json_object_get(known, an_field(site, "id"));
        if (result != NULL)
            json_object_set_new(site, "dynamic", dynamic_of(site, result, runs));
    }
    json_t *verify = an_must(json_pack("{s:i, s:O, s:o}", "runs", runs, "contradictions",
                                       json_object_get(results, "contradictions"), "strangers",
                                       strangers_of(sites, known)));
    json_object_set_new(json_object_get(document, "program"), "verify", verify);
}

char *an_report_merge(json_t *document, const char *path)
{
    json_error_t error;
    json_t *results = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (results == NULL && error.line > 0)
        return an_format("line %d, column %d: %s", error.line, error.column, error.text);
    if (results == NULL)
        return an_format("%s", error.text);
    const char *wrong = results_wrong(results);
    char *message = wrong == NULL ? NULL : an_format("not written by ftrun --verify: %s", wrong);
    if (wrong == NULL)
        results_merge(document, results);
    json_decref(results);
    return message;
}
