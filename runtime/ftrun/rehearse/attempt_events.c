/* attempt_events: the account of an attempt, from the file of its events. A line that is no JSON,
 * as the last one of an attempt that was killed, is passed over. */
#include "rehearse/attempt.h"
#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options/fields.h"

static void take_more(json_t *account, const char *name, const json_t *event, const char *of)
{
    if (ft_field_number(event, of) > ft_field_number(account, name))
        json_object_set(account, name, json_object_get(event, of));
}

/* The widest of several rollbacks counts. */
static void take_contained(json_t *account, const json_t *event)
{
    json_object_set(account, "of", json_object_get(event, "of"));
    take_more(account, "back", event, "clusters");
    take_more(account, "ranks", event, "ranks");
}

static void take_reason(json_t *account, const json_t *event)
{
    json_t *why = json_object_get(account, "why"), *sentence = json_object_get(event, "reason");
    size_t i;
    const json_t *known;

    json_array_foreach (why, i, known) {
        if (json_equal(known, sentence))
            return;
    }
    json_array_append(why, sentence);
}

static void take_differs(json_t *account, const json_t *event)
{
    json_object_set_new(
        account, "differs",
        json_sprintf("rank %d printed line %d of std%s differently when it was executed again",
                     ft_field_number(event, "rank"), ft_field_number(event, "line"),
                     ft_field_text(event, "stream")));
}

static void take(json_t *account, const json_t *event)
{
    const char *name = ft_field_text(event, "event");

    if (!strcmp(name, "death"))
        json_object_set_new(account, "deaths",
                            json_integer(ft_field_number(account, "deaths") + 1));
    else if (!strcmp(name, "contained"))
        take_contained(account, event);
    else if (!strcmp(name, "fall") || !strcmp(name, "wide"))
        take_reason(account, event);
    else if (!strcmp(name, "differs"))
        take_differs(account, event);
    else if (!strcmp(name, "refused"))
        json_object_set_new(account, "refused", json_integer(1));
    else if (!strcmp(name, "calls"))
        json_array_append(json_object_get(account, "calls"), json_object_get(event, "calls"));
    else if (!strcmp(name, "determinants"))
        json_array_append_new(json_object_get(account, "determinants"),
                              json_pack("{s:O, s:O}", "site", json_object_get(event, "site"),
                                        "count", json_object_get(event, "count")));
}

json_t *ft_attempt_events(const struct ft_attempts *attempts)
{
    json_t *account = json_pack("{s:i, s:i, s:i, s:i, s:[], s:[], s:[]}", "deaths", 0, "back", 0,
                                "of", 0, "ranks", 0, "why", "calls", "determinants");
    char path[FT_STORE_PATH], *line = NULL;
    size_t room = 0;

    ft_attempt_file(attempts, "events", path);
    FILE *file = fopen(path, "re");
    for (errno = file ? 0 : errno; file && getline(&line, &room, file) > 0; errno = 0) {
        json_t *event = json_loads(line, 0, NULL);

        if (event)
            take(account, event);
        json_decref(event);
    }
    if (errno)
        json_object_set_new(account, "unread", json_string(strerror(errno)));
    free(line);
    if (file)
        fclose(file);
    return account;
}
