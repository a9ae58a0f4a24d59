/* Idea: the linker's own search: in each folder the shared library comes before the archive. */
#include "ftcc/inputs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

/* The value of an option that is written "-Xvalue" or "-X value"; NULL when `word` is another. */
static const char *value_of(const struct cc_options *options, struct cc_word *word,
                            const char *option)
{
    if (!begins(word->text, option))
        return NULL;
    if (word->text[strlen(option)])
        return word->text + strlen(option);
    const struct cc_word *next = cc_options_next(options, word);
    return next ? next->text : NULL;
}

/* Adds the file "FOLDER/libNAME.ENDING", or "FOLDER/FILE" for a name ":FILE", when it exists. */
static bool file_try(const char *folder, const char *name, const char *ending, UT_array *paths)
{
    char path[PATH_MAX], *start = path;
    int length = *name == ':' ? snprintf(path, sizeof path, "%s/%s", folder, name + 1)
                              : snprintf(path, sizeof path, "%s/lib%s%s", folder, name, ending);
    if (length >= (int)sizeof path || access(path, R_OK) != 0)
        return false;
    utarray_push_back(paths, &start);
    return true;
}

static void library_find(const struct cc_options *options, const char *name, UT_array *paths)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        const char *folder = word->kind == CC_PLAIN ? value_of(options, word, "-L") : NULL;
        if (folder && (file_try(folder, name, ".so", paths) || file_try(folder, name, ".a", paths)))
            return;
    }
}

void cc_inputs_find(const struct cc_options *options, UT_array *paths)
{
    bool value = false; /* the word belongs to a -l before it */
    utarray_init(paths, &ut_str_icd);
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        const char *name = word->kind == CC_INPUT ? value_of(options, word, "-l") : NULL;
        if (name && !value)
            library_find(options, name, paths);
        else if (word->kind == CC_INPUT && !value && strcmp(word->text, "-") != 0)
            utarray_push_back(paths, &word->text);
        value = name && !value && word->text[2] == '\0';
    }
}
