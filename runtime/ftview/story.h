/* story: what happened to each rank of a run, as spans of time, made from the events of ftrun
 * --events (docs/formats/events.md). Thread rule: none of these functions shares state. */
#ifndef FT_STORY_H
#define FT_STORY_H

#include <stdbool.h>
#include <stddef.h>

enum ft_span_kind {
    FT_SPAN_START,      /* from the process' start until the rank is in the program */
    FT_SPAN_WORK,       /* in the program */
    FT_SPAN_LOST,       /* in the program, and rolled back later */
    FT_SPAN_CHECKPOINT, /* stopped by a checkpoint */
    FT_SPAN_RECOVERY, /* from a death until the rank is back: rolled back, or held as a survivor */
    FT_SPAN_KINDS
};

struct ft_span {
    double from, to; /* seconds since the launch */
    enum ft_span_kind kind;
    int checkpoint; /* its number; -1: none */
};

struct ft_death {
    double time;
    int rank;
    char how[32];    /* "SIGKILL", "exit code 3" */
    int back;        /* ranks that rolled back */
    int checkpoint;  /* that the dead rank rolled back to; -1: the beginning */
    double lost;     /* rank-seconds of work that were rolled back */
    double recovery; /* seconds until all ranks were back; 0: never */
};

struct ft_row {            /* a rank */
    struct ft_span *spans; /* in the order of time, without overlaps */
    size_t count, room;
};

struct ft_commit {
    double time, bytes;
};

struct ft_story {
    int ranks;
    double end;          /* seconds */
    int code;            /* the run's exit code; -1: not told */
    struct ft_row *rows; /* [ranks] */
    struct ft_death *deaths;
    size_t death_count;
    struct ft_commit *commits; /* checkpoints, in the order of time */
    size_t commit_count;
    double total[FT_SPAN_KINDS]; /* rank-seconds */
};

/* Reads events. Lines that are no events of this program's are refused. 0, or -1 with a sentence in
 * why. The caller calls ft_story_free, also after a failure. */
int ft_story_read(const char *path, struct ft_story *story, char *why, size_t size);
void ft_story_free(struct ft_story *story);
const char *ft_span_name(enum ft_span_kind kind);

#endif
