#include "analysis/report/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One site of each class in evil.c, whose second line is "\tif (x) MPI_Recv(...)" behind a two-byte
 * character; a finding, a pattern and a hole. %s is the base. */
static const char sample[] =
    "{'schema': 'ftcc-report-1', 'program': {'name': '<b>&\\u0007', 'tool': 'ftcc', 'version': "
    "'1.0.0',"
    " 'base': '%s', 'whole': true, 'units': 1, 'functions': 1, 'main': null, 'no_hook': '<i>none',"
    " 'verify': null, 'classes': {'deterministic': 1, 'send-deterministic': 0, 'unknown': 1,"
    " 'channel-deterministic': 1, 'non-deterministic': 0}},"
    "'sites': [{'id': '00000001', 'file': 'evil.c', 'line': 2, 'column': 7, 'end_line': 2, "
    "'end_column':"
    " 18, 'function': 'f<u>', 'call': 'MPI_Recv', 'through': null, 'wildcard': ['source'], "
    "'maybe': [],"
    " 'class': 'channel-deterministic', 'judged': 'channel-deterministic', 'pattern': '0000000a',"
    " 'reason': 'because </script><script>alert(1)</script>', 'override': false, 'logged': false,"
    " 'logged_reason': null, 'dynamic': null, 'witness': [{'file': 'evil.c', 'line': 3, 'column': "
    "1,"
    " 'end_line': 3, 'end_column': 4, 'function': 'f<u>', 'text': 'a step'}]},"
    "{'id': '00000002', 'file': 'evil.c', 'line': 3, 'column': 1, 'end_line': 3, 'end_column': 4,"
    " 'function': null, 'call': 'MPI_Test', 'through': 'my<test>', 'wildcard': ['flag'], 'maybe':"
    " ['flag'], 'class': 'deterministic', 'judged': 'deterministic', 'pattern': null, 'reason': "
    "'r',"
    " 'override': false, 'logged': false, 'logged_reason': null, 'dynamic': null, 'witness': []},"
    "{'id': '00000003', 'file': '/else where/\\u20ac.c', 'line': 3, 'column': 1, 'end_line': 3,"
    " 'end_column': 1, 'function': null, 'call': 'MPI_Recv', 'through': null, 'wildcard': [], "
    "'maybe':"
    " [], 'class': 'unknown', 'judged': 'unknown', 'pattern': null, 'reason': 'r', 'override': "
    "true,"
    " 'logged': true, 'logged_reason': 'l', 'dynamic': null, 'witness': []}],"
    "'patterns': [{'id': '0000000a', 'name': null, 'file': 'evil.c', 'function': 'f<u>', "
    "'communicator':"
    " 'c', 'begin': {'line': 1, 'column': 1}, 'end': {'line': 3, 'column': 3}, 'ends': [], "
    "'separation':"
    " 's<s>', 'separated_by': 'tag', 'annotated': true, 'trusted': true, 'reason': null}],"
    "'hooks': [],"
    "'findings': [{'rule': 'capture', 'site': '00000001', 'file': 'evil.c', 'line': 2, 'column': 7,"
    " 'end_line': 2, 'end_column': 18, 'function': 'f<u>', 'message': 'm<m>', 'fix': 'x<x>', "
    "'path': []},"
    "{'rule': 'capture', 'site': '00000001', 'file': 'evil.c', 'line': 3, 'column': 1,"
    " 'end_line': 3, 'end_column': 2, 'function': 'f<u>', 'message': 'again', 'fix': null, 'path': "
    "[]}],"
    "'coverage': {'complete': false, 'files': [{'file': 'evil.c', 'digest': null, 'problem': "
    "'p<p>'}],"
    " 'holes': [{'kind': 'callee', 'file': 'evil.c', 'line': 2, 'name': 'n<n>', 'text': 't<t>'}]}}";

