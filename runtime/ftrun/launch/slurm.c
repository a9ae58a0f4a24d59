#include "launch/slurm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "console/say.h"
#include "host/ask.h"
#include "host/proc.h"
#include "options/allocation.h"
#include "options/options.h"

static const double patience = 30; /* seconds until scontrol and squeue have answered */
static const double margin = 60; /* ftrun waits 30 s for a last checkpoint; then ranks are ended */

int ft_slurm_hosts(struct ft_hosts *out, char *why, size_t size)
{
    char *names = ft_ask("scontrol show hostnames \"$SLURM_JOB_NODELIST\"", patience, why, size);
    int code = names ? ft_allocation_hosts(names, getenv("SLURM_TASKS_PER_NODE"), out, why, size)
                     : -ENOENT;

    free(names);
    return code;
}

int ft_slurm_limit(double *seconds)
{
    const char *command = "squeue --noheader --jobs=\"$SLURM_JOB_ID\" --format=%L";
    char why[256], *text = ft_ask(command, patience, why, sizeof(why));
    double left = 0;
    int code;

    *seconds = 0;
    if (!text)
        return ft_say_and(FT_EXIT_USAGE, "--time-limit slurm: %s", why);
    code = ft_allocation_time(text, &left);
    text[strcspn(text, "\n")] = 0;
    if (code == -EINVAL)
        ft_say("--time-limit slurm: squeue says '%s' of the time that job %s has left", text,
               getenv("SLURM_JOB_ID"));
    free(text);
    if (code)
        return code == -EINVAL ? FT_EXIT_USAGE : 0;
    *seconds = left > 2 * margin ? left - margin : left / 2;
    return 0;
}

/* Do these words of salloc say --no-kill? They end with two zeros, as ft_proc_read leaves them. */
static int is_said(const char *word)
{
    for (; *word; word += strlen(word) + 1) {
        if (!strcmp(word, "--no-kill") || !strncmp(word, "-k", 2))
            return 1;
    }
    return 0;
}

/* Does the batch script have a line with it? */
static int is_written(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int found = 0;

    while (file && !found && getline(&line, &room, file) > 0)
        found = !strncmp(line, "#SBATCH", 7) && (strstr(line, " --no-kill") || strstr(line, " -k"));
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Looks at the process, which is salloc, a batch script, or neither. */
static int is_with_it(pid_t pid)
{
    static const char script[] = "/slurm_script";
    char words[8192] = "", *second;
    size_t length;

    ft_proc_read(pid, "cmdline", words, sizeof(words) - 1);
    second = words + strlen(words) + 1;
    length = strlen(second);
    if (length > sizeof(script) && !strcmp(second + length - strlen(script), script))
        return is_written(second);
    const char *name = strrchr(words, '/') ? strrchr(words, '/') + 1 : words;
    return !strcmp(name, "salloc") && is_said(second);
}

void ft_slurm_warn(void)
{
    static const char *const names[] = {"SALLOC_NO_KILL", "SBATCH_NO_KILL", "SLURM_NO_KILL"};
    char status[4096];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (getenv(names[i]))
            return;
    }
    for (pid_t pid = getppid(); pid > 1;) {
        if (is_with_it(pid))
            return;
        pid = ft_proc_read(pid, "status", status, sizeof(status))
                  ? (pid_t)atol(ft_proc_value(status, "\nPPid:\t"))
                  : 0;
    }
    ft_say("warning: when a node fails, Slurm ends the whole job, unless it was started with "
           "--no-kill (salloc --no-kill, #SBATCH --no-kill)");
}
