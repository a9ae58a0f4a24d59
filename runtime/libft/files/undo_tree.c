#include "files/undo_tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char tree[128], store[RANKS][128];
struct ft_rank rank[RANKS];
struct ft_files files[RANKS];
static struct ft_recorder recorder[RANKS];

const char *tree_path(const char *name)
{
    return path_in(tree, name);
}

void act_as(int r)
{
    ft_self = r < 0 ? NULL : &rank[r];
    ft_depth = r < 0;
    if (r >= 0)
        rank[r].recorder = &recorder[r];
    if (r >= 0)
        strcpy(ft_life.boot.undo, store[r]);
}

void file_put(const char *name, const char *mode, const char *text)
{
    FILE *stream = fopen(tree_path(name), mode);

    if (stream != NULL) {
        fputs(text, stream);
        fclose(stream);
    }
}

static char *snapshot_text;
static size_t snapshot_length;
static FILE *snapshot_stream;

static int snapshot_visit(const char *path, const struct stat *status, int type, struct FTW *at)
{
    char bytes[4096] = "";
    int fd;

    (void)at;
    fprintf(snapshot_stream, "%s %d %o ", path + strlen(tree), type, status->st_mode & 07777);
    if (type == FTW_SL && readlink(path, bytes, sizeof bytes - 1) > 0)
        fprintf(snapshot_stream, "-> %s", bytes);
    if (type == FTW_F && S_ISREG(status->st_mode) && (fd = open(path, O_RDONLY)) >= 0) {
        ssize_t length = read(fd, bytes, sizeof bytes);

        fwrite(bytes, 1, length > 0 ? (size_t)length : 0, snapshot_stream);
        close(fd);
    }
    fputc('\n', snapshot_stream);
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *tree_snapshot(void)
{
    char *line[256], *sorted, *rest;
    size_t count = 0;

    act_as(-1);
    snapshot_stream = open_memstream(&snapshot_text, &snapshot_length);
    nftw(tree, snapshot_visit, 8, FTW_PHYS);
    fclose(snapshot_stream);
    sorted = calloc(1, snapshot_length + 1);
    for (char *at = strtok_r(snapshot_text, "\n", &rest); at && count < 256;
         at = strtok_r(NULL, "\n", &rest))
        line[count++] = at;
    qsort(line, count, sizeof *line, compare_lines);
    for (size_t i = 0; i < count; i++)
        strcat(strcat(sorted, line[i]), "\n");
    free(snapshot_text);
    return sorted;
}

int undo_first(int number, char *failed)
{
    const char *folder = store[0];

    return ft_undo_apply(&(struct ft_undo_party){.folders = &folder, .count = 1, .number = number},
                         1, failed, NULL, NULL);
}

int tree_setup(void **state)
{
    (void)state;
    act_as(-1);
    if (*work == '\0' && work_make("undo_tree") != 0)
        return -1;
    work_empty();
    snprintf(tree, sizeof tree, "%s/tree", work);
    mkdir(tree, 0700);
    memset(files, 0, sizeof files);
    for (int r = 0; r < RANKS; r++) {
        snprintf(store[r], sizeof store[r], "%s/undo%d", work, r);
        mkdir(store[r], 0700);
        rank[r].files = &files[r];
    }
    return 0;
}

int tree_teardown(void **state)
{
    (void)state;
    return work_remove();
}
