/* Idea: stdio does the work. A pipe is not even opened: what reads it first empties it. */
#include "ftcc/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int cc_text_read(const char *path, struct rw_text *text)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    FILE *file = fopen(path, "re");
    if (!file)
        return -errno;
    text->text = malloc((size_t)status.st_size + 1);
    text->length = text->text ? fread(text->text, 1, (size_t)status.st_size, file) : 0;
    int failed = ferror(file);
    fclose(file);
    if (!text->text)
        return -ENOMEM;
    if (failed) {
        free(text->text);
        return -EIO;
    }
    text->text[text->length] = '\0';
    return 0;
}

int cc_text_write(const char *path, const struct rw_text *text)
{
    FILE *file = fopen(path, "wxe");
    if (!file)
        return -errno;
    size_t written = fwrite(text->text, 1, text->length, file);
    if (fclose(file) != 0 || written != text->length)
        return -EIO;
    return 0;
}
