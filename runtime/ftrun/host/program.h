/* program: the executable that the ranks run, and the surroundings it is started in.
 *
 * A restore needs the layout of the first life, so everything that shapes it is fixed once:
 * path, arguments, environment (the same strings in the same order), stack limit. */
#ifndef FT_PROGRAM_H
#define FT_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

struct ft_program { /* all strings are owned by it */
    char *path;     /* the program that the ranks are; absolute */
    char *starter;  /* what is executed, and executes the program: numactl, a script; absolute.
                       NULL: the program itself */
    char *cwd;      /* working directory of the ranks; absolute */
    char **argv;    /* NULL-terminated */
    char **envp;    /* NULL-terminated, without the variables that ftrun adds per rank */
    uint64_t stack_limit;  /* RLIMIT_STACK */
    struct ft_part *parts; /* of a job of several programs (host/parts.h); NULL: there is one */
    int part_count;
};

/* Finds the file of `name`: with a slash relative to cwd, otherwise in PATH, then in cwd. Returns
 * the absolute path (the caller frees it), or NULL with errno. */
char *ft_program_find(const char *name, const char *cwd);
/* Was the program linked with ftcc (does it need libft.so.0)? 0, or -ENOEXEC with a sentence. */
int ft_program_check(const char *path, char *why, size_t size);
/* Does it need a shared library whose name begins so? */
int ft_program_needs(const char *path, const char *begin);
/* Sets NAME=VALUE in an environment array, replacing or appending. 0 or -ENOMEM. */
int ft_program_setenv(char ***envp, const char *name, const char *value);
const char *ft_program_getenv(char *const *envp, const char *name); /* NULL: not set */
char **ft_program_copy(char *const *strings);                       /* NULL: no memory */
/* Writes to, reads from the file `environ` of a store, all of it. 0 or -errno. */
int ft_program_save_environment(char *const *envp, const char *path);
int ft_program_load_environment(const char *path, char ***envp);
/* XXH3-64 of what that file holds. */
uint64_t ft_program_environment_checksum(char *const *envp);
void ft_program_free(struct ft_program *program); /* its strings, not itself */

#endif
