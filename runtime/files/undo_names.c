/* Names that came or went, and are no longer, or again, as they were when the names in their folder
 * were read.
 *
 * There is one record of a path in an interval, so it does not tell what a rank did there later;
 * nor is the second reading of a folder in an interval on record. The lists of accesses have both.
 *
 * A party that goes back reads the names again. What others have done since, and keep (before their
 * cut), it finds. So where the name would be there then and was not, or was and would not be, those
 * others must go back, too. */
#include "files/undo_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/undo_pile.h"

struct event {     /* an access of a name in a folder, or a reading of the folder */
    uint64_t time; /* as struct ft_undo_access */
    int party;
    int there;     /* the name is there behind it */
    int changes;   /* it has made it so, or was to */
    size_t folder; /* of a name: the first reading of its folder */
    char *path;    /* owned */
};

struct list {
    struct event *event;
    size_t count, room;
};

struct names {
    const struct ft_undo_party *parties;
    struct list readings; /* by path and time */
    struct list events;   /* by folder, path and time */
};

static int add(struct list *list, const struct event *event, const char *path)
{
    void *array = list->event;
    char *copy = strdup(path);

    if (copy == NULL || undo_grow(&array, list->count, &list->room, sizeof *list->event) != 0) {
        free(copy);
        return -ENOMEM;
    }
    list->event = array;
    list->event[list->count] = *event;
    list->event[list->count++].path = copy;
    return 0;
}

static void list_free(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->event[i].path);
    free(list->event);
}

static int compare_path(const void *a, const void *b)
{
    return strcmp(((const struct event *)a)->path, ((const struct event *)b)->path);
}

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    int order = (x->folder > y->folder) - (x->folder < y->folder);

    order = order ? order : compare_path(a, b);
    return order ? order : (x->time > y->time) - (x->time < y->time);
}

static int is_of_folder(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

/* What a party that goes back will read again. */
static int hear_reading(void *context, int party, int place, const struct ft_undo_access *access)
{
    struct names *names = context;
    const struct ft_undo_party *who = &names->parties[party];
    struct event reading = {.time = access->time, .party = party};

    (void)place;
    if (!is_of_folder(access->path) || access->change != FT_ACCESS_READ || access->time <= who->cut)
        return 0;
    return add(&names->readings, &reading, access->path);
}

/* The first reading of the folder where the path is, or NULL. */
static struct event *folder_of(const struct names *names, const char *path)
{
    char folder[FT_UNDO_PATH];
    struct event key = {.path = folder}, *found;

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
    found = bsearch(&key, names->readings.event, names->readings.count, sizeof key, compare_path);
    while (found != NULL && found > names->readings.event && compare_path(found - 1, found) == 0)
        found--;
    return found;
}

/* Is the name there behind such an access? -1: that is not known. */
static int is_there_behind(const struct ft_undo_access *access)
{
    if (access->change == FT_ACCESS_CONTENT)
        return 1;
    if (access->change == FT_ACCESS_NAME) /* said before it, and when it is done */
        return access->late ? access->needs != FT_NEEDS_PRESENCE : -1;
    return access->needs == FT_NEEDS_NOTHING ? -1 : access->needs == FT_NEEDS_PRESENCE;
}

static int hear_event(void *context, int party, int place, const struct ft_undo_access *access)
{
    struct names *names = context;
    struct event event = {.time = access->time,
                          .party = party,
                          .there = is_there_behind(access),
                          .changes = access->change != FT_ACCESS_READ};
    const struct event *first = NULL;

    (void)place;
    if (event.there >= 0 && !is_of_folder(access->path))
        first = folder_of(names, access->path);
    if (first == NULL)
        return 0;
    event.folder = (size_t)(first - names->readings.event);
    return add(&names->events, &event, access->path);
}

static int is_kept(const struct names *names, const struct event *event)
{
    return event->time <= names->parties[event->party].cut;
}

/* Who of [begin, end), accesses of one name, has made it otherwise than the reading has found it?
 * NULL: nobody; late: as ft_undo_fit. */
static const struct event *changer(const struct names *names, const struct event *begin,
                                   const struct event *end, const struct event *reading, int late)
{
    const struct event *before = NULL, *kept = NULL, *change = NULL;

    for (const struct event *event = begin; event < end; event++) {
        if (event->time <= reading->time)
            before = event;
        if (!is_kept(names, event))
            continue;
        kept = event;
        if (event->changes && event->time > reading->time && event->party != reading->party &&
            (late < 0 || event->party == late))
            change = event;
    }
    return change != NULL && before != NULL && before->there != kept->there ? change : NULL;
}

static int name_fit(const struct names *names, const struct event *begin, const struct event *end,
                    int late, struct ft_undo_misfit *misfit)
{
    const struct event *readings = names->readings.event;

    for (size_t i = begin->folder; i < names->readings.count; i++) {
        const struct event *reading = &readings[i], *change;

        if (compare_path(reading, &readings[begin->folder]) != 0)
            break;
        change = changer(names, begin, end, reading, late);
        if (change == NULL)
            continue;
        misfit->early = reading->party;
        misfit->late = change->party;
        misfit->time = reading->time;
        snprintf(misfit->path, sizeof misfit->path, "%s", reading->path);
        return 1;
    }
    return 0;
}

static int all_fit(const struct names *names, int late, struct ft_undo_misfit *misfit)
{
    const struct event *event = names->events.event;
    int code = 0;

    for (size_t at = 0, end; code == 0 && at < names->events.count; at = end) {
        for (end = at + 1; end < names->events.count; end++)
            if (compare_path(&event[end], &event[at]) != 0)
                break;
        code = name_fit(names, event + at, event + end, late, misfit);
    }
    return code;
}

/* The accesses of all, since the oldest that is there. */
static int events_read(struct names *names, int count, char *failed)
{
    struct ft_undo_party *all = malloc((size_t)count * sizeof *all);
    int code = all == NULL ? -ENOMEM : 0;

    for (int i = 0; code == 0 && i < count; i++) {
        all[i] = names->parties[i];
        all[i].number = -1;
    }
    if (code == 0)
        code = ft_undo_accesses(all, count, failed, hear_event, names);
    free(all);
    return code;
}

int undo_names_fit(const struct ft_undo_party *parties, int count, int late,
                   struct ft_undo_misfit *misfit)
{
    struct names names = {.parties = parties};
    int code = ft_undo_accesses(parties, count, misfit->path, hear_reading, &names);

    if (code == 0 && names.readings.count > 0) {
        qsort(names.readings.event, names.readings.count, sizeof(struct event), compare);
        code = events_read(&names, count, misfit->path);
    }
    if (code == 0 && names.events.count > 0) {
        qsort(names.events.event, names.events.count, sizeof(struct event), compare);
        code = all_fit(&names, late, misfit);
    }
    list_free(&names.readings);
    list_free(&names.events);
    return code;
}
