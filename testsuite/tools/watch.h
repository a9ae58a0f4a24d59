/* watch: what its files share. One thread; the tables are filled once and never shrink.
 *
 *     watch.c        options, the command, the loop
 *     watch_walk.c   who is there, was born, and died
 *     watch_order.c  kills on purpose
 *     watch_left.c   what was left behind */
#ifndef FT_TEST_WATCH_H
#define FT_TEST_WATCH_H

#include <stdio.h>
#include <sys/types.h>

enum { PROCESSES = 4096, NAMES = 512 };

struct process {
    pid_t pid;
    int handle; /* pidfd, -1 once dead */
    unsigned long long start;
    char exe[256];
};

struct name_set { /* files in /dev/shm */
    char *name[NAMES];
    int count;
};

extern struct process process[PROCESSES]; /* all that were ever met; the first is the command */
extern int processes;
extern FILE *log_file;

double clock_now(void);                 /* seconds since the launch */
_Noreturn void fatal(const char *what); /* ends with `what` and the word for errno, code 126 */
int reap(pid_t command, int *code);     /* 1 and the command's code: that one ended, too */

void process_meet(pid_t pid);            /* takes notice: it is new, or has another program */
struct process *process_find(pid_t pid); /* one that is alive, or NULL */
void walk(pid_t pid);                    /* meets all descendants */
void wait_tick(void);                    /* waits for a death, for 5 ms at most */

void order_parse(char *text); /* "WHEN/WHO[/SIGNAL]" of -k */
/* Reads what was added to the events at `path` (or NULL) since the last time; moments come from it.
 */
void events_follow(const char *path);
/* Carries out what is due. `program` and *seed are those of -p and -s. */
void orders_carry_out(const char *program, unsigned *seed);

void names_read(struct name_set *set); /* what is in /dev/shm now */
/* Reports processes, segments, and files that were not there `before`, and kills the processes.
 * Answers how many. */
int leftovers(const struct name_set *before);

#endif
