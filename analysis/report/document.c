/* Idea: the document says what the judgement says, with names and numbers in place of nodes, so
 * that whoever reads it needs neither the program nor its sources. */
#include "analysis/report/parts.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* The values that all parts of one document need. */
struct model {
    const struct an_judgement *judgement;
    char *base;
};

static json_t *number(unsigned value)
{
    return an_must(json_integer(value));
}

static json_t *id_of(uint32_t id)
{
    char text[9];
    snprintf(text, sizeof text, "%08x", id);
    return an_must(json_string(text));
}

/* The name in the report of a file as spelled by the compiler of `unit`. */
static json_t *file_name(const struct model *model, const struct an_unit *unit, const char *file)
{
    char *path = an_path_resolve(unit != NULL ? unit->folder : model->base, file);
    json_t *name = an_json_string(an_path_relative(model->base, path));
    free(path);
    return name;
}

static json_t *function_name(const struct an_node *node)
{
    const struct an_node *function = node->kind == AN_FUNCTION ? node : an_function_of(node);
    return an_json_string(function != NULL ? function->name : NULL);
}

/* Adds where `node` stands: file, line, column, end_line, end_column, function. */
static void place_add(const struct model *model, json_t *object, const struct an_node *node)
{
    const struct an_unit *unit = an_program_unit_of(model->judgement->program, node);
    struct an_place place = node->place, end = node->end;
    unsigned line = place.line > 0 ? place.line : 1, column = place.column > 0 ? place.column : 1;
    bool same =
        end.file == place.file && (end.line > line || (end.line == line && end.column > column));
    json_object_set_new(object, "file", file_name(model, unit, place.file));
    json_object_set_new(object, "line", number(line));
    json_object_set_new(object, "column", number(column));
    json_object_set_new(object, "end_line", number(same ? end.line : line));
    json_object_set_new(object, "end_column", number(same ? end.column : column + 1));
    json_object_set_new(object, "function", function_name(node));
}

