/* The table says something about every function of the runtime's table, which is compared with
 * mpi.h, and its letters agree with the names that mpi.h gives the arguments. */
#include "analysis/program/calls.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const runtime_names[] = {
#define FT_REASON(reason, text)
#define FT_CALL(name, class) #name,
#define FT_REFUSED(name, reason) #name,
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
};

static const char *const names[] = {
#define AN_MPI_CALL(name, role, flags, letters) #name,
#include "analysis/program/calls.def"
#undef AN_MPI_CALL
};

/* The names that mpi.h gives to what a letter stands for. */
static const struct {
    char letter;
    const char *names;
} meanings[] = {
    {'b', " buf sendbuf "},
    {'n', " count sendcount sendcounts recvcounts recvcount "},
    {'d', " datatype sendtype sendtypes "},
    {'p', " dest root "},
    {'t', " tag sendtag "},
    {'B', " buf recvbuf "},
    {'N', " count recvcount recvcounts "},
    {'D', " datatype recvtype recvtypes "},
    {'P', " source root dest "}, /* Precv_init's source is called dest in mpi.h */
    {'T', " tag recvtag "},
    {'x', " buf buffer "},
    {'y', " count recvcounts recvcount "},
    {'z', " datatype "},
    {'q', " root "},
    {'c', " comm comm_old oldcomm local_comm "},
    {'r', " request array_of_requests "},
    {'m', " count incount "},
    {'s', " status array_of_statuses "},
    {'i', " index indx array_of_indices "},
    {'o', " outcount "},
    {'f', " flag "},
    {'M', " message "},
    {'O', " op "},
};

static const char *meaning(char letter)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].letter == letter)
            return meanings[i].names;
    return NULL;
}

static void every_function_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runtime_names / sizeof *runtime_names; i++)
        if (strncmp(runtime_names[i], "MPI_", 4) == 0 && !an_call_find(runtime_names[i]))
            fail_msg("%s is missing in analysis/program/calls.def", runtime_names[i]);
}

static void the_table_is_in_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i - 1], names[i]) >= 0)
            fail_msg("%s stands before %s", names[i - 1], names[i]);
}

static void names_are_found_in_all_forms(void **state)
{
    (void)state;
    assert_int_equal(an_call_find("MPI_Recv")->receive.peer, 3);
    assert_int_equal(an_call_find("PMPI_Recv")->receive.tag, 4);
    assert_int_equal(an_call_find("MPI_Recv_c")->role, AN_RECEIVE);
    assert_int_equal(an_call_find("MPI_Sendrecv")->receive.peer, 8);
    assert_int_equal(an_call_find("MPI_Sendrecv")->send.peer, 3);
    assert_int_equal(an_call_find("MPI_Sendrecv_replace")->receive.peer, 5);
    assert_int_equal(an_call_find("MPI_Sendrecv_replace")->receive.buffer, 0);
    assert_int_equal(an_call_find("MPI_Sendrecv_replace")->send.buffer, 0);
    assert_int_equal(an_call_find("MPI_Waitsome")->indices, 2);
    assert_int_equal(an_call_find("MPI_Barrier")->flags, AN_SYNCHRONISES);
    assert_int_equal(an_call_find("MPI_Bcast")->flags, 0);
    assert_null(an_call_find("MPI_Rec"));
    assert_null(an_call_find("Recv"));
    assert_null(an_call_find("MPI_"));
    assert_null(an_call_find(""));
}

static void wrappers_are_found_by_their_end(void **state)
{
    (void)state;
    assert_ptr_equal(an_call_find_suffix("hypre_MPI_Irecv"), an_call_find("MPI_Irecv"));
    assert_ptr_equal(an_call_find_suffix("MPI_to_MPI_Send"), an_call_find("MPI_Send"));
    assert_null(an_call_find_suffix("hypre_MPI_Irecving"));
    assert_null(an_call_find_suffix("irecv"));
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* The last word of a parameter: "MPI_Request array_of_requests[]" -> " array_of_requests ". */
static void last_word(const char *from, const char *to, char word[64])
{
    const char *bracket = memchr(from, '[', (size_t)(to - from));
    if (bracket)
        to = bracket;
    while (to > from && !isalnum(to[-1]) && to[-1] != '_')
        to--;
    const char *start = to;
    while (start > from && (isalnum(start[-1]) || start[-1] == '_'))
        start--;
    snprintf(word, 64, " %.*s ", (int)(to - start), start);
}

static void check_letter(const struct an_call *call, size_t number, const char word[64])
{
    char letter = number < strlen(call->letters) ? call->letters[number] : '?';

    if (letter == '?')
        fail_msg("MPI_%s has more arguments than letters", call->name);
    if (letter != '.' && (!meaning(letter) || !strstr(meaning(letter), word)))
        fail_msg("MPI_%s: argument %zu is '%c' but mpi.h calls it%s", call->name, number, letter,
                 word);
}

/* `text` stands behind the opening parenthesis of a prototype. */
static void check_prototype(const struct an_call *call, const char *text)
{
    size_t number = 0, depth = 0;
    const char *from = text;
    char word[64];

    if (strncmp(text, "void)", 5) == 0)
        number = 0;
    else
        for (;; text++) {
            depth += *text == '(';
            if (depth == 0 && (*text == ',' || *text == ')')) {
                last_word(from, text, word);
                if (!strstr(word, " "
                                  "  ") &&
                    !strstr(from, "..."))
                    check_letter(call, number, word);
                else if (strncmp(from + strspn(from, " "), "...", 3) != 0)
                    check_letter(call, number, word);
                else
                    number--;
                number++;
                from = text + 1;
            }
            if (depth == 0 && *text == ')')
                break;
            depth -= *text == ')';
        }
    if (number != strlen(call->letters))
        fail_msg("MPI_%s has %zu arguments, but %zu letters", call->name, number,
                 strlen(call->letters));
}

/* FT_MPI_TEXT is mpi.h, preprocessed. */
static void letters_agree_with_the_header(void **state)
{
    char *text = read_all(FT_MPI_TEXT);
    unsigned found = 0;

    (void)state;
    for (const char *at = strstr(text, " MPI_"); at; at = strstr(at + 1, " MPI_")) {
        char name[64];
        size_t length =
            strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        if (at[length + 1] != '(' || length >= sizeof name || at[length + 2] == '*')
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
        if (length > 2 && strcmp(name + length - 2, "_c") == 0)
            continue;
        if (!an_call_find(name))
            fail_msg("%s is missing in analysis/program/calls.def", name);
        check_prototype(an_call_find(name), at + length + 2);
        found++;
    }
    free(text);
    assert_in_range(found, 400, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_known),
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(names_are_found_in_all_forms),
        cmocka_unit_test(wrappers_are_found_by_their_end),
        cmocka_unit_test(letters_agree_with_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
