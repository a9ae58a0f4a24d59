/* restart: --restart, the store of an earlier run and what it says about the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "launch/run.h"

/* --restart: the same from the newest checkpoint. */
static int take_manifest(struct ft_run *run)
{
    const struct ft_manifest *newest = run->old[run->old_count - 1];
    struct ft_program *program = &run->program;
    char path[FT_STORE_PATH], why[FT_STORE_PATH];

    if (run->options.size && run->options.size != newest->size)
        return ft_say_and(FT_EXIT_USAGE, "the store %s belongs to a job of %d ranks, not %d",
                          ft_store_path(run->store), newest->size, run->options.size);
    if (run->options.variables || run->options.cwd)
        return ft_say_and(FT_EXIT_USAGE,
                          "--restart keeps the environment and the working directory of "
                          "the first start: leave -env and -wdir out");
    program->path = strdup(newest->program);
    program->cwd = strdup(newest->cwd);
    program->argv = ft_program_copy(newest->argv);
    program->stack_limit = newest->stack_limit;
    if (!program->path || !program->cwd || !program->argv)
        return ft_say_and(1, "no memory");
    ft_store_file(run->store, "environ", path);
    if (ft_program_load_environment(path, &program->envp))
        return ft_say_and(1, "%s: %s", path, strerror(errno));
    if (access(program->path, X_OK))
        return ft_say_and(FT_EXIT_MISSING, "%s: %s", program->path, strerror(errno));
    return ft_program_check(program->path, why, sizeof(why)) ? ft_say_and(FT_EXIT_USAGE, "%s", why)
                                                             : 0;
}

void ft_restart_take(struct ft_run *run)
{
    struct ft_cluster *all = run->clusters[0];

    for (int i = 0; i < run->old_count; i++)
        all->kept[all->kept_count++] = run->old[i];
    all->dropped = run->old_count > 0;
    run->old_count = 0;
}

static int is_same_program(const struct ft_run *run, const struct ft_manifest *manifest)
{
    char *path = run->options.program ? ft_program_find(run->options.program, manifest->cwd) : NULL;
    char *const *ours = run->options.argv, *const *theirs = manifest->argv;
    int same = !run->options.program || (path && !strcmp(path, manifest->program));

    while (run->options.program && same && (*ours || *theirs)) {
        same = *ours && *theirs && !strcmp(*ours, *theirs);
        ours += *ours != NULL;
        theirs += *theirs != NULL;
    }
    free(path);
    return same;
}

/* Loads up to --keep committed checkpoints, the newest last; damaged ones are named and passed
 * over. */
static int load_checkpoints(struct ft_run *run, const uint32_t *numbers, int count)
{
    char why[FT_STORE_WHY];

    run->old = calloc(run->options.keep + 1, sizeof(*run->old));
    if (!run->old)
        return ft_say_and(1, "no memory");
    for (int i = 0; i < count && run->old_count < (int)run->options.keep; i++) {
        struct ft_manifest *manifest;

        if (ft_store_load(run->store, numbers[i], &manifest, why)) {
            ft_say("warning: checkpoint %u is damaged (%s); it is not used", numbers[i], why);
            continue;
        }
        memmove(run->old + 1, run->old, (size_t)run->old_count++ * sizeof(*run->old));
        run->old[0] = manifest;
    }
    if (!run->old_count)
        return ft_say_and(1, "the store %s holds no usable checkpoint", ft_store_path(run->store));
    const struct ft_manifest *newest = run->old[run->old_count - 1];
    if (newest->cluster >= 0)
        return ft_say_and(FT_EXIT_USAGE,
                          "the store %s holds checkpoints of clusters (--protocol spbc), each of "
                          "another moment: a job cannot be continued from them yet",
                          ft_store_path(run->store));
    if (!is_same_program(run, newest))
        return ft_say_and(FT_EXIT_USAGE,
                          "the store %s belongs to another program or other arguments: "
                          "%s",
                          ft_store_path(run->store), newest->program);
    run->build = newest->build;
    run->next = numbers[0] + 1;
    return take_manifest(run);
}

int ft_restart_open(struct ft_run *run)
{
    char why[FT_STORE_WHY];
    uint32_t *numbers = NULL;

    if (ft_store_open(run->options.store, 0, &run->store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    ft_store_sweep(run->store);
    run->keep_store = 1;
    int count = ft_store_list(run->store, &numbers);
    int code = load_checkpoints(run, numbers, count);
    free(numbers);
    return code;
}