/* A step without a place of its own stands where `node` does. */
static json_t *steps_of(const struct model *model, const struct an_step *steps,
                        const struct an_node *node)
{
    json_t *list = an_must(json_array());
    const struct an_step *step;
    LL_FOREACH (steps, step) {
        json_t *object = an_must(json_object());
        place_add(model, object, step->node != NULL ? step->node : node);
        json_object_set_new(object, "text", an_json_string(step->text));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *wildcards_of(unsigned wildcard)
{
    static const char *const names[] = {"source", "tag", "index", "flag"};
    json_t *list = an_must(json_array());
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (wildcard & 1U << n)
            json_array_append_new(list, json_string(names[n]));
    return list;
}

/* The function of MPI, and what the program calls in its place. */
static void call_add(json_t *object, const struct an_mpi *mpi)
{
    char *call = an_format("MPI_%s", mpi->what->name);
    const char *own = mpi->call->name;
    bool direct = own == NULL || strcmp(own, call) == 0;
    json_object_set_new(object, "call", an_json_string(call));
    json_object_set_new(object, "through", direct ? json_null() : an_json_string(own));
    free(call);
}

static json_t *site_of(const struct model *model, const struct an_site *site)
{
    json_t *object = an_must(json_object());
    json_object_set_new(object, "id", id_of(site->id));
    place_add(model, object, site->node);
    call_add(object, &site->mpi);
    json_object_set_new(object, "wildcard", wildcards_of(site->wildcard));
    json_object_set_new(object, "maybe", wildcards_of(site->wildcard & site->maybe));
    json_object_set_new(object, "class", an_json_string(an_verdict_name(site->verdict)));
    json_object_set_new(object, "judged", an_json_string(an_verdict_name(site->judged)));
    json_object_set_new(object, "pattern",
                        site->pattern != NULL ? id_of(site->pattern->id) : json_null());
    json_object_set_new(object, "reason", an_json_string(site->reason));
    json_object_set_new(object, "witness", steps_of(model, site->witness, site->node));
    json_object_set_new(object, "override", json_boolean(site->override));
    json_object_set_new(object, "logged", json_boolean(site->logged));
    json_object_set_new(object, "logged_reason", an_json_string(site->logged_reason));
    json_object_set_new(object, "dynamic", json_null());
    return object;
}

static json_t *place_of(const struct an_place *place)
{
    return an_must(json_pack("{s:i, s:i}", "line", place->line > 0 ? place->line : 1, "column",
                             place->column > 0 ? place->column : 1));
}

static const char *exit_name(const struct an_node *node)
{
    switch (node->kind) {
    case AN_BREAK:
        return "break";
    case AN_CONTINUE:
        return "continue";
    case AN_RETURN:
        return "return";
    case AN_GOTO:
        return "goto";
    default:
        return "other";
    }
}

static json_t *end_of(const struct an_place *place, const char *by)
{
    json_t *end = place_of(place);
    json_object_set_new(end, "by", json_string(by));
    return end;
}

static json_t *ends_of(const struct an_pattern *pattern)
{
    json_t *list = an_must(json_array());
    const struct an_exit *way;
    LL_FOREACH (pattern->exits, way)
        json_array_append_new(list, end_of(&way->node->place, exit_name(way->node)));
    if (pattern->falls_through)
        json_array_append_new(list, end_of(&pattern->last->end, "end"));
    return list;
}

static const char *separation_name(enum an_separation separation)
{
    static const char *const names[] = {
        [AN_BY_NOTHING] = "nothing",
        [AN_BY_COLLECTIVE] = "collective",
        [AN_BY_TERMINATION] = "termination",
        [AN_BY_TAG] = "tag",
    };
    return names[separation];
}

static json_t *pattern_of(const struct model *model, const struct an_pattern *pattern)
{
    const struct an_unit *unit = an_program_unit_of(model->judgement->program, pattern->first);
    json_t *object = an_must(json_object());
    const char *text = pattern->separation_text;
    json_object_set_new(object, "id", id_of(pattern->id));
    json_object_set_new(object, "name", an_json_string(pattern->name));
    json_object_set_new(object, "file", file_name(model, unit, pattern->first->place.file));
    json_object_set_new(object, "function", an_json_string(pattern->function->name));
    json_object_set_new(object, "communicator", an_json_string(pattern->comm));
    json_object_set_new(object, "begin", place_of(&pattern->first->place));
    json_object_set_new(object, "end", place_of(&pattern->last->end));
    json_object_set_new(object, "ends", ends_of(pattern));
    json_object_set_new(object, "separation", an_json_string(text != NULL ? text : ""));
    json_object_set_new(object, "separated_by",
                        an_json_string(separation_name(pattern->separation)));
    json_object_set_new(object, "annotated", json_boolean(pattern->annotated));
    json_object_set_new(object, "trusted", json_boolean(pattern->trusted));
    json_object_set_new(object, "reason", an_json_string(pattern->reason));
    return object;
}

static json_t *hook_of(const struct model *model, const struct an_hook *hook)
{
    json_t *object = an_must(json_object());
    json_object_set_new(object, "id", id_of(hook->id));
    place_add(model, object, hook->loop);
    json_object_set_new(object, "chosen", json_boolean(hook->chosen));
    json_object_set_new(object, "reason", an_json_string(hook->reason));
    return object;
}

static json_t *finding_of(const struct model *model, const struct an_finding *finding)
{
    const struct an_node *node = finding->node != NULL ? finding->node : finding->site->node;
    json_t *object = an_must(json_object());
    json_object_set_new(object, "rule", an_json_string(finding->rule));
    json_object_set_new(object, "site",
                        finding->site != NULL ? id_of(finding->site->id) : json_null());
    place_add(model, object, node);
    json_object_set_new(object, "message", an_json_string(finding->message));
    json_object_set_new(object, "fix", an_json_string(finding->fix));
    json_object_set_new(object, "path", steps_of(model, finding->path, node));
    return object;
}

static const char *hole_name(const struct an_hole *hole)
{
    switch (hole->kind) {
    case AN_HOLE_FILE:
        return "file";
    case AN_HOLE_FUNCTION:
        return "function";
    case AN_HOLE_PREPROCESSOR:
        return "preprocessor";
    case AN_HOLE_CALLEE:
        return "callee";
    case AN_HOLE_UNJUDGED:
        return "unjudged";
    case AN_HOLE_CARRIED:
        return "carried";
    case AN_HOLE_FACTS:
        break;
    }
    return "facts";
}

/* A unit whose compiler spells a file this way, for a hole that names no unit. */
static const struct an_unit *unit_with(const struct model *model, const char *file)
{
    const struct an_program *program = model->judgement->program;
    for (unsigned n = 0; n < an_program_units(program); n++) {
        const struct an_unit *unit = an_program_unit(program, n);
        if (strcmp(unit->path, file) == 0)
            return unit;
    }
    return NULL;
}

static json_t *hole_of(const struct model *model, const struct an_hole *hole)
{
    json_t *object = an_must(json_object());
    const struct an_unit *unit =
        hole->unit != NULL || hole->file == NULL ? hole->unit : unit_with(model, hole->file);
    json_t *file = hole->file == NULL ? json_null() : file_name(model, unit, hole->file);
    json_object_set_new(object, "kind", json_string(hole_name(hole)));
    json_object_set_new(object, "file", file);
    json_object_set_new(object, "line", hole->line > 0 ? number(hole->line) : json_null());
    json_object_set_new(object, "name", an_json_string(hole->name));
    json_object_set_new(object, "text", an_json_string(hole->text));
    return object;
}

static json_t *unit_of(const struct model *model, const struct an_unit *unit)
{
    char digest[17];
    snprintf(digest, sizeof digest, "%016llx", (unsigned long long)unit->digest);
    json_t *object = an_must(json_object());
    json_object_set_new(object, "file", file_name(model, unit, unit->path));
    json_object_set_new(object, "digest",
                        unit->problem == NULL ? json_string(digest) : json_null());
    json_object_set_new(object, "problem", an_json_string(unit->problem));
    return object;
}

static json_t *coverage_of(const struct model *model)
{
    bool complete = model->judgement->holes == NULL;
    json_t *files = an_must(json_array()), *holes = an_must(json_array());
    for (unsigned n = 0; n < an_program_units(model->judgement->program); n++) {
        const struct an_unit *unit = an_program_unit(model->judgement->program, n);
        complete = complete && unit->problem == NULL;
        json_array_append_new(files, unit_of(model, unit));
    }
    const struct an_hole *hole;
    LL_FOREACH (model->judgement->holes, hole)
        json_array_append_new(holes, hole_of(model, hole));
    return an_must(
        json_pack("{s:b, s:o, s:o}", "complete", complete, "files", files, "holes", holes));
}

static json_t *classes_of(const struct an_judgement *judgement)
{
    json_t *classes = an_must(json_object());
    for (enum an_verdict verdict = AN_DETERMINISTIC; verdict <= AN_UNKNOWN; verdict++) {
        unsigned count = 0;
        const struct an_site *site;
        LL_FOREACH (judgement->sites, site)
            count += site->verdict == verdict;
        json_object_set_new(classes, an_verdict_name(verdict), number(count));
    }
    return classes;
}

static json_t *program_of(const struct model *model, const char *name)
{
    const struct an_judgement *judgement = model->judgement;
    const struct an_node *main_node = an_program_main(judgement->program);
    json_t *object = an_must(json_object());
    json_object_set_new(object, "name", an_json_string(name != NULL ? name : ""));
    json_object_set_new(object, "tool", json_string("ftcc"));
    json_object_set_new(object, "version", json_string(FT_VERSION));
    json_object_set_new(object, "base", an_json_string(model->base));
    json_object_set_new(object, "whole", json_boolean(an_program_is_whole(judgement->program)));
    json_object_set_new(object, "units", number(an_program_units(judgement->program)));
    json_object_set_new(object, "functions", number(judgement->functions));
    json_object_set_new(object, "main",
                        main_node == NULL
                            ? json_null()
                            : file_name(model, an_program_unit_of(judgement->program, main_node),
                                        main_node->place.file));
    json_object_set_new(object, "classes", classes_of(judgement));
    json_object_set_new(object, "no_hook", an_json_string(judgement->hook_reason));
    json_object_set_new(object, "verify", json_null());
    return object;
}

json_t *an_report_json(const struct an_judgement *judgement,
                       const struct an_report_options *options)
{
    struct model model = {judgement, an_path_base(judgement->program, options->base)};
    json_t *sites = an_must(json_array()), *patterns = an_must(json_array());
    json_t *hooks = an_must(json_array()), *findings = an_must(json_array());
    const struct an_site *site;
    LL_FOREACH (judgement->sites, site)
        json_array_append_new(sites, site_of(&model, site));
    const struct an_pattern *pattern;
    LL_FOREACH (judgement->patterns, pattern)
        json_array_append_new(patterns, pattern_of(&model, pattern));
    const struct an_hook *hook;
    LL_FOREACH (judgement->hooks, hook)
        json_array_append_new(hooks, hook_of(&model, hook));
    const struct an_finding *finding;
    LL_FOREACH (judgement->findings, finding)
        json_array_append_new(findings, finding_of(&model, finding));
    json_t *document = an_must(
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "ftcc-report-1", "program",
                  program_of(&model, options->name), "sites", sites, "patterns", patterns, "hooks",
                  hooks, "findings", findings, "coverage", coverage_of(&model)));
    free(model.base);
    return document;
}
