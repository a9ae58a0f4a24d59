/* Orders wait for a moment, and then for their victim. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "testsuite/tools/watch.h"

enum { KILLS = 64, RANKS = 256 };

struct order {
    char event[32]; /* "": at a time */
    long number;    /* which event of that name, from 1 */
    double delay;   /* seconds after it, or after the launch */
    double due;     /* seconds since the launch, < 0: not known yet */
    char who[32];
    int signal;
    int done;
    pid_t victim; /* 0: nobody yet */
};

static struct order order[KILLS];
static int orders;
static pid_t rank_pid[RANKS];

static void event_seen(const char *name)
{
    for (int i = 0; i < orders; i++)
        if (*order[i].event && !strcmp(order[i].event, name) && --order[i].number == 0)
            order[i].due = clock_now() + order[i].delay;
}

/* The writer that was meant is gone; what looks like one later may be a rank that is just starting.
 */
static void writers_gone(void)
{
    for (int i = 0; i < orders; i++)
        if (!order[i].done && !strcmp(order[i].who, "writer") && order[i].signal != SIGCONT &&
            order[i].due >= 0 && order[i].due < clock_now())
            order[i].done = 1;
}

static void event_line(const char *line)
{
    json_t *event = json_loads(line, 0, NULL);
    const char *name = json_string_value(json_object_get(event, "event"));
    long long rank = json_integer_value(json_object_get(event, "rank"));

    if (name && !strcmp(name, "start") && rank >= 0 && rank < RANKS)
        rank_pid[rank] = (pid_t)json_integer_value(json_object_get(event, "pid"));
    if (name && !strcmp(name, "checkpoint-commit"))
        writers_gone();
    if (name)
        event_seen(name);
    json_decref(event);
}

/* Reads what was added to the events since the last time, whole lines only. */
void events_follow(const char *path)
{
    static char *line;
    static size_t room;
    static FILE *file;
    long place;

    if (!file && (!path || !(file = fopen(path, "re"))))
        return;
    clearerr(file);
    for (;;) {
        place = ftell(file);
        if (getline(&line, &room, file) < 0)
            return;
        if (!strchr(line, '\n')) {
            fseek(file, place, SEEK_SET);
            return;
        }
        event_line(line);
    }
}

static int is_rank(pid_t pid)
{
    for (int i = 0; i < RANKS; i++)
        if (rank_pid[i] == pid)
            return 1;
    return 0;
}

static pid_t victim_any(unsigned *seed)
{
    int ranks = 0;

    while (ranks < RANKS && rank_pid[ranks])
        ranks++;
    return ranks ? rank_pid[rand_r(seed) % (unsigned)ranks] : 0;
}

static pid_t victim_program(const char *who, const char *program)
{
    int writer = !strcmp(who, "writer");
    const char *base;

    for (int i = processes - 1; i >= 0; i--) {
        base = strrchr(process[i].exe, '/');
        if (process[i].handle < 0)
            continue;
        if (writer ? !strcmp(process[i].exe, program) && !is_rank(process[i].pid)
                   : base && !strncmp(base + 1, who, strlen(who)))
            return process[i].pid;
    }
    return 0;
}

/* The rank to which the last order to stop this one went. */
static pid_t victim_stopped(const char *who)
{
    pid_t victim = 0;

    for (int i = 0; i < orders; i++)
        if (order[i].victim && order[i].signal == SIGSTOP && !strcmp(order[i].who, who))
            victim = order[i].victim;
    return victim;
}

static pid_t victim_find(const char *who, int signal, const char *program, unsigned *seed)
{
    if (signal == SIGCONT)
        return victim_stopped(who);
    if (!strncmp(who, "rank", 4))
        return rank_pid[atoi(who + 4) % RANKS];
    if (!strcmp(who, "any"))
        return victim_any(seed);
    if (!strcmp(who, "ftrun"))
        return process[0].pid;
    return victim_program(who, program);
}

/* A victim that does not exist yet is looked for again in the next tick. */
void orders_carry_out(const char *program, unsigned *seed)
{
    pid_t pid;

    for (int i = 0; i < orders; i++) {
        if (order[i].done || order[i].due < 0 || clock_now() < order[i].due)
            continue;
        pid = victim_find(order[i].who, order[i].signal, program, seed);
        if (pid <= 0 || !process_find(pid))
            continue;
        order[i].done = 1;
        order[i].victim = pid;
        fprintf(log_file, "%.6f kill %d %s %d\n", clock_now(), pid, order[i].who, order[i].signal);
        kill(pid, order[i].signal);
    }
}

static int signal_number(const char *name)
{
    for (int number = 1; number < 32; number++)
        if (sigabbrev_np(number) && !strcmp(sigabbrev_np(number), name))
            return number;
    return atoi(name);
}

void order_parse(char *text)
{
    struct order *new = &order[orders];
    char *when = strtok(text, "/"), *who = strtok(NULL, "/"), *name = strtok(NULL, "/"), *plus,
         *hash;

    if (!when || !who || orders == KILLS) {
        errno = orders == KILLS ? E2BIG : EINVAL;
        fatal("-k WHEN/WHO[/SIGNAL]");
    }
    orders++;
    new->signal = name ? signal_number(name) : SIGKILL;
    snprintf(new->who, sizeof(new->who), "%s", who);
    hash = strchr(when, '#');
    if (!hash) {
        new->due = atof(when);
        return;
    }
    *hash = '\0';
    plus = strchr(hash + 1, '+');
    snprintf(new->event, sizeof(new->event), "%s", when);
    new->number = atol(hash + 1);
    new->delay = plus ? atof(plus + 1) : 0;
    new->due = -1;
}
