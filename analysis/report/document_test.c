/* A judgement made by hand, and the document that says the same. */
#include "analysis/report/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* int NAME() { MPI_Recv(); break; } in FILE at these lines; the call is what matters. */
struct piece {
    struct an_unit *unit;
    struct an_node *function, *block, *call, *exit;
};

static void place(struct an_node *node, const char *file, unsigned line, unsigned column,
                  unsigned end)
{
    node->place = (struct an_place){file, line, column, 0};
    node->end = (struct an_place){file, line, end, 0};
}

static struct piece piece_create(const char *path, const char *folder, const char *file)
{
    struct piece piece = {.unit = an_unit_create(path)};
    static const struct an_type plain = {.class = AN_INTEGER, .name = "int"};
    piece.unit->folder = an_unit_string(piece.unit, folder);
    piece.unit->digest = 0xABCDEF;
    file = an_unit_string(piece.unit, file);
    piece.function = an_node_create(piece.unit, NULL, AN_FUNCTION);
    piece.function->name = an_unit_printf(piece.unit, "in_%s", folder + 1);
    piece.function->symbol = piece.function->name;
    piece.function->type = an_unit_type(piece.unit, plain);
    piece.block = an_node_create(piece.unit, piece.function, AN_BLOCK);
    piece.call = an_node_create(piece.unit, piece.block, AN_CALL);
    piece.call->name = an_unit_string(piece.unit, "my_recv\xE9");
    piece.call->type = an_unit_type(piece.unit, plain);
    piece.exit = an_node_create(piece.unit, piece.block, AN_BREAK);
    piece.unit->functions = piece.function;
    place(piece.function, file, 3, 1, 2);
    place(piece.block, file, 3, 10, 20);
    place(piece.call, file, 4, 5, 15);
    place(piece.exit, file, 5, 5, 10);
    return piece;
}

struct scene {
    struct an_program *program;
    struct piece one, two;
    struct an_judgement judgement;
};

/* util.c in /base/a, and header.h of /base/b/util.c. */
static int scene_begin(void **state)
{
    struct scene *scene = an_must(calloc(1, sizeof *scene));
    scene->program = an_program_create();
    scene->one = piece_create("./util.c", "/base/a", "./util.c");
    scene->two = piece_create("util.c", "/base/b", "../include/header.h");
    an_program_add(scene->program, scene->one.unit);
    an_program_add(scene->program, scene->two.unit);
    an_program_join(scene->program, true);
    scene->judgement = (struct an_judgement){.program = scene->program, .functions = 2};
    *state = scene;
    return 0;
}

static int scene_end(void **state)
{
    struct scene *scene = *state;
    an_program_destroy(scene->program);
    free(scene);
    return 0;
}

static json_t *document_of(struct scene *scene, const char *base)
{
    struct an_report_options options = {.name = "a.out", .base = base};
    json_t *document = an_report_json(&scene->judgement, &options);
    assert_non_null(document);
    return document;
}

static const json_t *first(const json_t *document, const char *list)
{
    return json_array_get(json_object_get(document, list), 0);
}

static const struct an_call receive = {.name = "Recv"};

static struct an_site site_of(const struct piece *piece, uint32_t id)
{
    return (struct an_site){.id = id,
                            .node = piece->call,
                            .mpi = {.what = &receive, .call = piece->call, .inner = piece->call},
                            .wildcard = AN_WILD_SOURCE | AN_WILD_FLAG,
                            .maybe = AN_WILD_FLAG | AN_WILD_TAG,
                            .verdict = AN_SEND_DETERMINISTIC,
                            .judged = AN_UNKNOWN,
                            .override = true,
                            .reason = "caf\xE9"};
}

static void says_sites(void **state)
{
    struct scene *scene = *state;
    struct an_step nowhere = {.text = "a step without a place"};
    struct an_site two = site_of(&scene->two, 0xB), one = site_of(&scene->one, 0xA);
    one.next = &two;
    one.witness = &nowhere;
    scene->judgement.sites = &one;
    json_t *document = document_of(scene, "/base");
    const json_t *site = first(document, "sites");
    assert_string_equal(an_field(site, "id"), "0000000a");
    assert_string_equal(an_field(site, "file"), "a/util.c");
    assert_string_equal(an_field(site, "function"), "in_base/a");
    assert_string_equal(an_field(site, "call"), "MPI_Recv");
    assert_string_equal(an_field(site, "through"), "my_recv\xEF\xBF\xBD");
    assert_string_equal(an_field(site, "reason"), "caf\xEF\xBF\xBD");
    assert_string_equal(an_field(site, "class"), "send-deterministic");
    assert_string_equal(an_field(site, "judged"), "unknown");
    assert_true(an_field_true(site, "override"));
    assert_int_equal(an_field_number(site, "line"), 4);
    assert_int_equal(an_field_number(site, "column"), 5);
    assert_int_equal(an_field_number(site, "end_column"), 15);
    char *open = an_site_wildcards(site);
    assert_string_equal(open, "source, flag (maybe)");
    free(open);
    const json_t *step = json_array_get(json_object_get(site, "witness"), 0);
    assert_string_equal(an_field(step, "file"), "a/util.c");
    assert_int_equal(an_field_number(step, "line"), 4);
    site = json_array_get(json_object_get(document, "sites"), 1);
    assert_string_equal(an_field(site, "file"), "include/header.h");
    const json_t *classes = json_object_get(json_object_get(document, "program"), "classes");
    assert_int_equal(an_field_number(classes, "send-deterministic"), 2);
    json_decref(document);
}

