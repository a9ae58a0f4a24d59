/* Units by hand: interning, children, walking, what a tree must be, and C text again. */
#include "analysis/tree/dump.h"
#include "analysis/tree/valid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct an_unit *unit;

static int unit_begin(void **state)
{
    (void)state;
    unit = an_unit_create("a.c");
    return 0;
}

static int unit_end(void **state)
{
    (void)state;
    an_unit_destroy(unit);
    return 0;
}

static const struct an_type *integer(void)
{
    return an_unit_type(unit, (struct an_type){.class = AN_INTEGER, .name = "int"});
}

static struct an_node *node(struct an_node *parent, enum an_kind kind, enum an_operator op)
{
    struct an_node *made = an_node_create(unit, parent, kind);
    made->op = op;
    made->type = integer();
    made->place.file = made->end.file = unit->path;
    return made;
}

static struct an_node *name(struct an_node *parent, const char *text)
{
    struct an_node *made = node(parent, AN_REFERENCE, AN_OP_NONE);
    made->name = made->symbol = an_unit_string(unit, text);
    return made;
}

static struct an_node *number(struct an_node *parent, int64_t value)
{
    struct an_node *made = node(parent, AN_NUMBER, AN_OP_NONE);
    made->constant = true;
    made->value = value;
    return made;
}

static void equal_strings_and_types_are_one(void **state)
{
    (void)state;
    char other[] = "abc";
    assert_ptr_equal(an_unit_string(unit, "abc"), an_unit_string(unit, other));
    assert_ptr_not_equal(an_unit_string(unit, "abc"), an_unit_string(unit, "ab"));
    assert_ptr_equal(an_unit_printf(unit, "a%dc", 1), an_unit_string(unit, "a1c"));
    assert_null(an_unit_string(unit, NULL));
    struct an_type pointer = {.class = AN_POINTER, .name = "int *", .below = integer()};
    assert_ptr_equal(an_unit_type(unit, pointer), an_unit_type(unit, pointer));
    struct an_type handle = {.class = AN_COMM, .name = "int"};
    assert_ptr_not_equal(an_unit_type(unit, handle), integer());
}

static void children_have_numbers(void **state)
{
    (void)state;
    struct an_node *call = node(NULL, AN_CALL, AN_OP_NONE);
    struct an_node *callee = name(call, "f"), *first = number(call, 1), *second = number(call, 2);
    assert_ptr_equal(an_child(call, 0), callee);
    assert_ptr_equal(an_argument(call, 0), first);
    assert_ptr_equal(an_argument(call, 1), second);
    assert_null(an_argument(call, 2));
    assert_int_equal(an_arguments(call), 2);
    assert_int_equal(an_children(call), 3);
    assert_null(an_function_of(call));
}

static void preorder_visits_each_node_once(void **state)
{
    (void)state;
    struct an_node *sum = node(NULL, AN_BINARY, AN_OP_ADD);
    struct an_node *product = node(sum, AN_BINARY, AN_OP_MUL);
    struct an_node *a = name(product, "a"), *b = name(product, "b"), *c = name(sum, "c");
    struct an_node *order[] = {sum, product, a, b, c, NULL};
    struct an_node *at = sum;
    for (unsigned i = 0; order[i]; i++, at = an_next(sum, at, false))
        assert_ptr_equal(at, order[i]);
    assert_null(at);
    assert_ptr_equal(an_next(sum, product, true), c);
    assert_null(an_next(sum, sum, true));
    assert_ptr_equal(an_next(product, a, false), b);
    assert_null(an_next(product, b, false));
}

static void casts_and_commas_are_seen_through(void **state)
{
    (void)state;
    struct an_node *cast = node(NULL, AN_CAST, AN_OP_NONE);
    struct an_node *comma = node(cast, AN_BINARY, AN_OP_COMMA);
    name(comma, "a");
    struct an_node *b = name(comma, "b");
    assert_ptr_equal(an_plain(cast), b);
    assert_ptr_equal(an_plain(b), b);
    assert_null(an_plain(NULL));
}

static struct an_node *binary(struct an_node *parent, enum an_operator op)
{
    return node(parent, AN_BINARY, op);
}

static void parentheses_are_where_c_needs_them(void **state)
{
    (void)state;
    struct an_node *product = binary(NULL, AN_OP_MUL);
    struct an_node *sum = binary(product, AN_OP_ADD);
    name(sum, "a");
    number(sum, -1);
    name(product, "b");
    assert_string_equal(an_text(unit, product), "(a + -1) * b");
    struct an_node *difference = binary(NULL, AN_OP_SUB);
    name(difference, "a");
    struct an_node *right = binary(difference, AN_OP_SUB);
    name(right, "b");
    name(right, "c");
    assert_string_equal(an_text(unit, difference), "a - (b - c)");
    struct an_node *left = binary(NULL, AN_OP_SUB);
    struct an_node *inner = binary(left, AN_OP_SUB);
    name(inner, "a");
    name(inner, "b");
    name(left, "c");
    assert_string_equal(an_text(unit, left), "a - b - c");
}

