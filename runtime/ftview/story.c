/* From events to spans (story.h).
 *
 * Invariant: a rank's spans follow each other without a gap from its first start on, so a rank's
 * state at the newest event is the kind of its last span. A rollback changes what has been: work
 * after the checkpoint becomes lost. */
#include "ftview/story.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 1 << 20 };

struct checkpoint { /* by number */
    double frozen;  /* time of what its images hold; negative: not committed */
};

struct reader {
    struct ft_story *story;
    int *cluster; /* [clustered] that each rank belongs to, NULL: not told */
    int clustered;
    struct checkpoint *checkpoints;
    size_t checkpoint_count;
    double now;
    int failed; /* 1: no memory */
};

const char *ft_span_name(enum ft_span_kind kind)
{
    static const char *const names[] = {"starting", "working", "work that was lost", "checkpoint",
                                        "recovery"};

    return names[kind];
}

static double number_of(const json_t *event, const char *name)
{
    return json_number_value(json_object_get(event, name));
}

/* A list's room for one more entry of `bytes`; NULL without memory. */
static void *more_of(struct reader *reader, void *list, size_t count, size_t bytes)
{
    if (count & (count - 1))
        return list;
    void *more = realloc(list, (count ? 2 * count : 1) * bytes);
    if (!more)
        reader->failed = 1;
    return more;
}

static struct ft_row *row_of(struct reader *reader, int rank)
{
    struct ft_story *story = reader->story;

    if (rank < 0 || rank >= RANKS_MOST)
        return NULL;
    if (rank >= story->ranks) {
        struct ft_row *rows = realloc(story->rows, ((size_t)rank + 1) * sizeof(*rows));

        if (!rows) {
            reader->failed = 1;
            return NULL;
        }
        memset(rows + story->ranks, 0, ((size_t)rank + 1 - (size_t)story->ranks) * sizeof(*rows));
        story->rows = rows;
        story->ranks = rank + 1;
    }
    return &story->rows[rank];
}

static void append(struct reader *reader, struct ft_row *row, struct ft_span span)
{
    if (row->count == row->room) {
        size_t room = row->room ? 2 * row->room : 16;
        struct ft_span *spans = realloc(row->spans, room * sizeof(*spans));

        if (!spans) {
            reader->failed = 1;
            return;
        }
        row->spans = spans;
        row->room = room;
    }
    row->spans[row->count++] = span;
}

/* The rank is in another state from `from` on; its last span ends there. */
static void enter(struct reader *reader, struct ft_row *row, double from, enum ft_span_kind kind)
{
    if (!row)
        return;
    if (row->count > 0)
        row->spans[row->count - 1].to = fmax(from, row->spans[row->count - 1].from);
    append(reader, row, (struct ft_span){from, from, kind, -1});
}

static enum ft_span_kind state_of(const struct ft_row *row)
{
    return row->count > 0 ? row->spans[row->count - 1].kind : FT_SPAN_START;
}

static void on_start(struct reader *reader, const json_t *event)
{
    struct ft_row *row = row_of(reader, (int)number_of(event, "rank"));

    if (row && row->count == 0)
        enter(reader, row, reader->now, FT_SPAN_START);
}

/* All ranks are in the program. */
static void on_epoch(struct reader *reader)
{
    struct ft_story *story = reader->story;

    for (int i = 0; i < story->ranks; i++) {
        if (state_of(&story->rows[i]) != FT_SPAN_WORK)
            enter(reader, &story->rows[i], reader->now, FT_SPAN_WORK);
    }
    for (size_t i = story->death_count; i-- > 0 && story->deaths[i].recovery == 0;)
        story->deaths[i].recovery = reader->now - story->deaths[i].time;
}

/* The clusters of the start. */
static void on_job(struct reader *reader, const json_t *event)
{
    const json_t *list = json_object_get(event, "clusters");
    size_t count = json_array_size(list);

    if (count == 0 || count > RANKS_MOST || reader->cluster)
        return;
    row_of(reader, (int)count - 1);
    reader->cluster = calloc(count, sizeof(*reader->cluster));
    if (!reader->cluster) {
        reader->failed = 1;
        return;
    }
    reader->clustered = (int)count;
    for (size_t i = 0; i < count; i++)
        reader->cluster[i] = (int)json_integer_value(json_array_get(list, i));
}

