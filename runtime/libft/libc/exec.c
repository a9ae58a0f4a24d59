/* A rank that would become another program, or the same one again.
 *
 * Its control socket closes with the old program, so the new one would be no rank, and each
 * would be a job of its own. Nor could it become the rank again: every later life begins with
 * what ftrun has given the first one, not with the environment and the limits of this one. So
 * the call is refused. A process that a rank has forked, or vforked, may execute any program; so
 * may system, popen and posix_spawn, which do not come here. */
#include "libc/state.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static pid_t rank_process; /* a vforked child has this memory, but another number */

void libc_exec_start(void)
{
    rank_process = getpid();
}

int libc_is_rank(void)
{
    return ft_self != NULL && getpid() == rank_process;
}

static void refuse_rank(const char *call, const void *site)
{
    if (ft_depth > 0 || !libc_is_rank())
        return;
    ft_refuse(call, site,
              "a rank cannot execute a program in its place: give ftrun the limits and the "
              "environment that the program needs (ulimit -s, OMP_STACKSIZE=...)");
}

#define EXECUTES(name, parameters, arguments)                                                      \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        refuse_rank(#name, __builtin_return_address(0));                                           \
        return LIBC_NEXT(name) arguments;                                                          \
    }

EXECUTES(execv, (const char *path, char *const argv[]), (path, argv))
EXECUTES(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXECUTES(execvp, (const char *file, char *const argv[]), (file, argv))
EXECUTES(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXECUTES(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
EXECUTES(execveat,
         (int folder, const char *path, char *const argv[], char *const envp[], int flags),
         (folder, path, argv, envp, flags))

static size_t words_count(const char *word, va_list list)
{
    size_t count = 0;

    for (; word != NULL; word = va_arg(list, const char *))
        count++;
    return count;
}

/* The words with the zero behind them; the list stands behind that. */
static void words_take(const char **argv, const char *word, va_list *list)
{
    for (; word != NULL; word = va_arg(*list, const char *))
        *argv++ = word;
    *argv = NULL;
}

/* The words are put on the stack, because a vforked child has the heap of its parent. */
#define EXECUTES_WORDS(name, next, arguments)                                                      \
    FT_EXPORT int name(const char *path, const char *word, ...)                                    \
    {                                                                                              \
        const char **words;                                                                        \
        char *const *argv;                                                                         \
        va_list list;                                                                              \
        int code;                                                                                  \
                                                                                                   \
        refuse_rank(#name, __builtin_return_address(0));                                           \
        va_start(list, word);                                                                      \
        words = __builtin_alloca((words_count(word, list) + 1) * sizeof *words);                   \
        va_end(list);                                                                              \
        va_start(list, word);                                                                      \
        words_take(words, word, &list);                                                            \
        argv = (char *const *)(uintptr_t)words;                                                    \
        code = LIBC_NEXT(next) arguments;                                                          \
        va_end(list);                                                                              \
        return code;                                                                               \
    }

EXECUTES_WORDS(execl, execv, (path, argv))
EXECUTES_WORDS(execlp, execvp, (path, argv))
EXECUTES_WORDS(execle, execve, (path, argv, va_arg(list, char *const *)))
