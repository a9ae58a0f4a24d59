/* Idea: the rules are those of gcc's libiberty (buildargv), which differ from the shell's: the
 * backslash counts inside both kinds of quotes. */
#include "ftcc/response.h"
#include "ftcc/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 }; /* of files in files; gcc stops at 2000 */

static void argument_expand(const char *argument, UT_array *words, unsigned depth);

/* Copies one word from `text` to `word`, and returns what is behind it. */
static const char *word_read(const char *text, char *word)
{
    char quote = '\0';
    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (*text == '\\' && text[1])
            *word++ = *++text;
        else if (quote ? *text == quote : *text == '\'' || *text == '"')
            quote = quote ? '\0' : *text;
        else
            *word++ = *text;
    }
    *word = '\0';
    return text;
}

static void words_expand(const char *text, UT_array *words, unsigned depth)
{
    char *word = malloc(strlen(text) + 1);
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        text = word_read(text, word);
        argument_expand(word, words, depth);
    }
    free(word);
}

static void argument_expand(const char *argument, UT_array *words, unsigned depth)
{
    struct rw_text file;
    if (*argument == '@' && depth < DEPTH && cc_text_read(argument + 1, &file) == 0) {
        words_expand(file.text, words, depth + 1);
        free(file.text);
    } else {
        utarray_push_back(words, &argument);
    }
}

/* Does the shell take a byte after a backslash as it is? */
static bool is_escaped(char byte, char quote)
{
    return quote == '\0' || (quote == '"' && byte && strchr("$`\"\\\n", byte));
}

/* Copies one word as the shell understands it, and returns what is behind it. */
static const char *shell_word_read(const char *text, char *word)
{
    char quote = '\0';
    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (*text == '\\' && text[1] && is_escaped(text[1], quote))
            *word++ = *++text;
        else if (quote ? *text == quote : *text == '\'' || *text == '"')
            quote = quote ? '\0' : *text;
        else
            *word++ = *text;
    }
    *word = '\0';
    return text;
}

void cc_response_split(const char *line, UT_array *words)
{
    char *word = malloc(strlen(line) + 1);
    for (;;) {
        while (isspace((unsigned char)*line))
            line++;
        if (!*line)
            break;
        line = shell_word_read(line, word);
        utarray_push_back(words, &word);
    }
    free(word);
}

void cc_response_expand(const char *argument, UT_array *words)
{
    argument_expand(argument, words, 0);
}
