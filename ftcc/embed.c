/* Idea: objcopy makes a new file in the temporary folder, whose bytes then replace the old ones: in
 * place, objcopy would leave a file of its own behind when a signal ends it. */
#include "ftcc/embed.h"
#include "ftcc/guard.h"
#include "ftcc/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static bool fail(char **why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(char **why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(why, format, arguments) < 0)
        abort();
    va_end(arguments);
    return false;
}

static bool bytes_move(int from, int to)
{
    ssize_t count;
    while ((count = sendfile(to, from, NULL, 1 << 24)) > 0)
        ;
    return count == 0;
}

/* The content of `from` becomes that of `to`. */
static bool content_replace(const char *from, const char *to, char **why)
{
    int source = open(from, O_RDONLY | O_CLOEXEC);
    if (source < 0)
        return fail(why, "objcopy made no file");
    int target = open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (target < 0) {
        close(source);
        return fail(why, "%s", strerror(errno));
    }
    bool good = bytes_move(source, target);
    int error = errno;
    close(source);
    if (close(target) == 0 && good)
        return true;
    unlink(to);
    return fail(why, "writing it failed (%s), and it is removed", strerror(good ? errno : error));
}

/* One part in a file of its own, and the words for objcopy. */
static bool part_add(const struct cc_part *part, const char *folder, unsigned number,
                     UT_array *command)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/part.%u", folder, number);
    unlink(path);
    cc_command_add(command, part->replaces ? "--update-section" : "--add-section");
    cc_command_add(command, "%s=%s", part->section, path);
    return cc_text_write(path, &part->bytes) == 0;
}

static bool objcopy_run(UT_array *command, char **why)
{
    struct rw_text messages;
    int code = cc_toolchain_run(command, CC_MESSAGES_KEEP, &messages);
    bool good = code == 0;
    if (!good)
        fail(why, "objcopy ended with %d%s%.*s", code, messages.length ? ": " : "",
             (int)strcspn(messages.text, "\n"), messages.text);
    free(messages.text);
    return good;
}

bool cc_embed(struct cc_toolchain *toolchain, const char *path, const struct cc_part *parts,
              unsigned count, char **why)
{
    char result[PATH_MAX];
    const char *folder = cc_guard_folder();
    if (cc_toolchain_signal())
        return fail(why, "interrupted");
    if (!folder)
        return fail(why, "no temporary folder (TMPDIR): %s", strerror(errno));
    UT_array command;
    utarray_init(&command, &ut_str_icd);
    cc_toolchain_program(toolchain, "objcopy", &command);
    bool good = true;
    for (unsigned i = 0; i < count; i++)
        good = part_add(&parts[i], folder, i, &command) && good;
    snprintf(result, sizeof result, "%s/embedded", folder);
    cc_command_add(&command, "--");
    cc_command_add(&command, "%s", path);
    cc_command_add(&command, "%s", result);
    good = good ? objcopy_run(&command, why) : fail(why, "cannot write in %s", folder);
    good = good && content_replace(result, path, why);
    unlink(result);
    utarray_done(&command);
    return good;
}
