/* events: each event is one write(2), so a reader never meets half a line. */
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
#include "host/loop.h"

struct ft_events {
    int fd; /* -1: no file */
    int timeline;
    double start;
};

int ft_events_open(const char *path, int timeline, double start, struct ft_events **out)
{
    struct ft_events *events = calloc(1, sizeof(*events));

    if (!events)
        return -ENOMEM;
    events->timeline = timeline;
    events->start = start;
    events->fd = -1;
    if (path) {
        events->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (events->fd < 0) {
            int code = -errno;

            free(events);
            return code;
        }
    }
    *out = events;
    return 0;
}

void ft_events_close(struct ft_events *events)
{
    if (events && events->fd >= 0)
        close(events->fd);
    free(events);
}

static void write_line(const struct ft_events *events, json_t *object)
{
    char *text = json_dumps(object, JSON_REAL_PRECISION(9));
    size_t length = text ? strlen(text) : 0;

    if (!text)
        return;
    text[length] = '\n';
    ssize_t written = write(events->fd, text, length + 1);
    (void)written; /* a full disk must not end the run; the file is an extra */
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

void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...)
{
    double t = round((ft_loop_now() - events->start) * 1e6) / 1e6;
    va_list list;

    if (events->fd < 0 && !events->timeline)
        return;
    va_start(list, format);
    json_t *members = json_vpack_ex(NULL, 0, format, list);
    va_end(list);
    json_t *object = json_pack("{s:f, s:s}", "t", t, "event", event);
    if (members && object) {
        json_object_update(object, members);
        if (events->fd >= 0)
            write_line(events, object);
        if (events->timeline)
            print_line(t, event, members);
    }
    json_decref(members);
    json_decref(object);
}
