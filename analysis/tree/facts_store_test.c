/* Records: what is written is read again, whatever stands around it; what is damaged is told. */
#include "analysis/tree/dump.h"
#include "analysis/tree/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <xxhash.h>

static struct an_node *node(struct an_unit *unit, struct an_node *parent, enum an_kind kind)
{
    struct an_node *made = an_node_create(unit, parent, kind);
    made->type = an_unit_type(unit, (struct an_type){.class = AN_INTEGER, .name = "int"});
    made->place = (struct an_place){unit->path, 7, 3, 100};
    made->end = (struct an_place){unit->path, 7, 9, 106};
    return made;
}

static void named(struct an_unit *unit, struct an_node *made, const char *text)
{
    made->name = an_unit_string(unit, text);
    made->symbol = an_unit_printf(unit, "c:@%s", text);
}

/* struct outer { struct inner { char a; int b; } in[2]; void *p; } */
static const struct an_type *record_type(struct an_unit *unit)
{
    const struct an_field inner[] = {{"a", 0, 8, AN_INTEGER, NULL},
                                     {"b", 32, 32, AN_INTEGER, NULL}};
    struct an_type type = {.class = AN_RECORD, .name = "struct inner"};
    type.layout = an_unit_layout(unit, 64, inner, 2);
    const struct an_field outer[] = {{"in", 0, 128, AN_RECORD, an_unit_type(unit, type)},
                                     {"p", 128, 64, AN_POINTER, NULL}};
    type.name = "struct outer";
    type.layout = an_unit_layout(unit, 192, outer, 2);
    return an_unit_type(unit, type);
}

/* A unit in which no member has its default. */
static struct an_unit *sample(const char *path)
{
    struct an_unit *unit = an_unit_create(path);
    unit->folder = an_unit_string(unit, "/home");
    unit->first_declaration = 12;
    unit->hooked_by_hand = true;
    unit->strange = an_unit_string(unit, "a.cc:1:1: an exception is not followed");
    unit->digest = UINT64_C(0xfedcba9876543210);
    struct an_node *variable = unit->variables = node(unit, NULL, AN_VARIABLE);
    named(unit, variable, "v");
    variable->storage = AN_GLOBAL;
    variable->internal = true;
    node(unit, variable, AN_NUMBER)->constant = true;
    variable->child->value = INT64_MIN;
    struct an_node *function = unit->functions = node(unit, NULL, AN_FUNCTION);
    named(unit, function, "f");
    function->variadic = function->noreturn = true;
    struct an_node *body = node(unit, function, AN_BLOCK);
    body->editable = true;
    struct an_node *call = node(unit, body, AN_CALL);
    call->system = call->by_macro = true;
    call->place = (struct an_place){an_unit_string(unit, "b.h"), 70000, 1, 4000000000u};
    call->end = (struct an_place){call->place.file, 3, 80, 5};
    struct an_node *member = node(unit, call, AN_MEMBER);
    named(unit, member, "m");
    member->arrow = true;
    member->type = an_unit_type(
        unit, (struct an_type){.class = AN_POINTER, .name = "int *", .below = member->type});
    struct an_node *sum = node(unit, member, AN_BINARY);
    sum->op = AN_OP_COMMA;
    node(unit, sum, AN_STRING);
    node(unit, sum, AN_SIZEOF)->value = 16;
    sum->type = record_type(unit);
    struct an_gap *gap = unit->gaps = an_unit_alloc(unit, sizeof *gap);
    *gap = (struct an_gap){unit->path, 3, 9, an_unit_string(unit, "MPI_Send MPI_Recv"), NULL};
    struct an_word *word = unit->words = an_unit_alloc(unit, sizeof *word);
    *word = (struct an_word){unit->path, 4, true, an_unit_string(unit, "pattern p"), NULL};
    return unit;
}

