/* files: see files.h. */
#include "console/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file of the rank, for the caller to free; NULL: no memory. ranked: its name has the rank. */
static char *name_of(const char *pattern, int rank, int *ranked)
{
    size_t room = 0;
    char *name = NULL;
    FILE *out = open_memstream(&name, &room);

    if (!out)
        return NULL;
    for (const char *at = pattern; *at; at++) {
        if (*at == '%' && *++at == 'r') {
            fprintf(out, "%d", rank);
            *ranked = 1;
        } else {
            fputc(*at, out);
        }
    }
    if (fclose(out)) {
        free(name);
        return NULL;
    }
    return name;
}

int ft_files_open(const char *pattern, int size, int again, int *fds, char **failed)
{
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (again ? 0 : O_TRUNC);
    int ranked = 0;

    for (int rank = 0; rank < size; rank++) {
        if (rank && !ranked) {
            fds[2 * rank] = fds[0];
            continue;
        }
        *failed = name_of(pattern, rank, &ranked);
        fds[2 * rank] = *failed ? open(*failed, flags, 0666) : -1;
        if (fds[2 * rank] < 0)
            return *failed ? -errno : -ENOMEM;
        free(*failed);
        *failed = NULL;
    }
    return 0;
}