static void unary_operators_keep_apart(void **state)
{
    (void)state;
    struct an_node *minus = node(NULL, AN_UNARY, AN_OP_MINUS);
    struct an_node *again = node(minus, AN_UNARY, AN_OP_MINUS);
    name(again, "a");
    assert_string_equal(an_text(unit, minus), "- -a");
    struct an_node *star = node(NULL, AN_UNARY, AN_OP_DEREF);
    name(node(star, AN_UNARY, AN_OP_POST_INC), "p");
    assert_string_equal(an_text(unit, star), "*p++");
    struct an_node *after = node(NULL, AN_UNARY, AN_OP_POST_INC);
    name(node(after, AN_UNARY, AN_OP_DEREF), "p");
    assert_string_equal(an_text(unit, after), "(*p)++");
}

static void accesses_bind_most(void **state)
{
    (void)state;
    struct an_node *index = node(NULL, AN_INDEX, AN_OP_NONE);
    struct an_node *member = node(index, AN_MEMBER, AN_OP_NONE);
    member->name = "items";
    name(node(member, AN_UNARY, AN_OP_DEREF), "p");
    number(index, 3);
    assert_string_equal(an_text(unit, index), "(*p).items[3]");
    struct an_node *arrow = node(NULL, AN_MEMBER, AN_OP_NONE);
    arrow->arrow = true;
    arrow->name = "n";
    name(node(arrow, AN_CAST, AN_OP_NONE), "p");
    assert_string_equal(an_text(unit, arrow), "((int)p)->n");
}

static void assignments_and_choices_nest(void **state)
{
    (void)state;
    struct an_node *assign = node(NULL, AN_ASSIGN, AN_OP_SHL);
    name(assign, "a");
    struct an_node *choose = node(assign, AN_CHOOSE, AN_OP_NONE);
    name(node(choose, AN_ASSIGN, AN_OP_NONE), "b");
    number(choose->child, 1);
    name(choose, "c");
    struct an_node *call = node(choose, AN_CALL, AN_OP_NONE);
    name(call, "f");
    struct an_node *comma = binary(call, AN_OP_COMMA);
    name(comma, "d");
    name(comma, "e");
    assert_string_equal(an_text(unit, assign), "a <<= (b = 1) ? c : f((d, e))");
}

static void a_macro_is_its_name(void **state)
{
    (void)state;
    struct an_node *cast = node(NULL, AN_CAST, AN_OP_NONE);
    cast->name = "MPI_COMM_WORLD";
    number(cast, 0x44000000);
    assert_string_equal(an_text(unit, cast), "MPI_COMM_WORLD");
}

static void what_is_no_tree_is_told(void **state)
{
    (void)state;
    struct an_node *function = name(NULL, "f");
    function->kind = AN_FUNCTION;
    unit->functions = function;
    assert_non_null(an_unit_flaw(unit));
    struct an_node *body = node(function, AN_BLOCK, AN_OP_NONE);
    assert_null(an_unit_flaw(unit));
    struct an_node *branch = node(body, AN_IF, AN_OP_NONE);
    assert_string_equal(an_unit_flaw(unit), "a wrong number of children");
    number(branch, 1);
    node(branch, AN_EMPTY, AN_OP_NONE);
    struct an_node *otherwise = node(branch, AN_EMPTY, AN_OP_NONE);
    assert_null(an_unit_flaw(unit));
    otherwise->kind = AN_PARAMETER;
    assert_non_null(an_unit_flaw(unit));
    otherwise->kind = AN_BINARY;
    assert_string_equal(an_unit_flaw(unit), "an operator where none belongs");
    otherwise->kind = AN_REFERENCE;
    assert_string_equal(an_unit_flaw(unit), "a reference without a name");
    otherwise->kind = AN_NUMBER;
    otherwise->type = NULL;
    assert_string_equal(an_unit_flaw(unit), "a value without a type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_strings_and_types_are_one, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(children_have_numbers, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(preorder_visits_each_node_once, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(casts_and_commas_are_seen_through, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(parentheses_are_where_c_needs_them, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(unary_operators_keep_apart, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(accesses_bind_most, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(assignments_and_choices_nest, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(a_macro_is_its_name, unit_begin, unit_end),
        cmocka_unit_test_setup_teardown(what_is_no_tree_is_told, unit_begin, unit_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
