#include "host/starter.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/probe.h"

/* Is it the program, by whatever version: perf, perf_6.1, mpiexec.hydra? */
static int is_named(const char *file, const char *name)
{
    return !strncmp(file, name, strlen(name)) && !isalpha((unsigned char)file[strlen(name)]);
}

/* Why the program cannot start ranks: it stays their parent, or changes their processes so that no
 * image can hold them. NULL: it may be tried. */
static const char *why_not(const char *path)
{
    static const struct {
        const char *name, *why;
    } known[] = {
        {"valgrind", "keeps memory of its own in the rank, which no checkpoint can hold"},
        {"gdb", "stops the rank where ftrun does not know of it; attach it to a rank (gdb -p)"},
        {"strace", "starts the program as its child; attach it to a rank (strace -p)"},
        {"perf", "starts the program as its child; attach it to a rank (perf record -p)"},
        {"mpiexec", "starts ranks itself: give the program alone"},
        {"mpirun", "starts ranks itself: give the program alone"},
        {"srun", "starts ranks itself: give the program alone"}};
    const char *name = strrchr(path, '/') + 1;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (is_named(name, known[i].name))
            return known[i].why;
    return NULL;
}

/* `sh -c "PROGRAM WORD..."`: some shells fork even for a single command, which `exec` in front of
 * it prevents. 0 or -ENOMEM. */
static int shell_execute(const struct ft_program *program, char **argv)
{
    const char *name = strrchr(program->path, '/') + 1;
    char *command, *text, *first;

    if ((strcmp(name, "sh") && strcmp(name, "bash") && strcmp(name, "dash")) || !argv[1] ||
        strcmp(argv[1], "-c") || !argv[2] || strpbrk(argv[2], ";&|<>(){}`=\n"))
        return 0;
    command = argv[2] + strspn(argv[2], " ");
    first = strndup(command, strcspn(command, " "));
    char *found = first ? ft_program_find(first, program->cwd) : NULL;
    free(first);
    if (!found)
        return 0;
    free(found);
    if (asprintf(&text, "exec %s", command) < 0)
        return -ENOMEM;
    argv[2] = text; /* for as long as ftrun runs */
    return 0;
}

int ft_starter_take(struct ft_program *program, char **argv, char *why, size_t size)
{
    extern char **environ;

    if (!ft_program_check(program->path, why, size))
        return 0;
    if (why_not(program->path)) {
        snprintf(why, size, "%s %s", program->path, why_not(program->path));
        return -ENOEXEC;
    }
    if (ft_program_needs(program->path, "libmpi")) /* a trial would run it */
        return -ENOEXEC;
    if (shell_execute(program, argv)) {
        snprintf(why, size, "no memory");
        return -ENOMEM;
    }
    struct ft_spawn command = {
        .path = program->path, .argv = argv, .envp = environ, .cwd = program->cwd};
    char *found = ft_probe_run(command, why, size);
    if (!found)
        return -ENOEXEC;
    program->starter = program->path;
    program->path = found;
    return ft_program_check(found, why, size);
}

char *ft_starter_again(const struct ft_program *program)
{
    char why[4096], *first = ft_program_find(program->argv[0], program->cwd);

    if (first && strcmp(first, program->path) && ft_program_check(first, why, sizeof(why)))
        return first;
    free(first);
    return NULL;
}
