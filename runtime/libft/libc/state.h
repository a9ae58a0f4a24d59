/* state: what the rooms of libc/ share: the state in the image, and the way to libc's own
 * functions.
 *
 * ft_libc_state is the image's struct ft_libc, or NULL when the program runs natively. Unlike
 * ft_self it stays set in a child that the program forked: the child is a copy of the program and
 * keeps its random sequence, its environment and its exit handlers, but it is no rank. */
#ifndef FT_LIBC_STATE_H
#define FT_LIBC_STATE_H

#include <locale.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "libc/libc.h"
#include "os/os.h"

#define LIBC_SIGNALS 65 /* signals are numbered from 1 */
#define LIBC_KEYS 1024  /* PTHREAD_KEYS_MAX of glibc */

struct libc_stream {         /* one of stdin, stdout, stderr, which lie in libc's data segment */
    unsigned char file[216]; /* struct _IO_FILE; the vtable pointer behind it never changes */
    unsigned char wide[232]; /* struct _IO_wide_data */
    unsigned char lock[16];  /* _IO_lock_t */
};

struct libc_stdio {
    struct libc_stream standard[3];
    FILE **opened;  /* the program's streams, as they stood in _IO_list_all; owned */
    size_t count;   /* of opened */
    uint64_t guard; /* pointer guard of the life that saved: fopencookie's functions carry it */
};

struct libc_environment {
    char **array;    /* what environ points to, when it is ours */
    size_t capacity; /* pointers that fit in it */
    char **saved;    /* environ at the save */
};

struct libc_random {
    struct random_data random;
    struct drand48_data drand48;
    char table[128]; /* glibc's default: TYPE_3 */
    int lock;
};

struct libc_exit_handler {
    void (*function)(void *argument);                /* __cxa_atexit, atexit */
    void (*with_status)(int status, void *argument); /* on_exit; one of the two is NULL */
    void *argument;
};

struct libc_exit_list {
    struct libc_exit_handler *handler; /* owned */
    size_t count, capacity;
};

struct libc_statics { /* what libc would keep in static buffers */
    char *strtok_rest;
    struct tm broken_down;      /* localtime, gmtime */
    char time_text[64];         /* asctime, ctime */
    struct hsearch_data search; /* hcreate, hsearch, hdestroy */
};

struct libc_signals {
    uint64_t installed; /* bit s-1: the program set the action of s */
    uint64_t active;    /* bit s-1: and it was in force at the save */
    struct sigaction action[LIBC_SIGNALS];
    sigset_t mask;
    stack_t stack;
    int stack_set;             /* the program called sigaltstack */
    int timers;                /* bit ITIMER_x: the program set it */
    struct itimerval timer[3]; /* remaining time at the save */
};

struct libc_key {
    int used;
    void (*destructor)(void *);
    void *value; /* of the main thread, at the save */
};

struct libc_process {
    char *directory; /* at the save; owned */
    mode_t umask;
    int nice;
    uint32_t limits; /* bit r: the program set resource r */
    struct rlimit limit[RLIM_NLIMITS];
    double cpu_offset; /* clock(): seconds of earlier lives */
    double cpu_saved;
    char *locale;           /* setlocale(LC_ALL, NULL) at the save; owned */
    locale_t thread_locale; /* uselocale(0) at the save */
};

struct libc_workers { /* what OpenMP's threads had when they were let go (workers.c) */
    char *content;    /* of each thread of the team, that of main included; owned */
    int team;         /* threads in it */
    int next;         /* the next one that libgomp makes */
};

struct ft_libc {
    struct libc_stdio stdio;
    struct libc_environment environment;
    struct libc_random random;
    struct libc_exit_list at_exit, at_quick_exit;
    struct libc_statics statics;
    struct libc_signals signals;
    struct libc_process process;
    struct libc_key key[LIBC_KEYS];
    struct libc_workers workers;
};

extern struct ft_libc *ft_libc_state;

/* The state when the program itself asks, else NULL. */
static inline struct ft_libc *libc_asks(void)
{
    return ft_depth == 0 ? ft_libc_state : NULL;
}

/* libc's own definition of a function that this library exports, too. */
#define LIBC_NEXT(name)                                                                            \
    ({                                                                                             \
        static __typeof__(&name) next_;                                                            \
        if (ft_unlikely(next_ == NULL))                                                            \
            next_ = (__typeof__(&name))ft_os_next_symbol(#name);                                   \
        next_;                                                                                     \
    })

/* Each part of the room: start in a first life, save into the image, restore in a new life. */
void libc_stdio_start(struct ft_libc *libc);
void libc_stdio_save(struct ft_libc *libc);
void libc_stdio_restore(struct ft_libc *libc);

void libc_environment_start(struct ft_libc *libc);
void libc_environment_save(struct ft_libc *libc);
void libc_environment_restore(struct ft_libc *libc);

void libc_random_start(struct ft_libc *libc);

void libc_exec_start(void); /* in every life */
/* Is this process the rank's, and not a child's that was forked or vforked? */
int libc_is_rank(void);

/* One true handler a life that runs the program's handlers. */
void libc_exit_arm(void);

void libc_signals_save(struct ft_libc *libc, int leaving);
int libc_signals_restore(struct ft_libc *libc);

void libc_process_save(struct ft_libc *libc);
int libc_process_restore(struct ft_libc *libc);

void libc_keys_start(struct ft_libc *libc);
void libc_keys_save(struct ft_libc *libc);
int libc_keys_restore(struct ft_libc *libc);

/* Copies the thread-local variables of libgomp's `count` idle threads, when the program has any. By
 * the main thread, outside of parallel regions. */
void libc_workers_save(struct libc_workers *workers, int count);
/* For the main thread when libgomp makes a thread: what the new one has to put in place; or NULL.
 */
const void *libc_workers_next(struct libc_workers *workers);
void libc_workers_put(const void *content); /* NULL: does nothing */

/* A thread, child or foreign object that an image cannot hold, or NULL. */
const char *libc_thread_obstacle(void);
const char *libc_foreign_obstacle(void);
/* Another allocator than libft's and libc's, or NULL. */
const char *libc_allocator_obstacle(void);
void libc_foreign_start(void); /* in every life, before the MPI library is started */

#endif