/* Whether the rank takes part in a checkpoint of `ranks` ranks of a cluster. */
static bool takes_part(const struct reader *reader, int rank, int cluster, int ranks)
{
    if (ranks == reader->story->ranks)
        return true;
    return rank < reader->clustered && reader->cluster[rank] == cluster;
}

/* A checkpoint stopped ranks for `pause` seconds, `write` seconds before it was committed. */
static void on_commit(struct reader *reader, const json_t *event)
{
    struct ft_story *story = reader->story;
    double frozen = reader->now - number_of(event, "write"), pause = number_of(event, "pause");
    size_t number = (size_t)fmax(number_of(event, "checkpoint"), 0);
    struct ft_commit *commits =
        more_of(reader, story->commits, story->commit_count, sizeof(*commits));

    if (!commits || number >= (size_t)1 << 24)
        return;
    story->commits = commits;
    commits[story->commit_count++] = (struct ft_commit){reader->now, number_of(event, "bytes")};
    while (reader->checkpoint_count <= number) {
        struct checkpoint *list =
            more_of(reader, reader->checkpoints, reader->checkpoint_count, sizeof(*list));

        if (!list)
            return;
        reader->checkpoints = list;
        list[reader->checkpoint_count++].frozen = -1;
    }
    reader->checkpoints[number].frozen = frozen;
    for (int i = 0; i < story->ranks && pause > 0; i++) {
        struct ft_row *row = &story->rows[i];

        if (!takes_part(reader, i, (int)number_of(event, "cluster"),
                        (int)number_of(event, "ranks")) ||
            state_of(row) != FT_SPAN_WORK || row->spans[row->count - 1].from > frozen)
            continue;
        enter(reader, row, frozen, FT_SPAN_CHECKPOINT);
        row->spans[row->count - 1].checkpoint = (int)number;
        enter(reader, row, fmin(frozen + pause, reader->now), FT_SPAN_WORK);
    }
}

static void on_death(struct reader *reader, const json_t *event)
{
    struct ft_story *story = reader->story;
    struct ft_death *deaths = more_of(reader, story->deaths, story->death_count, sizeof(*deaths));
    int number = (int)number_of(event, "signal");

    if (!deaths)
        return;
    story->deaths = deaths;
    struct ft_death *death = &deaths[story->death_count++];
    *death = (struct ft_death){
        .time = reader->now, .rank = (int)number_of(event, "rank"), .checkpoint = -1};
    if (number > 0 && sigabbrev_np(number))
        snprintf(death->how, sizeof(death->how), "SIG%s", sigabbrev_np(number));
    else
        snprintf(death->how, sizeof(death->how), "exit code %d", (int)number_of(event, "code"));
    enter(reader, row_of(reader, death->rank), reader->now, FT_SPAN_RECOVERY);
}

/* Work of the row behind `since` is lost; returns how many seconds. */
static double lose(struct reader *reader, struct ft_row *row, double since)
{
    double lost = 0;

    for (size_t i = row->count; i-- > 0 && row->spans[i].to > since;) {
        struct ft_span *span = &row->spans[i];

        if (span->kind != FT_SPAN_WORK)
            continue;
        if (span->from < since) { /* the part before the checkpoint stays */
            struct ft_span rest = *span;

            append(reader, row, rest);
            if (reader->failed)
                return lost;
            memmove(&row->spans[i + 2], &row->spans[i + 1], (row->count - i - 2) * sizeof(rest));
            row->spans[i].to = since;
            rest.from = since;
            rest.kind = FT_SPAN_LOST;
            row->spans[i + 1] = rest;
            return lost + rest.to - since;
        }
        span->kind = FT_SPAN_LOST;
        lost += span->to - span->from;
    }
    return lost;
}

