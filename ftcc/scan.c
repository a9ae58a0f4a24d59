/* Idea: follow the #include lines through the folders of the command line and the system's, each
 * file once, until one is called mpi.h. */
#include "ftcc/scan.h"
#include "ftcc/text.h"
#include "rewriters/lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    UT_array folders; /* of char *, in the order of the search */
    UT_array seen;    /* of char *, paths */
};

static bool file_scan(struct scan *scan, const char *path, const struct rw_text *text);

static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

bool cc_scan_has_word(const struct rw_text *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text->text; (at = strstr(at, word)); at += length)
        if ((at == text->text || !in_word(at[-1])) && !in_word(at[length]))
            return true;
    return false;
}

static void folder_add(struct scan *scan, const char *folder)
{
    utarray_push_back(&scan->folders, &folder);
}

/* The folders of -I, -iquote, -isystem and -idirafter, joined or not. */
static void folders_of_options(struct scan *scan, const struct cc_options *options)
{
    static const char *const names[] = {"-I", "-iquote", "-isystem", "-idirafter"};
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t length = strlen(names[i]);
            if (word->kind != CC_PLAIN || strncmp(word->text, names[i], length) != 0)
                continue;
            struct cc_word *next = cc_options_next(options, word);
            if (word->text[length])
                folder_add(scan, word->text + length);
            else if (next)
                folder_add(scan, next->text);
        }
}

static void folders_of_environment(struct scan *scan, const char *variable)
{
    const char *value = getenv(variable);
    char *copy = strdup(value ? value : "");
    char *rest = copy;
    for (char *folder; (folder = strsep(&rest, ":"));)
        if (*folder)
            folder_add(scan, folder);
    free(copy);
}

static bool was_seen(struct scan *scan, const char *path)
{
    for (char **seen = NULL; (seen = utarray_next(&scan->seen, seen));)
        if (strcmp(*seen, path) == 0)
            return true;
    utarray_push_back(&scan->seen, &path);
    return false;
}

/* Scans `folder`/`name` when it exists; *found says whether it does. */
static bool header_scan(struct scan *scan, const char *folder, const char *name, bool *found)
{
    char *path = NULL;
    struct rw_text text;
    bool reaches = false;
    if (asprintf(&path, "%s%s%s", folder, *folder && *name != '/' ? "/" : "", name) < 0)
        abort();
    *found = cc_text_read(path, &text) == 0;
    if (*found) {
        reaches = !was_seen(scan, path) && file_scan(scan, path, &text);
        free(text.text);
    }
    free(path);
    return reaches;
}

static bool name_scan(struct scan *scan, const char *includer, const char *name, bool quoted)
{
    const char *base = strrchr(name, '/');
    bool found = false, reaches = false;
    if (strcmp(base ? base + 1 : name, "mpi.h") == 0)
        return true;
    if (quoted) {
        const char *slash = strrchr(includer, '/');
        char *folder = strndup(includer, slash ? (size_t)(slash - includer) : 0);
        reaches = header_scan(scan, *name == '/' ? "" : folder, name, &found);
        free(folder);
    }
    for (char **folder = NULL; !found && (folder = utarray_next(&scan->folders, folder));)
        reaches = header_scan(scan, *name == '/' ? "" : *folder, name, &found);
    return reaches;
}

static bool directive_scan(struct scan *scan, const char *path,
                           const struct rw_directive *directive)
{
    if (directive->word_length < 7 || memcmp(directive->word, "include", 7) != 0)
        return false;
    char open = directive->argument_length ? *directive->argument : '\0';
    if (open != '"' && open != '<')
        return true;
    const char *end =
        memchr(directive->argument + 1, open == '"' ? '"' : '>', directive->argument_length - 1);
    if (!end)
        return false;
    char *name = strndup(directive->argument + 1, (size_t)(end - directive->argument - 1));
    bool reaches = name_scan(scan, path, name, open == '"');
    free(name);
    return reaches;
}

static bool file_scan(struct scan *scan, const char *path, const struct rw_text *text)
{
    struct rw_directive directive;
    size_t offset = 0;
    while (rw_directive_next(text->text, text->length, &offset, &directive))
        if (directive_scan(scan, path, &directive))
            return true;
    return false;
}

/* Headers that the command line itself includes. */
static bool forced_scan(struct scan *scan, const struct cc_options *options)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        struct cc_word *next = cc_options_next(options, word);
        if (next && word->kind == CC_PLAIN && strcmp(word->text, "-include") == 0 &&
            name_scan(scan, "", next->text, true))
            return true;
    }
    return false;
}

bool cc_scan_includes_mpi(const char *path, const struct rw_text *text,
                          const struct cc_options *options)
{
    struct scan scan;
    utarray_init(&scan.folders, &ut_str_icd);
    utarray_init(&scan.seen, &ut_str_icd);
    folders_of_options(&scan, options);
    folders_of_environment(&scan, "CPATH");
    folders_of_environment(&scan, "C_INCLUDE_PATH");
    folder_add(&scan, "/usr/local/include");
    folder_add(&scan, "/usr/include");
    bool reaches = file_scan(&scan, path, text) || forced_scan(&scan, options);
    utarray_done(&scan.folders);
    utarray_done(&scan.seen);
    return reaches;
}