static void written_is_read(void **state)
{
    (void)state;
    struct an_unit *unit = sample("a.c");
    void *bytes;
    size_t length, offset = 0;
    unsigned damaged = 0;
    const char *why = NULL;
    an_store_write(unit, &bytes, &length);
    struct an_unit *copy = an_store_read(bytes, length, &offset, &damaged, &why);
    assert_non_null(copy);
    assert_int_equal(offset, length);
    assert_int_equal(damaged, 0);
    assert_null(why);
    char *first = an_dump_unit(unit), *second = an_dump_unit(copy);
    assert_string_equal(first, second);
    assert_ptr_equal(copy->path, an_unit_string(copy, "a.c"));
    assert_null(an_store_read(bytes, length, &offset, &damaged, &why));
    assert_int_equal(damaged, 0);
    free(first);
    free(second);
    free(bytes);
    an_unit_destroy(copy);
    an_unit_destroy(unit);
}

/* Fields that reach out of their record, or hold a larger one, are none. */
static void layouts_are_not_believed(void **state)
{
    (void)state;
    static const struct an_field cases[] = {{"x", 0, 65, AN_INTEGER, NULL},
                                            {"x", 65, 0, AN_INTEGER, NULL},
                                            {"x", UINT64_MAX, 8, AN_INTEGER, NULL},
                                            {"x", 8, UINT64_MAX, AN_INTEGER, NULL},
                                            {"x", 0, 64, AN_RECORD, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_unit *unit = sample("a.c");
        struct an_type type = {.class = AN_RECORD, .name = "struct s"};
        struct an_field field = cases[i];
        if (field.class == AN_RECORD)
            field.record = record_type(unit);
        type.layout = an_unit_layout(unit, 64, &field, 1);
        unit->functions->type = an_unit_type(unit, type);
        void *bytes;
        size_t length, offset = 0;
        unsigned damaged = 0;
        const char *why = NULL;
        an_store_write(unit, &bytes, &length);
        assert_null(an_store_read(bytes, length, &offset, &damaged, &why));
        assert_non_null(strstr(why, "outside of its"));
        free(bytes);
        an_unit_destroy(unit);
    }
}

static void a_problem_is_kept(void **state)
{
    (void)state;
    struct an_unit *unit = an_unit_create("a.c");
    unit->problem = an_unit_string(unit, "a.c:1:1: no");
    void *bytes;
    size_t length, offset = 0;
    unsigned damaged = 0;
    const char *why;
    an_store_write(unit, &bytes, &length);
    struct an_unit *copy = an_store_read(bytes, length, &offset, &damaged, &why);
    assert_string_equal(copy->problem, "a.c:1:1: no");
    assert_null(copy->functions);
    free(bytes);
    an_unit_destroy(copy);
    an_unit_destroy(unit);
}

/* "x" a unit called x, "0" eight bytes of padding, "!" eight bytes of something else, "/" a record
 * that lacks its last byte. */
static char *section_make(const char *plan, size_t *length)
{
    char *section;
    FILE *out = open_memstream(&section, length);
    assert_non_null(out);
    for (; *plan; plan++) {
        if (*plan == '0' || *plan == '!') {
            fwrite(*plan == '0' ? "\0\0\0\0\0\0\0\0" : "something", 1, 8, out);
            continue;
        }
        char path[2] = {*plan, '\0'};
        struct an_unit *unit = sample(path);
        void *bytes;
        size_t size;
        an_store_write(unit, &bytes, &size);
        fwrite(bytes, 1, size - (*plan == '/'), out);
        free(bytes);
        an_unit_destroy(unit);
    }
    fclose(out);
    return section;
}

static void records_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *units;
        unsigned damaged;
    } cases[] = {
        {"", "", 0},    {"a", "a", 0},    {"ab", "ab", 0},     {"0a00b0", "ab", 0},
        {"!a", "a", 1}, {"a!b", "ab", 1}, {"a!0!b!", "ab", 2}, {"!", "", 1},
        {"/", "", 1},   {"a/b", "ab", 1}, {"//a", "a", 1},     {"0000", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length, offset = 0;
        unsigned damaged = 0;
        const char *why;
        char *section = section_make(cases[i].plan, &length), units[8] = "";
        struct an_unit *unit;
        while ((unit = an_store_read(section, length, &offset, &damaged, &why))) {
            strcat(units, unit->path);
            an_unit_destroy(unit);
        }
        if (strcmp(units, cases[i].units) != 0 || damaged != cases[i].damaged)
            fail_msg("%s: units %s, %u damaged", cases[i].plan, units, damaged);
        assert_int_equal(offset, length);
        free(section);
    }
}

