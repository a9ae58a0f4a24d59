/* Idea: jansson reads the file; an entry has either `arguments`, a list, or `command`, a line for a
 * shell. */
#include "ftcc/database.h"
#include "ftcc/response.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void entry_release(void *element)
{
    struct cc_entry *entry = element;
    free(entry->folder);
    free(entry->file);
    utarray_done(&entry->words);
}

static const UT_icd entry_icd = {sizeof(struct cc_entry), NULL, NULL, entry_release};

static void file_name(const char *path, char *name, size_t size)
{
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    snprintf(name, size, "%s%s", path, folder ? "/compile_commands.json" : "");
}

static bool words_read(const json_t *object, UT_array *words)
{
    const json_t *arguments = json_object_get(object, "arguments"), *argument;
    const char *command = json_string_value(json_object_get(object, "command"));
    size_t index;
    if (command)
        cc_response_split(command, words);
    json_array_foreach (arguments, index, argument) {
        const char *word = json_string_value(argument);
        if (!word)
            return false;
        utarray_push_back(words, &word);
    }
    return utarray_len(words) > 0;
}

static bool entry_read(const json_t *object, UT_array *entries)
{
    const char *folder = json_string_value(json_object_get(object, "directory"));
    const char *file = json_string_value(json_object_get(object, "file"));
    struct cc_entry entry = {.folder = folder ? strdup(folder) : NULL,
                             .file = file ? strdup(file) : NULL};
    utarray_init(&entry.words, &ut_str_icd);
    bool good = folder && file && words_read(object, &entry.words);
    if (good)
        utarray_push_back(entries, &entry);
    else
        entry_release(&entry);
    return good;
}

bool cc_database_read(const char *path, UT_array *entries)
{
    char name[PATH_MAX];
    json_error_t error;
    file_name(path, name, sizeof name);
    utarray_init(entries, &entry_icd);
    json_t *list = json_load_file(name, JSON_REJECT_DUPLICATES, &error), *object;
    size_t index = 0;
    bool good = json_is_array(list);
    if (!list)
        fprintf(stderr, "ftcc: error: %s:%d:%d: %s\n", name, error.line > 0 ? error.line : 0,
                error.column > 0 ? error.column : 0, error.text);
    else if (!good)
        fprintf(stderr, "ftcc: error: %s is no compilation database: it is not an array\n", name);
    json_array_foreach (list, index, object) {
        if (good && !entry_read(object, entries)) {
            fprintf(stderr,
                    "ftcc: error: %s: entry %zu lacks \"directory\", \"file\" or the "
                    "command\n",
                    name, index);
            good = false;
        }
    }
    json_decref(list);
    return good;
}
