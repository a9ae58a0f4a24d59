/* The process executes its program anew.
 *
 * The kernel must lay the new life out as the first one: the same path, arguments and environment
 * (byte for byte in length), the same limit of the stack, no address randomisation (which stays as
 * it is). All that is kept of the first start lies in libc's memory, where the program does not
 * come. */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "files/files.h"

static struct {
    char *path, *cwd;
    char **argv, **envp;
    struct rlimit stack;
} first;

static char **copy_list(char *const *list)
{
    size_t count = 0;
    char **copy;

    while (list[count])
        count++;
    copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = strdup(list[i]);
    return copy;
}

void ft_exec_remember(char **argv)
{
    const char *path = (const char *)getauxval(AT_EXECFN);

    first.path = strdup(path ? path : argv[0]);
    first.cwd = getcwd(NULL, 0);
    first.argv = copy_list(argv);
    first.envp = copy_list(environ);
    getrlimit(RLIMIT_STACK, &first.stack);
}

/* The variable keeps its length: see FT_WIRE_ENV_FIRST. */
static void name_control(void)
{
    size_t length = strlen(FT_WIRE_ENV);

    for (char **variable = first.envp; *variable; variable++)
        if (strncmp(*variable, FT_WIRE_ENV, length) == 0 && (*variable)[length] == '=')
            snprintf(*variable + length + 1, 5, "%04d", ft_life.control);
}

void ft_exec_again(struct ft_rank *self)
{
    sigset_t all;
    int code;

    /* A signal whose handler is not there yet would end the process. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    name_control();
    code = ft_files_keep_open(self, ft_life.control);
    if (code != 0)
        ft_panic("descriptors cannot be kept open: %s", strerror(-code));
    setrlimit(RLIMIT_STACK, &first.stack);
    if (first.cwd != NULL && chdir(first.cwd) != 0)
        ft_warn("the folder %s is gone", first.cwd);
    execve(first.path, first.argv, first.envp);
    ft_panic("%s cannot be executed again: %s", first.path, strerror(errno));
}