static void on_rollback(struct reader *reader, const json_t *event)
{
    struct ft_story *story = reader->story;
    struct ft_row *row = row_of(reader, (int)number_of(event, "rank"));
    double number = number_of(event, "checkpoint"), since = 0;
    struct ft_death *death = story->death_count ? &story->deaths[story->death_count - 1] : NULL;

    if (!row)
        return;
    if (number >= 0 && number < (double)reader->checkpoint_count)
        since = reader->checkpoints[(size_t)number].frozen;
    if (state_of(row) != FT_SPAN_RECOVERY)
        enter(reader, row, death ? death->time : reader->now, FT_SPAN_RECOVERY);
    double lost = lose(reader, row, since);
    if (!death)
        return;
    death->back++;
    death->lost += lost;
    death->checkpoint = (int)number;
}

/* Survivors are called; they are held until they resume. */
static void on_leave(struct reader *reader)
{
    for (int i = 0; i < reader->story->ranks; i++) {
        if (state_of(&reader->story->rows[i]) == FT_SPAN_WORK)
            enter(reader, &reader->story->rows[i], reader->now, FT_SPAN_RECOVERY);
    }
}

static void on_end(struct reader *reader, const json_t *event)
{
    reader->story->code = (int)number_of(event, "code");
}

static void take_event(struct reader *reader, const json_t *event, const char *kind)
{
    reader->now = number_of(event, "t");
    if (!strcmp(kind, "job"))
        on_job(reader, event);
    else if (!strcmp(kind, "start"))
        on_start(reader, event);
    else if (!strcmp(kind, "epoch"))
        on_epoch(reader);
    else if (!strcmp(kind, "checkpoint-commit"))
        on_commit(reader, event);
    else if (!strcmp(kind, "death"))
        on_death(reader, event);
    else if (!strcmp(kind, "rollback"))
        on_rollback(reader, event);
    else if (!strcmp(kind, "leave"))
        on_leave(reader);
    else if (!strcmp(kind, "resume"))
        enter(reader, row_of(reader, (int)number_of(event, "rank")), reader->now, FT_SPAN_WORK);
    else if (!strcmp(kind, "end"))
        on_end(reader, event);
}

static int take_line(struct reader *reader, const char *line)
{
    json_t *event = json_loads(line, 0, NULL);
    const char *kind = json_string_value(json_object_get(event, "event"));
    int code = kind && json_is_number(json_object_get(event, "t")) ? 0 : -1;

    if (!code)
        take_event(reader, event, kind);
    json_decref(event);
    return code;
}

static void close_spans(struct ft_story *story, double end)
{
    story->end = end;
    for (int i = 0; i < story->ranks; i++) {
        struct ft_row *row = &story->rows[i];

        if (row->count > 0)
            row->spans[row->count - 1].to = fmax(end, row->spans[row->count - 1].from);
        for (size_t j = 0; j < row->count; j++)
            story->total[row->spans[j].kind] += row->spans[j].to - row->spans[j].from;
    }
}

int ft_story_read(const char *path, struct ft_story *story, char *why, size_t size)
{
    struct reader reader = {.story = story};
    char *line = NULL;
    size_t room = 0, number = 0;
    int code = 0;

    *story = (struct ft_story){.code = -1};
    FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!file) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    while (!code && !reader.failed && getline(&line, &room, file) > 0) {
        number++;
        if ((code = take_line(&reader, line)))
            snprintf(why, size, "%s:%zu: expected an event of ftrun --events", path, number);
    }
    close_spans(story, reader.now);
    if (reader.failed)
        code = -1, snprintf(why, size, "no memory");
    else if (!code && story->ranks == 0)
        code = -1, snprintf(why, size, "%s: no rank has started", path);
    free(line);
    free(reader.checkpoints);
    free(reader.cluster);
    if (file != stdin)
        fclose(file);
    return code;
}

void ft_story_free(struct ft_story *story)
{
    for (int i = 0; i < story->ranks; i++)
        free(story->rows[i].spans);
    free(story->rows);
    free(story->deaths);
    free(story->commits);
}