static const char evil[] = "// \xE9\n\xC3\xA9 if MPI_Recv(<)\x1B[31m;\nabc\n";

struct scene {
    char folder[32];
    json_t *document;
};

/* JSON in single quotes, with the folder in the place of %s. */
static json_t *document_of(const char *folder)
{
    char *text = an_format("%s", sample);
    for (char *at = text; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    char *place = strstr(text, "%s");
    char *whole = an_format("%.*s%s%s", (int)(place - text), text, folder, place + 2);
    json_error_t error;
    json_t *document = json_loads(whole, 0, &error);
    if (document == NULL)
        fail_msg("%s at %d", error.text, error.position);
    free(whole);
    free(text);
    return document;
}

static void file_write(const char *folder, const char *name, const char *text)
{
    char *path = an_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(path);
}

static int scene_begin(void **state)
{
    struct scene *scene = an_must(calloc(1, sizeof *scene));
    strcpy(scene->folder, "/tmp/report_test.XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    file_write(scene->folder, "evil.c", evil);
    scene->document = document_of(scene->folder);
    *state = scene;
    return 0;
}

static int scene_end(void **state)
{
    struct scene *scene = *state;
    char *command = an_format("rm -r %s", scene->folder);
    assert_int_equal(system(command), 0);
    free(command);
    json_decref(scene->document);
    free(scene);
    return 0;
}

typedef void (*renderer)(const json_t *, const struct an_report_options *, FILE *);

static char *rendered(const json_t *document, renderer render,
                      const struct an_report_options *options)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    render(document, options, out);
    fclose(out);
    return text;
}

/* --- names */

static void resolves_names(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *path, *whole;
    } cases[] = {
        {"/a/b", "c.c", "/a/b/c.c"},
        {"/a/b", "./x/../c.c", "/a/b/c.c"},
        {"/a/b", "../../../c.c", "/c.c"},
        {"/a/b", "/d//e/./c.c", "/d/e/c.c"},
        {"/a/b/", "", "/a/b"},
        {"/", "..", "/"},
        {"/a", "..b/...", "/a/..b/..."},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char *whole = an_path_resolve(cases[n].folder, cases[n].path);
        assert_string_equal(whole, cases[n].whole);
        free(whole);
    }
    assert_string_equal(an_path_relative("/a", "/a/b.c"), "b.c");
    assert_string_equal(an_path_relative("/a", "/ab/b.c"), "/ab/b.c");
    assert_string_equal(an_path_relative("/", "/b.c"), "b.c");
}

static void cleans_text(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"abc", "abc"},
        {"\xE2\x82\xAC", "\xE2\x82\xAC"},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"a\xE9z", "a\xEF\xBF\xBDz"},                             /* Latin-1 */
        {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                 /* overlong */
        {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* surrogate */
        {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"},                 /* cut off */
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char *clean = an_utf8_clean(cases[n][0], strlen(cases[n][0]));
        assert_string_equal(clean, cases[n][1]);
        json_t *string = an_json_string(cases[n][0]);
        assert_string_equal(json_string_value(string), cases[n][1]);
        json_decref(string);
        free(clean);
    }
}

/* --- what ftrun --verify found */

static void merge_refuses(void **state)
{
    struct scene *scene = *state;
    static const char *const cases[][2] = {
        {"{", "line 1, column 1: "},
        {"[]", "\"runs\" is no positive number"},
        {"{\"runs\": 0}", "\"runs\" is no positive number"},
        {"{\"runs\": 4294967297}", "\"runs\" is no positive number"},
        {"{\"runs\": 1}", "\"sites\" is no object"},
        {"{\"runs\": 1, \"schema\": \"ftrun-verify-2\"}", "another version"},
        {"{\"runs\": 1, \"sites\": {\"1\": {}}}", "a site has no result"},
        {"{\"runs\": 1, \"sites\": {\"1\": {\"result\": \"good\"}}}", "a site has no result"},
        {"{\"runs\": 1, \"sites\": {}}", "\"contradictions\" is no array"},
        {"{\"runs\": 1, \"sites\": {}, \"contradictions\": [{}]}", "no message"},
        {"{\"runs\": 1, \"sites\": {}, \"contradictions\": [{\"message\": \"m\", \"sites\": [1],"
         " \"sequences\": []}]}",
         "no sites or no sequences"},
    };
    json_t *before = json_deep_copy(scene->document);
    char *path = an_format("%s/results", scene->folder);
    char *message = an_report_merge(scene->document, path);
    assert_non_null(message);
    free(message);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        file_write(scene->folder, "results", cases[n][0]);
        message = an_report_merge(scene->document, path);
        assert_non_null(message);
        if (strstr(message, cases[n][1]) == NULL)
            fail_msg("%s", message);
        free(message);
        assert_true(json_equal(before, scene->document));
    }
    json_decref(before);
    free(path);
}

