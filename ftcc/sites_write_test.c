/* The runtime reads the sites that ftcc writes. */
#include "ftcc/sites.h"
#include "runtime/shared/sites/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A unit with one function and a call in each of the given lines. */
struct made {
    struct an_unit *unit;
    struct an_node *function;
};

static struct made unit_make(void)
{
    struct an_unit *unit = an_unit_create("a.c");
    struct an_node *function = an_node_create(unit, NULL, AN_FUNCTION);
    function->name = an_unit_string(unit, "exchange");
    function->place.file = an_unit_string(unit, "sub/a.c");
    return (struct made){unit, function};
}

static struct an_node *node_make(const struct made *made, enum an_kind kind, unsigned line)
{
    struct an_node *node = an_node_create(made->unit, made->function, kind);
    node->name = an_unit_string(made->unit, "MPI_Iprobe");
    node->place = made->function->place;
    node->place.line = line;
    return node;
}

static struct an_site site_make(const struct made *made, uint32_t id, enum an_verdict verdict,
                                struct an_site *next)
{
    struct an_node *node = node_make(made, AN_CALL, 10 + id % 10);
    return (struct an_site){.id = id,
                            .node = node,
                            .mpi = {.call = node, .inner = node},
                            .verdict = verdict,
                            .next = next};
}

static struct ft_sites *table_of(const struct an_judgement *judgement)
{
    struct ft_sites *table = NULL;
    struct rw_text bytes = cc_sites_write(judgement);
    assert_int_equal(ft_sites_parse(bytes.text, bytes.length, &table), 0);
    free(bytes.text);
    return table;
}

static void every_entry_comes_back(void **state)
{
    (void)state;
    struct made made = unit_make();
    struct an_pattern pattern = {.id = 77,
                                 .first = node_make(&made, AN_WHILE, 30),
                                 .function = made.function,
                                 .trusted = true};
    struct an_hook hook = {
        .id = 5, .loop = node_make(&made, AN_FOR, 40), .function = made.function, .chosen = true};
    struct an_site second = site_make(&made, 0x80000003, AN_CHANNEL_DETERMINISTIC, NULL);
    second.pattern = &pattern;
    second.wildcard = AN_WILD_SOURCE;
    second.override = true;
    struct an_site first = site_make(&made, 0xfffffff1, AN_UNKNOWN, &second);
    first.logged = true;
    struct an_judgement judgement = {.sites = &first, .patterns = &pattern, .hooks = &hook};
    struct ft_sites *table = table_of(&judgement);

    const struct ft_site_entry *site = ft_sites_find(table, 0x80000003);
    assert_non_null(site);
    assert_int_equal(site->class, FT_SITE_CHANNEL_DETERMINISTIC);
    assert_int_equal(site->flags, FT_SITE_OVERRIDE | FT_SITE_ANONYMOUS);
    assert_int_equal(site->pattern, 77);
    assert_int_equal(site->line, 11);
    assert_string_equal(ft_sites_text(table, site->file), "sub/a.c");
    assert_string_equal(ft_sites_text(table, site->function), "exchange");
    assert_string_equal(ft_sites_text(table, site->call), "MPI_Iprobe");
    site = ft_sites_find(table, 0xfffffff1);
    assert_non_null(site);
    assert_int_equal(site->class, FT_SITE_UNKNOWN);
    assert_int_equal(site->flags, FT_SITE_LOGGED);
    assert_int_equal(ft_sites_pattern(table, 77)->flags, FT_PATTERN_TRUSTED);
    assert_int_equal(ft_sites_pattern(table, 77)->line, 30);
    assert_int_equal(ft_sites_hook(table, 5)->chosen, 1);
    assert_int_equal(ft_sites_hook(table, 5)->line, 40);
    assert_null(ft_sites_find(table, 78));
    ft_sites_destroy(table);
    an_unit_destroy(made.unit);
}

static void equal_ids_count_as_the_worst(void **state)
{
    (void)state;
    struct made made = unit_make();
    struct an_site third = site_make(&made, 9, AN_DETERMINISTIC, NULL);
    struct an_site second = site_make(&made, 9, AN_NON_DETERMINISTIC, &third);
    struct an_site first = site_make(&made, 9, AN_SEND_DETERMINISTIC, &second);
    struct an_judgement judgement = {.sites = &first};
    struct ft_sites *table = table_of(&judgement);
    uint32_t count;
    ft_sites_all(table, &count);
    assert_int_equal(count, 1);
    assert_int_equal(ft_sites_find(table, 9)->class, FT_SITE_NON_DETERMINISTIC);
    assert_int_equal(ft_sites_find(table, 9)->flags, FT_SITE_LOGGED);
    ft_sites_destroy(table);
    an_unit_destroy(made.unit);
}

static void a_program_without_sites_has_an_empty_table(void **state)
{
    (void)state;
    struct an_judgement judgement = {.sites = NULL};
    struct ft_sites *table = table_of(&judgement);
    uint32_t count;
    ft_sites_all(table, &count);
    assert_int_equal(count, 0);
    ft_sites_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_comes_back),
        cmocka_unit_test(equal_ids_count_as_the_worst),
        cmocka_unit_test(a_program_without_sites_has_an_empty_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
