/* events: each event is one write(2), and what a full disk leaves of a line is taken away again, so
 * the file holds whole lines. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "console/events.h"
#include "console/say.h"
#include "console/sentence.h"
#include "host/loop.h"
#include "store/text.h"

struct ft_events {
    int fd; /* -1: no file */
    const char *path;
    int failed; /* a line is missing, which was said */
    int timeline;
    struct ft_sentences *sentences; /* NULL: none */
    double start;
    int copy;   /* of the ranks that the events are about; -1: there is one */
    int shared; /* the file is another one's */
};

int ft_events_open(const char *path, enum ft_telling telling, double start, struct ft_events **out)
{
    struct ft_events *events = calloc(1, sizeof(*events));

    if (!events)
        return -ENOMEM;
    events->timeline = telling == FT_TELLING_TIMELINE;
    events->start = start;
    events->fd = events->copy = -1;
    events->path = path;
    if (path) {
        events->fd = strcmp(path, "-")
                         ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)
                         : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (events->fd < 0) {
            int code = -errno;

            free(events);
            return code;
        }
    }
    if (telling != FT_TELLING_NOTHING)
        events->sentences = ft_sentences_create(telling == FT_TELLING_SENTENCES);
    *out = events;
    return 0;
}

int ft_events_copy(struct ft_events *events, struct ft_events **out)
{
    struct ft_events *copy = malloc(sizeof(*copy));

    if (!copy)
        return -ENOMEM;
    events->copy = 0;
    *copy = *events;
    copy->copy = copy->shared = 1;
    *out = copy;
    return 0;
}

void ft_events_close(struct ft_events *events)
{
    if (events && events->fd >= 0 && !events->shared)
        close(events->fd);
    if (events && !events->shared)
        ft_sentences_destroy(events->sentences);
    free(events);
}

/* 0, or an error number; then `done` bytes are in the file. */
static int write_whole(int fd, const char *text, size_t length, size_t *done)
{
    for (*done = 0; *done < length;) {
        ssize_t written = write(fd, text + *done, length - *done);

        if (written < 0 && errno != EINTR)
            return errno;
        *done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* The run goes on without the line: the file is an extra. */
static void lose_line(struct ft_events *events, int error, size_t written)
{
    off_t end = lseek(events->fd, 0, SEEK_CUR);
    int cut = !written || (end >= 0 && !ftruncate(events->fd, end - (off_t)written));

    if (!events->failed)
        ft_say("warning: %s: %s; events are missing there%s", events->path, strerror(error),
               cut ? "" : ", and the last line is not whole");
    events->failed = 1;
}

static void write_line(struct ft_events *events, json_t *object)
{
    char *text = json_dumps(object, JSON_REAL_PRECISION(9));
    size_t length = text ? strlen(text) : 0;

    if (!text)
        return;
    text[length] = '\n';
    size_t written;
    int error = write_whole(events->fd, text, length + 1, &written);
    if (error)
        lose_line(events, error, written);
    free(text);
}

/* "   0.412  death  rank 1, signal 9, hook 12" */
static void print_line(double t, const char *event, json_t *members)
{
    char line[2048];
    size_t used = (size_t)snprintf(line, sizeof(line), "ftrun: %9.3f  %s", t, event);
    const char *name, *before = "  ";
    json_t *value;

    json_object_foreach (members, name, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));

        if (text && used < sizeof(line))
            used +=
                (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s", before, name, text);
        before = ", ";
        free(text);
    }
    fprintf(stderr, "%s\n", line);
}

static json_t *value_of(char kind, va_list *list)
{
    switch (kind) {
    case 's':
        return ft_text_json(va_arg(*list, const char *));
    case 'i':
        return json_integer(va_arg(*list, int));
    case 'I':
        return json_integer(va_arg(*list, json_int_t));
    case 'f':
        return json_real(va_arg(*list, double));
    case 'b':
        return json_boolean(va_arg(*list, int));
    default:
        return va_arg(*list, json_t *);
    }
}

/* json_vpack would not pack anything of an event that has a path that is no UTF-8. */
static json_t *pack_members(const char *format, va_list *list)
{
    json_t *members = json_object();

    for (const char *kind = format; (kind = strchr(kind, ':')); kind++) {
        const char *name = va_arg(*list, const char *);

        json_object_set_new(members, name, value_of(kind[1], list));
    }
    return members;
}

void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...)
{
    double t = round((ft_loop_now() - events->start) * 1e6) / 1e6;
    va_list list;

    if (events->fd < 0 && !events->timeline &&
        !(events->sentences && ft_sentences_want(events->sentences, event)))
        return;
    va_start(list, format);
    json_t *members = pack_members(format, &list);
    va_end(list);
    json_t *object = json_pack("{s:f, s:s}", "t", t, "event", event);
    if (members && object) {
        if (events->copy >= 0)
            json_object_set_new(members, "copy", json_integer(events->copy));
        json_object_update(object, members);
        if (events->fd >= 0)
            write_line(events, object);
        if (events->timeline)
            print_line(t, event, members);
        if (events->sentences)
            ft_sentences_take(events->sentences, t, event, members);
    }
    json_decref(members);
    json_decref(object);
}
