/* The header ft_fault_points.h lies beside ft.h, and ftrun beside ftcc. */
#include "ftcc/faults.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path beside the folder of ftcc, "../include/ft.h". 0 or -1. */
static int path_of(const char *name, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return -1;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    return (size_t)snprintf(path, size, "%s/%s", self, name) < size ? 0 : -1;
}

static void list(char **argv)
{
    char path[PATH_MAX];
    if (path_of("ftrun", path, sizeof path) == 0)
        execv(path, argv);
    fputs("ftcc: error: ftrun is not beside ftcc\n", stderr);
}

char **cc_faults_arguments(int argc, char **argv, int *count)
{
    static char header[PATH_MAX];
    char **words = calloc((size_t)argc * 2 + 2, sizeof *words);
    *count = 0;
    for (int i = 0; words && i < argc; i++) {
        if (strcmp(argv[i], "--ft-list-faults") == 0) {
            argv[i] = (char *)"--list-faults";
            list(argv);
            free(words);
            return NULL;
        }
        if (strcmp(argv[i], "--ft-fault-points") != 0) {
            words[(*count)++] = argv[i];
            continue;
        }
        if (path_of("../include/ft_fault_points.h", header, sizeof header) != 0)
            abort();
        words[(*count)++] = (char *)"-include";
        words[(*count)++] = header;
    }
    return words;
}