/* One wrong bit anywhere is noticed, and so is each shorter length. */
static void damage_is_noticed(void **state)
{
    (void)state;
    size_t length;
    char *section = section_make("a", &length);
    for (size_t bit = 0; bit < length * 8; bit++) {
        size_t offset = 0;
        unsigned damaged = 0;
        const char *why = NULL;
        section[bit / 8] ^= (char)(1 << bit % 8);
        assert_null(an_store_read(section, length, &offset, &damaged, &why));
        assert_int_equal(damaged, 1);
        assert_non_null(why);
        section[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t shorter = 1; shorter < length; shorter++) {
        size_t offset = 0;
        unsigned damaged = 0;
        const char *why;
        assert_null(an_store_read(section, shorter, &offset, &damaged, &why));
        assert_int_equal(damaged, 1);
    }
    free(section);
}

enum { AT_VERSION = 8, AT_LENGTH = 24, AT_CHECKSUM = 32, HEAD = 40 };

/* Sets a number of the head, with the checksum that belongs to it. */
static void head_forge(char *record, size_t length, size_t at, uint64_t value, size_t bytes)
{
    memcpy(record + at, &value, bytes);
    uint64_t checksum = XXH64(record, AT_CHECKSUM, 0);
    checksum = XXH64(record + HEAD, length - HEAD, checksum);
    memcpy(record + AT_CHECKSUM, &checksum, sizeof checksum);
}

static void heads_are_not_believed(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint64_t value;
        size_t bytes;
        const char *why;
    } cases[] = {
        {AT_VERSION, 1, 4, "facts of another version of ftcc"},
        {AT_LENGTH, UINT64_C(1) << 40, 8, "a record is too large"},
        {AT_LENGTH, 1 << 20, 8, "compressed bytes are damaged"},
        {AT_LENGTH, 1, 8, "compressed bytes are damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length, offset = 0;
        unsigned damaged = 0;
        const char *why = NULL;
        char *section = section_make("a", &length);
        head_forge(section, length, cases[i].at, cases[i].value, cases[i].bytes);
        assert_null(an_store_read(section, length, &offset, &damaged, &why));
        assert_string_equal(why, cases[i].why);
        free(section);
    }
}

static struct an_node *nest(struct an_unit *unit, unsigned depth)
{
    struct an_node *function = unit->functions = node(unit, NULL, AN_FUNCTION);
    named(unit, function, "f");
    struct an_node *inner = function;
    for (unsigned i = 0; i < depth; i++)
        inner = node(unit, inner, AN_BLOCK);
    return inner;
}

static void depth_is_bounded(void **state)
{
    (void)state;
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        struct an_unit *unit = an_unit_create("a.c");
        nest(unit, AN_DEPTH + beyond);
        void *bytes;
        size_t length, offset = 0;
        unsigned damaged = 0;
        const char *why;
        an_store_write(unit, &bytes, &length);
        struct an_unit *copy = an_store_read(bytes, length, &offset, &damaged, &why);
        assert_int_equal(copy == NULL, beyond);
        assert_int_equal(damaged, beyond);
        free(bytes);
        an_unit_destroy(copy);
        an_unit_destroy(unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read),          cmocka_unit_test(a_problem_is_kept),
        cmocka_unit_test(records_are_found),        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(heads_are_not_believed),   cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(layouts_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
