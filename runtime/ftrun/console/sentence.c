/* sentence: a death is held until its rollback is known. */
#include "console/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "console/say.h"

enum { HELD = 16, WORDS = 512 };

struct ft_sentences {
    int all;
    int ranks, clusters; /* of the job */
    char deaths[HELD][WORDS];
    int held; /* deaths; those beyond HELD are only counted */
    double died;
    struct {
        long cluster, checkpoint;
        int ranks;
    } back[HELD]; /* clusters that roll back */
    int backs;    /* likewise */
    int ranks_back;
    double *saved; /* [saved_count] seconds at which checkpoint i was taken; -1: unknown */
    size_t saved_count;
};

struct ft_sentences *ft_sentences_create(int all)
{
    struct ft_sentences *sentences = calloc(1, sizeof(*sentences));

    if (sentences)
        sentences->all = all;
    return sentences;
}

void ft_sentences_destroy(struct ft_sentences *sentences)
{
    if (sentences)
        free(sentences->saved);
    free(sentences);
}

static long whole(const json_t *members, const char *name)
{
    return (long)json_integer_value(json_object_get(members, name));
}

static double real(const json_t *members, const char *name)
{
    return json_number_value(json_object_get(members, name));
}

static const char *text(const json_t *members, const char *name)
{
    const char *value = json_string_value(json_object_get(members, name));

    return value ? value : "";
}

/* "12 ms", "3.4 s" */
static const char *duration(double seconds, char out[32])
{
    if (seconds < 0.9995)
        snprintf(out, 32, "%.*f ms", seconds < 0.00995 ? 1 : 0, seconds * 1e3);
    else
        snprintf(out, 32, "%.2f s", seconds);
    return out;
}

static const char *size_of(double bytes, char out[32])
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;

    for (; bytes >= 999.5 && unit < 4; unit++)
        bytes /= 1000;
    snprintf(out, 32, "%.*f %s", unit && bytes < 99.5 ? 1 : 0, bytes, units[unit]);
    return out;
}

static void keep_saved(struct ft_sentences *sentences, double t, const json_t *members)
{
    size_t number = (size_t)whole(members, "checkpoint");
    double *more;

    if (number >= (size_t)1 << 24)
        return;
    if (number >= sentences->saved_count) {
        size_t count = 2 * number + 16;

        more = realloc(sentences->saved, count * sizeof(*more));
        if (!more)
            return;
        for (size_t i = sentences->saved_count; i < count; i++)
            more[i] = -1;
        sentences->saved = more;
        sentences->saved_count = count;
    }
    sentences->saved[number] = t - real(members, "write");
}

static void hold_death(struct ft_sentences *sentences, double t, const json_t *members)
{
    int number = (int)whole(members, "signal");
    char how[32], where[64] = "", copy[32] = "";

    sentences->died = t;
    if (sentences->held++ >= HELD)
        return;
    if (number > 0 && sigabbrev_np(number))
        snprintf(how, sizeof(how), "SIG%s", sigabbrev_np(number));
    else
        snprintf(how, sizeof(how), "%s %ld", number > 0 ? "signal" : "exit code",
                 number > 0 ? number : whole(members, "code"));
    if (whole(members, "hook") > 0)
        snprintf(where, sizeof(where), " in step %ld", whole(members, "hook"));
    else if (whole(members, "call") > 0)
        snprintf(where, sizeof(where), " in its MPI call %ld", whole(members, "call"));
    if (json_object_get(members, "copy"))
        snprintf(copy, sizeof(copy), "copy %ld of ", whole(members, "copy"));
    snprintf(sentences->deaths[sentences->held - 1], WORDS, "%srank %ld died (%s)%s", copy,
             whole(members, "rank"), how, where);
}

static void hold_back(struct ft_sentences *sentences, const json_t *members)
{
    long cluster = whole(members, "cluster"), checkpoint = whole(members, "checkpoint");
    int known = sentences->backs < HELD ? sentences->backs : HELD;

    sentences->ranks_back++;
    for (int i = 0; i < known; i++) {
        if (sentences->back[i].cluster == cluster) {
            sentences->back[i].ranks++;
            return;
        }
    }
    if (sentences->backs < HELD) {
        sentences->back[sentences->backs].cluster = cluster;
        sentences->back[sentences->backs].checkpoint = checkpoint;
        sentences->back[sentences->backs].ranks = 1;
    }
    sentences->backs++;
}

/* Seconds of work between the checkpoint and the death. */
static double lost_by(const struct ft_sentences *sentences, long checkpoint)
{
    double saved = checkpoint >= 0 && (size_t)checkpoint < sentences->saved_count
                       ? sentences->saved[checkpoint]
                       : 0;

    return saved < 0 || saved > sentences->died ? 0 : sentences->died - saved;
}

static void add(char *out, const char *words)
{
    size_t used = strlen(out);

    snprintf(out + used, 4 * WORDS - used, "%s", words);
}

static void add_place(char *out, long checkpoint)
{
    char words[64];

    snprintf(words, sizeof(words), checkpoint < 0 ? "the beginning" : "checkpoint %ld", checkpoint);
    add(out, words);
}