static void merge_joins(void **state)
{
    struct scene *scene = *state;
    char *path = an_format("%s/results", scene->folder);
    file_write(scene->folder, "results",
               "{\"runs\": 8, \"sites\": {\"00000001\": {\"result\": \"held\", \"detail\": \"d\"},"
               " \"000000ff\": {\"result\": \"not reached\"}}, \"contradictions\": []}");
    assert_null(an_report_merge(scene->document, path));
    const json_t *sites = json_object_get(scene->document, "sites");
    const json_t *dynamic = json_object_get(json_array_get(sites, 0), "dynamic");
    assert_string_equal(an_field(dynamic, "text"),
                        "static: channel-deterministic; 8 perturbed runs: held");
    assert_true(json_is_null(json_object_get(json_array_get(sites, 1), "dynamic")));
    const json_t *verify = json_object_get(json_object_get(scene->document, "program"), "verify");
    assert_int_equal(json_integer_value(json_object_get(verify, "runs")), 8);
    const json_t *strangers = json_object_get(verify, "strangers");
    assert_int_equal(json_array_size(strangers), 1);
    assert_string_equal(json_string_value(json_array_get(strangers, 0)), "000000ff");
    free(path);
}

/* --- text */

static void text_fits(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {.width = 50};
    char *text = rendered(scene->document, an_report_text, &options);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        unsigned columns = 0;
        for (size_t at = 0; line[at] != '\n'; at++)
            columns += ((unsigned char)line[at] & 0xC0) != 0x80;
        assert_true(columns <= 50 || strchr(line, ' ') > line + 50);
    }
    for (const char *at = text; *at != '\0'; at++)
        assert_true(*at == '\n' || (unsigned char)*at >= ' ');
    assert_non_null(strstr(text, "    2 | \xC3\xA9 if MPI_Recv(<)?[31m;\n"
                                 "      |      ^~~~~~~~~~~\n"));
    free(text);
    options.color = true;
    text = rendered(scene->document, an_report_text, &options);
    assert_non_null(strstr(text, "\033[32m channel-deterministic:\033[0m"));
    assert_null(strstr(text, "\033[31m;"));
    free(text);
}

/* A program's name may be shorter than the indentation of what follows it. */
static void short_names_stand_apart(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {.width = 80};
    json_object_set_new(json_object_get(scene->document, "program"), "name", json_string("p"));
    char *text = rendered(scene->document, an_report_text, &options);
    assert_non_null(strstr(text, "\np: 3 sites: 1 deterministic"));
    free(text);
}

/* --- HTML */

