/* Idea: one table from calls.def, in the order of strcmp, so that a name is found by bisection. The
 * numbers of the arguments are read from the letters once. */
#include "analysis/program/calls.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct an_call table[] = {
#define AN_MPI_CALL(call, part, bits, text)                                                        \
    {.name = #call, .role = AN_##part, .flags = bits, .letters = text},
#include "analysis/program/calls.def"
#undef AN_MPI_CALL
};

enum { CALLS = sizeof table / sizeof *table, LONGEST = 64 };

static signed char number(const char *letters, char one, char both)
{
    for (int i = 0; letters[i]; i++)
        if (letters[i] == one || letters[i] == both)
            return (signed char)i;
    return -1;
}

static void fill(struct an_call *call)
{
    const char *l = call->letters;

    call->arguments = (signed char)strlen(l);
    call->send =
        (struct an_message_arguments){number(l, 'b', 'x'), number(l, 'n', 'y'), number(l, 'd', 'z'),
                                      number(l, 'p', 'q'), number(l, 't', 't')};
    call->receive =
        (struct an_message_arguments){number(l, 'B', 'x'), number(l, 'N', 'y'), number(l, 'D', 'z'),
                                      number(l, 'P', 'q'), number(l, 'T', 'T')};
    call->comm = number(l, 'c', 'c');
    call->request = number(l, 'r', 'r');
    call->requests = number(l, 'm', 'm');
    call->status = number(l, 's', 's');
    call->index = number(l, 'i', 'i');
    call->indices = number(l, 'o', 'o');
    call->flag = number(l, 'f', 'f');
    call->message = number(l, 'M', 'M');
    call->operation = number(l, 'O', 'O');
}

static void fill_all(void)
{
    for (int i = 0; i < CALLS; i++)
        fill(&table[i]);
}

static const struct an_call *find(const char *name)
{
    static pthread_once_t filled = PTHREAD_ONCE_INIT;
    int low = 0, high = CALLS;

    pthread_once(&filled, fill_all);
    while (low < high) {
        int middle = (low + high) / 2, order = strcmp(name, table[middle].name);
        if (order == 0)
            return &table[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct an_call *an_call_find(const char *function)
{
    char name[LONGEST];
    const char *rest = *function == 'P' ? function + 1 : function;

    if (strncmp(rest, "MPI_", 4) != 0)
        return NULL;
    rest += 4;
    size_t length = strlen(rest);
    if (length > 2 && strcmp(rest + length - 2, "_c") == 0)
        length -= 2;
    if (length == 0 || length >= sizeof name)
        return NULL;
    memcpy(name, rest, length);
    name[length] = '\0';
    return find(name);
}

const struct an_call *an_call_find_suffix(const char *function)
{
    const char *last = NULL;

    for (const char *at = strstr(function, "MPI_"); at; at = strstr(at + 1, "MPI_"))
        last = at;
    return last ? an_call_find(last) : NULL;
}
