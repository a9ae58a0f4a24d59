/* spawn: the one place of the launcher that starts processes.
 *
 * A child dies with ftrun (PR_SET_PDEATHSIG), has its own process group, so that the terminal's
 * Ctrl-C reaches ftrun alone, the signal mask, dispositions and limits that ftrun was started with,
 * and only the descriptors it is given. Thread rule: single threaded (vfork). */
#ifndef FT_SPAWN_H
#define FT_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

enum { FT_SPAWN_FDS = 5 };

struct ft_spawn {
    const char *path;      /* executable; no search */
    char *const *argv;     /* NULL-terminated */
    char *const *envp;     /* NULL-terminated */
    const char *cwd;       /* NULL: ftrun's */
    int fds[FT_SPAWN_FDS]; /* what becomes descriptors 0, 1, ...; -1: closed */
    uint64_t stack_limit;  /* RLIMIT_STACK of the child; 0: ftrun's */
    int fixed_addresses;   /* without address randomisation */
    int deaf;              /* begins with SIGTERM ignored */
    pid_t *note;           /* the child writes its pid here before it executes anything; or NULL */
};

/* Where starting failed. */
enum ft_spawn_step {
    FT_SPAWN_FORK,
    FT_SPAWN_SETUP,
    FT_SPAWN_PERSONALITY,
    FT_SPAWN_CWD,
    FT_SPAWN_EXEC
};

/* Before ftrun opens anything: it may have as many open files as there may be, because it keeps
 * some for each rank; a file that would be too large (RLIMIT_FSIZE) is an error that can be
 * told; and none of its own files becomes a standard descriptor that it was started without. Its
 * children get the limit and the disposition that ftrun was started with. */
void ft_spawn_prepare(void);
/* Starts a process. Returns its pid, or -errno with the failed step in *step; then nothing was
 * started. */
pid_t ft_spawn_start(const struct ft_spawn *spawn, enum ft_spawn_step *step);
/* A sentence about a failed start. */
void ft_spawn_explain(const struct ft_spawn *spawn, int code, enum ft_spawn_step step, char *why,
                      size_t size);
/* Forks a copy of ftrun that survives it: own session, no descriptors but the two, all signals that
 * can be ignored ignored. Returns the pid, 0 in the child, or -errno. */
pid_t ft_spawn_copy(int keep, int keep_too);
/* The same, with one descriptor, for who waits for all its other children: waitpid finds the copy
 * with __WCLONE alone. */
pid_t ft_spawn_aside(int keep);
/* Forks a copy of ftrun that dies with it, and has none of its descriptors. Returns as above. */
pid_t ft_spawn_helper(void);
/* The same, but for two descriptors, which may be one. */
pid_t ft_spawn_helper_with(int keep, int keep_too);

#endif
