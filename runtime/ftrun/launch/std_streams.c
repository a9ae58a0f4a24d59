/* Standard input, output and error of a run (std_streams.h). */
#include "launch/std_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "console/files.h"
#include "recover/recover.h"

/* ftrun has printed the line and cannot take it back. In the new execution an outcome that was not
 * recorded is another one, so the lines that follow would belong to another execution. */
static void end_disbelieved(struct ft_run *run, int rank, int stream, uint64_t line)
{
    ft_say("rank %d printed line %llu of std%s differently when it was executed again: what it "
           "prints depends on outcomes that were not recorded, because no message depends on them "
           "(--trust). Use --trust none, or --output=commit, which prints only what stays",
           rank, (unsigned long long)line, stream ? "err" : "out");
    ft_finish(run, FT_EXIT_REFUSED);
}

static void on_difference(void *context, int rank, int stream, uint64_t line)
{
    struct ft_run *run = context;

    if (run->verify_runs) {
        ft_verify_runs_differs(run, rank, stream, line);
        return;
    }
    ft_events_emit(run->events, "differs", "{s:i, s:s, s:I}", "rank", rank, "stream",
                   stream ? "err" : "out", "line", (json_int_t)line);
    if (ft_run_contains(run) && ft_ring_believed(&run->members[rank], 0)) {
        end_disbelieved(run, rank, stream, line);
        return;
    }
    if (run->twin) {
        ft_say("the two copies of rank %d printed line %llu of std%s differently: they do not do "
               "the same "
               "(--replicas), because of something that is not recorded",
               rank, (unsigned long long)line, stream ? "err" : "out");
        ft_finish(run, FT_EXIT_REFUSED);
        return;
    }
    ft_say("warning: rank %d printed line %llu of std%s differently when it was executed again; "
           "the first version stands (with --output=commit only what stays is printed)",
           rank, (unsigned long long)line, stream ? "err" : "out");
}

static void on_lost(void *context, int stream, int error)
{
    struct ft_run *run = context;

    run->output_lost = 1;
    ft_say("std%s: %s; what the program prints there from now on is lost", stream ? "err" : "out",
           strerror(error));
}

static void end_lacking(void *context)
{
    ft_finish(context, 1);
}

/* The run ends behind the present callback. A job that can be continued loses nothing. */
static void on_torn(void *context, int rank)
{
    struct ft_run *run = context;

    run->output_lost = 1;
    ft_say("no memory for what rank %d prints: the run ends here", rank);
    ft_loop_after(run->loop, &run->torn, 0, end_lacking, run);
}

static void on_input_lost(void *context, int error)
{
    struct ft_run *run = context;

    if (error)
        ft_say("standard input cannot be read (%s): the run ends here", strerror(error));
    else
        ft_say(
            "standard input that was kept in the store is not there any more: the run ends here");
    ft_loop_after(run->loop, &run->input_lost, 0, end_lacking, run);
}

/* The input that the program of a continued job has read must be in the store, or come again: a
 * pipe brings only what follows. 0 or an exit code. */
static int check_input(const struct ft_run *run, const char *path)
{
    uint64_t read = run->options.restart ? ft_cluster_newest(run->clusters[0])->input : 0;
    int code = ft_input_check(run->input, read);

    if (!code)
        return 0;
    if (code == -EBADMSG)
        return ft_say_and(1, "standard input is not the file that was read from: the job can only "
                             "be continued with all of that, or with a pipe that has the rest");
    if (code != -ENODATA)
        return ft_say_and(1, "standard input, or %s: %s", path, strerror(-code));
    return ft_say_and(1,
                      "%s is %s: nobody knows what had been read from standard input, so the job "
                      "can only be continued with a file that has all of it",
                      path, ft_input_kept(run->input) ? "too short" : "missing");
}

/* The files of the ranks (-outfile-pattern), until the end of the process; *files NULL: there are
 * none. 0 or an exit code. */
static int open_files(const struct ft_run *run, int **files)
{
    const char *const *patterns = run->options.patterns;
    char *failed = NULL;
    int code = 0;

    *files = NULL;
    if (!patterns[0] && !patterns[1])
        return 0;
    *files = malloc(2 * (size_t)run->size * sizeof(**files));
    if (!*files)
        return ft_say_and(1, "no memory for the files of the ranks");
    memset(*files, 0xff, 2 * (size_t)run->size * sizeof(**files));
    for (int i = 0; !code && i < 2; i++) {
        if (patterns[i])
            code = ft_files_open(patterns[i], run->size, run->options.restart, *files + i, &failed);
    }
    if (code)
        ft_say("%s: %s", failed ? failed : "the files of the ranks", strerror(-code));
    free(failed);
    return code ? FT_EXIT_USAGE : 0;
}

int ft_std_streams_make(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    int *files;
    struct ft_output_options output = {.size = run->size,
                                       .fds = {STDOUT_FILENO, STDERR_FILENO},
                                       .prepend = run->options.prepend,
                                       .hold = run->options.hold,
                                       .ignore = run->options.ignored ? &run->options.ignore : NULL,
                                       .marks = run->marks,
                                       .differs = on_difference,
                                       .lost = on_lost,
                                       .torn = on_torn,
                                       .context = run};

    if (open_files(run, &files))
        return FT_EXIT_USAGE;
    output.files = files;
    run->output_fds[0] = STDOUT_FILENO;
    run->output_fds[1] = STDERR_FILENO;
    ft_store_file(run->store, "stdin", path);
    int code = ft_input_create(run->loop, path, on_input_lost, run, &run->input);
    if (code)
        return ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(-code));
    if ((code = ft_output_create(&output, &run->output)))
        return ft_say_and(FT_EXIT_USAGE, "output of %d ranks: %s", run->size, strerror(-code));
    return check_input(run, path);
}