static void says_patterns(void **state)
{
    struct scene *scene = *state;
    struct an_exit way = {.node = scene->one.exit};
    struct an_pattern pattern = {.id = 1,
                                 .first = scene->one.call,
                                 .last = scene->one.call,
                                 .function = scene->one.function,
                                 .exits = &way,
                                 .falls_through = true,
                                 .separation = AN_BY_TAG};
    struct an_site site = site_of(&scene->one, 2);
    site.pattern = &pattern;
    scene->judgement.sites = &site;
    scene->judgement.patterns = &pattern;
    json_t *document = document_of(scene, "/base");
    assert_string_equal(an_field(first(document, "sites"), "pattern"), "00000001");
    const json_t *said = first(document, "patterns"), *ends = json_object_get(said, "ends");
    assert_string_equal(an_field(said, "separated_by"), "tag");
    assert_int_equal(json_array_size(ends), 2);
    assert_string_equal(an_field(json_array_get(ends, 0), "by"), "break");
    assert_string_equal(an_field(json_array_get(ends, 1), "by"), "end");
    assert_int_equal(an_field_number(json_array_get(ends, 1), "column"), 15);
    json_decref(document);
}

static void says_coverage(void **state)
{
    struct scene *scene = *state;
    struct an_hole facts = {.kind = AN_HOLE_FACTS, .text = "damaged"};
    struct an_hole callee = {.kind = AN_HOLE_CALLEE,
                             .unit = scene->two.unit,
                             .file = "../include/header.h",
                             .line = 4,
                             .text = "t",
                             .next = &facts};
    json_t *document = document_of(scene, "/base");
    const json_t *coverage = json_object_get(document, "coverage");
    assert_true(an_field_true(coverage, "complete"));
    const json_t *files = json_object_get(coverage, "files");
    assert_string_equal(an_field(json_array_get(files, 1), "file"), "b/util.c");
    assert_string_equal(an_field(json_array_get(files, 1), "digest"), "0000000000abcdef");
    json_decref(document);
    scene->judgement.holes = &callee;
    document = document_of(scene, "/base");
    coverage = json_object_get(document, "coverage");
    assert_false(an_field_true(coverage, "complete"));
    const json_t *holes = json_object_get(coverage, "holes");
    assert_string_equal(an_field(json_array_get(holes, 0), "kind"), "callee");
    assert_string_equal(an_field(json_array_get(holes, 0), "file"), "include/header.h");
    assert_string_equal(an_field(json_array_get(holes, 1), "kind"), "facts");
    assert_true(json_is_null(json_object_get(json_array_get(holes, 1), "file")));
    json_decref(document);
}

/* A unit without a tree: nothing is said about it, and the report is not complete. */
static void says_problems(void **state)
{
    struct scene *scene = *state;
    scene->one.unit->problem = "util.c:1:1: no C";
    json_t *document = document_of(scene, "/base");
    const json_t *coverage = json_object_get(document, "coverage");
    assert_false(an_field_true(coverage, "complete"));
    const json_t *file = json_array_get(json_object_get(coverage, "files"), 0);
    assert_true(json_is_null(json_object_get(file, "digest")));
    assert_string_equal(an_field(file, "problem"), "util.c:1:1: no C");
    json_decref(document);
}

/* The base is the folder that the units have in common, unless they lie below the working folder.
 */
static void chooses_base(void **state)
{
    struct scene *scene = *state;
    char *base = an_path_base(scene->program, NULL);
    assert_string_equal(base, "/base");
    free(base);
    base = an_path_base(scene->program, "/base/a/./x/..");
    assert_string_equal(base, "/base/a");
    free(base);
    struct an_site site = site_of(&scene->two, 1);
    scene->judgement.sites = &site;
    json_t *document = document_of(scene, "/base/a");
    assert_string_equal(an_field(first(document, "sites"), "file"), "/base/include/header.h");
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(says_sites, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(says_patterns, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(says_coverage, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(says_problems, scene_begin, scene_end),
        cmocka_unit_test_setup_teardown(chooses_base, scene_begin, scene_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