/* Do all ranks roll back to one place? */
static int is_one_place(const struct ft_sentences *sentences)
{
    for (int i = 1; i < sentences->backs && i < HELD; i++) {
        if (sentences->back[i].checkpoint != sentences->back[0].checkpoint)
            return 0;
    }
    return sentences->ranks_back == sentences->ranks && sentences->backs <= HELD;
}

/* "; cluster 1 rolls back to checkpoint 4, 0.61 s are lost" */
static void add_back(const struct ft_sentences *sentences, char *out)
{
    int known = sentences->backs < HELD ? sentences->backs : HELD, one = is_one_place(sentences);
    double lost = 0;
    char words[96];

    for (int i = 0; i < known; i++) {
        double own = lost_by(sentences, sentences->back[i].checkpoint);

        lost = own > lost ? own : lost;
        if (one && i)
            continue;
        if (one)
            snprintf(words, sizeof(words), "; all ranks roll back to ");
        else
            snprintf(words, sizeof(words), i ? ", cluster %ld to " : "; cluster %ld rolls back to ",
                     sentences->back[i].cluster);
        add(out, words);
        add_place(out, sentences->back[i].checkpoint);
    }
    snprintf(words, sizeof(words), "%s, %.2f s are lost",
             sentences->backs > known ? ", and more clusters" : "", lost);
    add(out, words);
}

static void say_deaths(struct ft_sentences *sentences)
{
    int known = sentences->held < HELD ? sentences->held : HELD;
    char out[4 * WORDS] = "", words[64];

    for (int i = 0; i < known; i++) {
        add(out, i ? ", " : "");
        add(out, sentences->deaths[i]);
    }
    snprintf(words, sizeof(words), ", and %d more", sentences->held - known);
    add(out, sentences->held > known ? words : "");
    if (sentences->backs)
        add_back(sentences, out);
    if (sentences->held)
        ft_say("%.2f s  %s", sentences->died, out);
    sentences->held = sentences->backs = sentences->ranks_back = 0;
}

static void say_commit(const struct ft_sentences *sentences, double t, const json_t *members)
{
    char who[64], size[32], write[32], pause[32];

    if (whole(members, "ranks") == sentences->ranks)
        snprintf(who, sizeof(who), "all ranks");
    else
        snprintf(who, sizeof(who), "cluster %ld", whole(members, "cluster"));
    ft_say("%.2f s  checkpoint %ld of %s: %s in %s, during which ranks stood still for %s", t,
           whole(members, "checkpoint"), who, size_of(real(members, "bytes"), size),
           duration(real(members, "write"), write), duration(real(members, "pause"), pause));
}

static void say_epoch(double t, const json_t *members)
{
    char seconds[32];

    if (whole(members, "epoch") == 0)
        ft_say("%.2f s  all ranks are in the program", t);
    else
        ft_say("%.2f s  all ranks are back after %s", t,
               duration(real(members, "seconds"), seconds));
}

static void say_other(const struct ft_sentences *sentences, double t, const char *event,
                      const json_t *members)
{
    char seconds[32];

    if (!strcmp(event, "checkpoint-commit"))
        say_commit(sentences, t, members);
    else if (!strcmp(event, "epoch"))
        say_epoch(t, members);
    else if (!strcmp(event, "fall"))
        ft_say("%.2f s  rank %ld cannot keep what it has (%s): cluster %ld rolls back, too", t,
               whole(members, "rank"), text(members, "reason"), whole(members, "cluster"));
    else if (!strcmp(event, "wide"))
        ft_say("%.2f s  clusters roll back in which nobody died: %s", t, text(members, "reason"));
    else if (!strcmp(event, "join"))
        ft_say("%.2f s  clusters %s share the file %s: they are one from now on", t,
               text(members, "clusters"), text(members, "file"));
    else if (!strcmp(event, "hindered"))
        ft_say("%.2f s  rank %ld cannot go on from checkpoint %ld yet: %s", t,
               whole(members, "rank"), whole(members, "checkpoint"), text(members, "reason"));
    else if (!strcmp(event, "settled"))
        ft_say("%.2f s  ranks that rolled back are where they were after %s", t,
               duration(real(members, "seconds"), seconds));
}

int ft_sentences_want(const struct ft_sentences *sentences, const char *event)
{
    static const char *const always[] = {
        "job", "checkpoint-commit", "death", "rollback", "start", "exec", "lead", "end", "epoch"};

    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        if (!strcmp(event, always[i]))
            return 1;
    }
    return sentences->all;
}

void ft_sentences_take(struct ft_sentences *sentences, double t, const char *event,
                       const json_t *members)
{
    int ripe = sentences->backs
                   ? strcmp(event, "rollback") && strcmp(event, "death")
                   : !strcmp(event, "end") || !strcmp(event, "start") || !strcmp(event, "lead");

    if (sentences->held && ripe)
        say_deaths(sentences);
    if (!strcmp(event, "job"))
        sentences->ranks = (int)whole(members, "ranks");
    else if (!strcmp(event, "checkpoint-commit"))
        keep_saved(sentences, t, members);
    else if (!strcmp(event, "death"))
        hold_death(sentences, t, members);
    else if (!strcmp(event, "rollback") && sentences->held)
        hold_back(sentences, members);
    if (sentences->all)
        say_other(sentences, t, event, members);
}
