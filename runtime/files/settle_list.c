/* The lists of ftrun, as files in the rank's undo folder and beside it (settle_list.h). */
#include "files/settle_list.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of this process, not in the image. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t number;  /* of the lists; 0: there are none */
    uint32_t back;    /* of those with which the rank itself has gone back; 0: it has not */
    struct text text; /* what was put back or will be read */
    char *turns;      /* of struct ft_undo_turn: accesses that wait; or NULL */
    const struct ft_undo_turn **turn; /* [turn_count] by moment; owned */
    size_t turn_count;
} list;

void files_lists_lock(void)
{
    pthread_mutex_lock(&list_lock);
}

void files_lists_unlock(void)
{
    pthread_mutex_unlock(&list_lock);
}

/* The whole file, with a zero behind it; NULL when it is not there. */
static char *file_read(const char *name, size_t *length)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    ssize_t part = 1;
    char *text;

    *length = 0;
    if (fd < 0 && errno == ENOENT)
        return NULL;
    text = fd >= 0 && fstat(fd, &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;
    while (text != NULL && part > 0 && *length < (size_t)status.st_size) {
        part = read(fd, text + *length, (size_t)status.st_size - *length);
        if (part > 0)
            *length += (size_t)part;
    }
    if (text == NULL || part < 0)
        ft_panic("%s cannot be read: %s", name, strerror(errno));
    close(fd);
    return text;
}

static int compare(const void *a, const void *b)
{
    const struct ft_undo_turn *x = *(const struct ft_undo_turn *const *)a;
    const struct ft_undo_turn *y = *(const struct ft_undo_turn *const *)b;

    return (x->moment > y->moment) - (x->moment < y->moment);
}

static void turns_sort(size_t length)
{
    const struct ft_undo_turn *turn;

    free(list.turn);
    list.turn_count = 0;
    list.turn = malloc((length / sizeof *turn + 1) * sizeof *list.turn);
    if (list.turn == NULL)
        ft_panic("no memory for the list of accesses");
    for (size_t at = 0; at < length; at += turn->bytes) {
        turn = (const struct ft_undo_turn *)(list.turns + at);
        list.turn[list.turn_count++] = turn;
    }
    qsort(list.turn, list.turn_count, sizeof *list.turn, compare);
}

/* The first one that is not before this moment. */
static size_t turn_at(uint64_t moment)
{
    size_t low = 0, high = list.turn_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (list.turn[middle]->moment < moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct ft_undo_turn *const *files_turns(uint64_t moment, size_t *count)
{
    size_t first = turn_at(moment);

    *count = list.turn_count - first;
    return list.turn + first;
}

void files_lists_read(uint32_t number)
{
    char name[FT_WIRE_PATH + 16];
    size_t length;

    if (number == list.number)
        return;
    free(list.text.text);
    free(list.turns);
    snprintf(name, sizeof name, "%s/../unsettled", ft_life.boot.undo);
    list.text.text = file_read(name, &list.text.length);
    if (list.text.text == NULL)
        ft_panic("%s is gone", name);
    snprintf(name, sizeof name, "%s/turns", ft_life.boot.undo);
    list.turns = file_read(name, &length);
    turns_sort(length);
    list.number = number;
}

int files_is_in(const struct text *text, const char *mark, const char *path, char next)
{
    char wanted[FT_UNDO_PATH + 4], *end;

    if (strlen(path) >= FT_UNDO_PATH)
        return 1;
    wanted[0] = 0;
    end = stpcpy(stpcpy(wanted + 1, mark), path);
    *end++ = next;
    return memmem(text->text, text->length, wanted, (size_t)(end - wanted)) != NULL;
}

int files_has_listed(const char *mark, const char *path, char next)
{
    return files_is_in(&list.text, mark, path, next);
}

void files_lists_back_set(uint32_t number)
{
    list.back = number;
}

uint32_t files_lists_back(void)
{
    return list.back;
}