static void html_escapes(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {0};
    char *page = rendered(scene->document, an_report_html, &options);
    static const char *const never[] = {"<b>",           "<i>",  "<u>",    "<m>", "<x>",
                                        "<s>",           "<p>p", "<n>",    "<t>", "<test>",
                                        "<script>alert", "\x1B", "\xE9\n", "(<)"};
    for (size_t n = 0; n < sizeof never / sizeof *never; n++)
        if (strcmp(never[n], "<b>") != 0 && strstr(page, never[n]) != NULL)
            fail_msg("%s", never[n]);
    assert_null(strstr(page, "<b>&"));
    assert_non_null(strstr(page, "&lt;b&gt;&amp;"));
    assert_non_null(strstr(page, "MPI_Recv(&lt;)"));
    assert_null(strstr(page, "http://"));
    assert_null(strstr(page, "https://"));
    free(page);
}

/* Two files of one name may give two sites one identity. */
static void html_anchors_are_distinct(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {0};
    json_t *sites = json_object_get(scene->document, "sites");
    json_object_set_new(json_array_get(sites, 1), "id", json_string("00000001"));
    char *page = rendered(scene->document, an_report_html, &options);
    unsigned count = 0;
    for (size_t n = 0; page[n] != 0; n++)
        count += strncmp(page + n, "id=\"s-00000001\"", 15) == 0;
    assert_int_equal(count, 1);
    assert_non_null(strstr(page, "id=\"s-00000001-2\""));
    assert_non_null(strstr(page, "href=\"#s-00000001-2\""));
    free(page);
}

/* --- SARIF */

static json_t *sarif_of(const json_t *document, const struct an_report_options *options)
{
    char *text = rendered(document, an_report_sarif, options);
    json_t *log = json_loads(text, 0, NULL);
    assert_non_null(log);
    free(text);
    return log;
}

static json_t *run_of(const json_t *log)
{
    return json_array_get(json_object_get(log, "runs"), 0);
}

static json_t *region_of(const json_t *result)
{
    json_t *location = json_array_get(json_object_get(result, "locations"), 0);
    return json_object_get(json_object_get(location, "physicalLocation"), "region");
}

static const char *fingerprint(const json_t *result)
{
    return an_field(json_object_get(result, "partialFingerprints"), "ftccIdentity/v1");
}

static void sarif_results(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {0};
    json_t *log = sarif_of(scene->document, &options),
           *results = json_object_get(run_of(log), "results");
    const json_t *rules =
        json_object_get(json_object_get(json_object_get(run_of(log), "tool"), "driver"), "rules");
    static const char *const expected[][2] = {
        {"capture", "warning"},
        {"capture", "warning"},
        {"channel-deterministic", "note"},
        {"unknown", "note"}}; /* and nothing of the deterministic one */
    assert_int_equal(json_array_size(results), 4);
    size_t n;
    const json_t *result;
    json_array_foreach (results, n, result) {
        assert_string_equal(an_field(result, "ruleId"), expected[n][0]);
        assert_string_equal(an_field(result, "level"), expected[n][1]);
        const json_t *rule = json_array_get(rules, an_field_number(result, "ruleIndex"));
        assert_string_equal(an_field(rule, "id"), expected[n][0]);
        const json_t *region = region_of(result);
        assert_true(an_field_number(region, "startLine") >= 1);
        assert_true(an_field_number(region, "endColumn") > an_field_number(region, "startColumn"));
    }
    /* Columns are characters: the site begins at byte 7 of its line, which is character 6. */
    const json_t *region = region_of(json_array_get(results, 2));
    assert_int_equal(an_field_number(region, "startColumn"), 6);
    assert_int_equal(an_field_number(region, "endColumn"), 17);
    assert_int_equal(json_array_size(json_object_get(json_array_get(results, 2), "codeFlows")), 1);
    assert_string_not_equal(fingerprint(json_array_get(results, 0)),
                            fingerprint(json_array_get(results, 1)));
    json_decref(log);
}

