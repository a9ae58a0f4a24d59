#include "rewriters/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100 };

bool rw_target_holds(const struct rw_target *target, const struct an_node *node)
{
    const struct an_program *program = target->judgement->program;
    if (an_program_units(program) > 1 && an_program_unit_of(program, node) != target->unit)
        return false;
    return strcmp(node->place.file, target->file) == 0 &&
           strcmp(node->end.file, target->file) == 0 && node->place.offset <= target->length &&
           node->end.offset <= target->length;
}

bool rw_target_is_main(const struct rw_target *target)
{
    return strcmp(target->file, target->unit->path) == 0;
}

/* Neither ends the comment nor begins another, which compilers warn of; stays in its line. */
static void words_clean(char *words)
{
    for (char *c = words; *c; c++) {
        if ((c[0] == '*' && c[1] == '/') || (c[0] == '/' && c[1] == '*'))
            c[0] = c[1] = ' ';
        if ((unsigned char)*c < ' ' || *c == '\\' || *c == '?')
            *c = *c == '?' && c[1] != '?' ? '?' : ' ';
    }
}

/* The longest part of `words` that fits, ending between words and characters. */
static size_t words_fit(const char *words, size_t room)
{
    size_t size = strlen(words);
    if (size <= room)
        return size;
    size = room;
    while (size > 0 && words[size] != ' ')
        size--;
    while (size > 0 && strchr(" ,;:(", words[size - 1]))
        size--;
    return size;
}

char *rw_target_comment(unsigned id, const char *words, size_t room)
{
    char *clean = strdup(words), *comment = NULL;
    size_t frame = strlen("/* ftcc 00000000:  */");
    if (!clean)
        exit(1);
    words_clean(clean);
    size_t size = room > frame ? words_fit(clean, room - frame) : 0;
    int length = size ? asprintf(&comment, "/* ftcc %08x: %.*s */", id, (int)size, clean)
                      : asprintf(&comment, "/* ftcc %08x */", id);
    free(clean);
    if (length < 0)
        exit(1);
    return comment;
}

/* Columns, with tabs to the next multiple of eight. */
static size_t width(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns = *text == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    return columns;
}

void rw_target_line(const struct rw_target *target, size_t line, const char *blanks,
                    const char *code, unsigned id, const char *words)
{
    size_t used = width(blanks) + strlen(code) + 1;
    char *comment = rw_target_comment(id, words, used < COLUMNS ? COLUMNS - used : 0);
    char *whole = NULL;
    if (asprintf(&whole, "%s%s %s", blanks, code, comment) < 0)
        exit(1);
    rw_edits_insert_line(target->edits, line, whole);
    free(whole);
    free(comment);
}
