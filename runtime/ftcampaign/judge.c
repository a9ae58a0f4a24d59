/* judge: holds what a run printed against the undisturbed run, by rank, and reads its events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ftcampaign/campaign.h"

const char *const campaign_classes[CAMPAIGN_CLASSES] = {
    "right, contained",  "right, wider", "refused with a message",
    "no fault happened", "wrong",        "hung",
    "left something"};

struct line {
    long rank; /* 2 * rank + stream */
    size_t number;
    char *text;
};

struct campaign_text {
    struct line *lines;
    size_t count;
    char *said; /* the last line of ftrun's own that is no account */
};

/* ftrun's account of each run with faults is no reason for its end. */
static int is_account(const char *line)
{
    double seconds;
    int used = 0;

    return !strncmp(line, "FaultID: ", 9) || strstr(line, " MB of messages logged") ||
           strstr(line, " checkpoints taken, ") || strstr(line, " checkpoint taken, ") ||
           strstr(line, " determinants at ") || strstr(line, "never reached") ||
           !strncmp(line, "warning: ", 9) || !strncmp(line, "to continue: ", 13) ||
           (sscanf(line, "%lf s  rank %n", &seconds, &used) == 1 && used);
}

static int take_line(struct campaign_text *text, int stream, const char *line)
{
    struct line *more;
    long rank = -1;
    int used = 0;

    if (!strncmp(line, "ftrun: ", 7)) {
        if (stream == 1 && !is_account(line + 7)) {
            free(text->said);
            text->said = strdup(line + 7);
        }
        return 0;
    }
    if (sscanf(line, "[%ld]%n", &rank, &used) != 1 || !used)
        rank = -1;
    more = realloc(text->lines, (text->count + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    text->lines = more;
    more[text->count] = (struct line){2 * rank + stream, text->count, strdup(line)};
    return more[text->count++].text ? 0 : -ENOMEM;
}

static int read_stream(const struct campaign *campaign, const char *path, int stream,
                       struct campaign_text *text)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, matches = 0;
    ssize_t length;
    int code = file ? 0 : -errno;

    while (!code && (length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = 0;
        ft_ignore_apply(&campaign->ignore, line, (size_t)length, &matches);
        code = take_line(text, stream, line);
    }
    free(line);
    if (file)
        fclose(file);
    return code;
}

static int compare(const void *one, const void *other)
{
    const struct line *a = one, *b = other;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

int campaign_text_read(const struct campaign *campaign, const char *out, const char *err,
                       struct campaign_text **text)
{
    int code;

    *text = calloc(1, sizeof(**text));
    if (!*text)
        return -ENOMEM;
    code = read_stream(campaign, out, 0, *text);
    if (!code)
        code = read_stream(campaign, err, 1, *text);
    if ((*text)->count > 1)
        qsort((*text)->lines, (*text)->count, sizeof(*(*text)->lines), compare);
    return code;
}

void campaign_text_free(struct campaign_text *text)
{
    for (size_t i = 0; text && i < text->count; i++)
        free(text->lines[i].text);
    if (text) {
        free(text->lines);
        free(text->said);
    }
    free(text);
}

/* A sentence about the first difference, and how many lines differ; 0: none. */
static int differs(const struct campaign_text *expected, const struct campaign_text *found,
                   char why[CAMPAIGN_WHY])
{
    size_t common = expected->count < found->count ? expected->count : found->count, count = 0;

    for (size_t i = common; i-- > 0;) {
        const struct line *one = &found->lines[i], *other = &expected->lines[i];

        if (one->rank == other->rank && !strcmp(one->text, other->text))
            continue;
        count++;
        snprintf(why, CAMPAIGN_WHY, "\"%.120s\" instead of \"%.120s\"", one->text, other->text);
    }
    if (expected->count != found->count)
        snprintf(why, CAMPAIGN_WHY, "%zu lines instead of %zu", found->count, expected->count);
    else if (count > 1) {
        size_t used = strlen(why);

        snprintf(why + used, CAMPAIGN_WHY - used, ", and %zu more lines differ", count - 1);
    }
    return count > 0 || expected->count != found->count;
}

struct account { /* of the events */
    int deaths, faults, wide;
    char why[CAMPAIGN_WHY];
};

static void take_event(struct account *account, const json_t *event)
{
    const char *kind = json_string_value(json_object_get(event, "event"));
    const char *reason = json_string_value(json_object_get(event, "reason"));

    if (!kind)
        return;
    account->deaths += !strcmp(kind, "death");
    account->faults += !strcmp(kind, "fault");
    if (!strcmp(kind, "wide") || !strcmp(kind, "fall")) {
        account->wide = 1;
        snprintf(account->why, sizeof(account->why), "%s", reason ? reason : kind);
    }
}

static struct account read_events(const char *path)
{
    struct account account = {0};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        json_t *event = json_loads(line, 0, NULL);

        take_event(&account, event);
        json_decref(event);
    }
    free(line);
    if (file)
        fclose(file);
    return account;
}

void campaign_judge(const struct campaign_text *expected, int expected_code,
                    const struct campaign_text *found, const char *events, int clusters,
                    struct campaign_result *result)
{
    struct account account = read_events(events);
    int differ = differs(expected, found, result->why);

    result->deaths = account.deaths;
    result->faults = account.faults;
    if (result->code != expected_code && found->said) {
        result->class = CAMPAIGN_REFUSED;
        snprintf(result->why, sizeof(result->why), "%s", found->said);
    } else if (result->code != expected_code) {
        result->class = CAMPAIGN_WRONG;
        snprintf(result->why, sizeof(result->why), "exit code %d instead of %d, and no message",
                 result->code, expected_code);
    } else if (differ) {
        result->class = CAMPAIGN_WRONG;
    } else if (!account.faults) {
        result->class = CAMPAIGN_MISSED;
    } else {
        result->class = clusters > 1 && account.wide ? CAMPAIGN_WIDER : CAMPAIGN_CONTAINED;
        snprintf(result->why, sizeof(result->why), "%s", account.why);
    }
}