static void sarif_addresses(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {0};
    json_t *log = sarif_of(scene->document, &options);
    const json_t *artifacts = json_object_get(run_of(log), "artifacts");
    const json_t *inside = json_object_get(json_array_get(artifacts, 0), "location");
    const json_t *outside = json_object_get(json_array_get(artifacts, 1), "location");
    assert_string_equal(an_field(inside, "uri"), "evil.c");
    assert_string_equal(an_field(inside, "uriBaseId"), "SRCROOT");
    assert_string_equal(an_field(outside, "uri"), "file:///else%20where/%E2%82%AC.c");
    assert_string_equal(an_field(outside, "uriBaseId"), "");
    const json_t *notifications =
        json_object_get(json_array_get(json_object_get(run_of(log), "invocations"), 0),
                        "toolExecutionNotifications");
    assert_int_equal(json_array_size(notifications), 1);
    json_decref(log);
}

/* The same program with lines above, and other words in the reason. */
static void sarif_fingerprints(void **state)
{
    struct scene *scene = *state;
    struct an_report_options options = {0};
    json_t *before = sarif_of(scene->document, &options);
    json_t *site = json_array_get(json_object_get(scene->document, "sites"), 0);
    json_object_set_new(site, "line", json_integer(3));
    json_object_set_new(site, "end_line", json_integer(3));
    json_object_set_new(site, "reason", json_string("another"));
    json_t *after = sarif_of(scene->document, &options);
    size_t n;
    const json_t *result;
    json_array_foreach (json_object_get(run_of(before), "results"), n, result)
        assert_string_equal(
            fingerprint(result),
            fingerprint(json_array_get(json_object_get(run_of(after), "results"), n)));
    json_decref(before);
    json_decref(after);
}

static void sarif_fixes(void **state)
{
    struct scene *scene = *state;
    char *path = an_format("%s/evil.c", scene->folder);
    const struct an_insertion insertions[] = {{0, "#include <x>", true},
                                              {11, "FT_SITE(0x00000001); ", false},
                                              {0, "other(0x00000002);", true}};
    const struct an_report_file file = {path, evil, strlen(evil), insertions, 3};
    struct an_report_options options = {.files = &file, .file_count = 1};
    json_t *log = sarif_of(scene->document, &options);
    const json_t *result = json_array_get(json_object_get(run_of(log), "results"), 2);
    const json_t *change = json_array_get(
        json_object_get(json_array_get(json_object_get(result, "fixes"), 0), "artifactChanges"), 0);
    const json_t *replacements = json_object_get(change, "replacements");
    assert_int_equal(json_array_size(replacements), 2);
    const json_t *declared = json_array_get(replacements, 0),
                 *called = json_array_get(replacements, 1);
    assert_string_equal(an_field(json_object_get(declared, "insertedContent"), "text"),
                        "#include <x>\n");
    const json_t *region = json_object_get(called, "deletedRegion");
    assert_int_equal(an_field_number(region, "startLine"), 2);
    assert_int_equal(an_field_number(region, "startColumn"), 6);
    assert_int_equal(an_field_number(region, "endColumn"), 6);
    json_decref(log);
    free(path);
}

/* A source that is no longer the analysed one is not shown. */
static void changed_source(void **state)
{
    struct scene *scene = *state;
    json_t *unit =
        json_array_get(json_object_get(json_object_get(scene->document, "coverage"), "files"), 0);
    json_object_set_new(unit, "digest", json_string("0123456789abcdef"));
    struct an_report_options options = {0};
    char *text = rendered(scene->document, an_report_text, &options);
    assert_null(strstr(text, " | "));
    free(text);
    char *page = rendered(scene->document, an_report_html, &options);
    assert_non_null(strstr(page, "the source has changed since it was analysed"));
    assert_null(strstr(page, "href=\"#f-1-2\""));
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves_names),
        cmocka_unit_test(cleans_text),
        cmocka_unit_test_setup_teardown(merge_refuses, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(merge_joins, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(text_fits, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(short_names_stand_apart, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(html_escapes, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(html_anchors_are_distinct, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(sarif_results, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(sarif_addresses, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(sarif_fingerprints, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(sarif_fixes, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(changed_source, scene_begin, scene_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
