/* main: ftrun, from the command line to the exit code: signals, the loop, the end. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "commit/commit.h"
#include "host/spawn.h"
#include "launch/picture.h"
#include "launch/prepare.h"
#include "launch/slurm.h"
#include "launch/stores.h"
#include "launch/progress.h"
#include "putback/putback.h"
#include "recover/recover.h"
#include "rehearse/rehearse.h"

static void interrupt(struct ft_run *run, int number)
{
    if (run->interrupted++) {
        if (run->twin)
            ft_epoch_clear(run->twin, FT_RUN_ENDING);
        ft_epoch_clear(run, FT_RUN_ENDING);
        run->done = 1;
        return;
    }
    ft_finish(run, 128 + number);
    run->keep_store &= run->options.store != NULL;
}

static void on_signal(void *context, uint32_t events)
{
    struct ft_run *run = context;
    struct signalfd_siginfo info;

    (void)events;
    if (read(run->signals, &info, sizeof(info)) != sizeof(info))
        return;
    if (info.ssi_signo == SIGCHLD)
        ft_recover_reap(run);
    else if (info.ssi_signo == SIGUSR1)
        ft_checkpoint_begin_all(run);
    else if (info.ssi_signo == SIGTERM)
        ft_finish_terminate(run);
    else
        interrupt(run, (int)info.ssi_signo);
}

/* A signal that is ignored at the start (nohup) stays ignored. */
static void add_unless_ignored(sigset_t *set, int number)
{
    struct sigaction action;

    if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

static void on_segments(void *context, uint32_t events)
{
    struct ft_run *run = context;

    (void)events;
    ft_shm_notice(run->shm);
}

/* Before anything is made that has to be removed: what comes from here on waits for the loop. */
static void block_signals(sigset_t *set)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};

    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGUSR1);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_unless_ignored(set, numbers[i]);
    sigprocmask(SIG_BLOCK, set, NULL);
}

static int watch_signals(struct ft_run *run, const sigset_t *set)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans of the program are reaped here */
    run->signals = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run->signals < 0)
        return ft_say_and(1, "signalfd: %s", strerror(errno));
    ft_loop_watch(run->loop, run->signals, EPOLLIN, on_signal, run);
    if (ft_shm_watch(run->shm) >= 0)
        ft_loop_watch(run->loop, ft_shm_watch(run->shm), EPOLLIN, on_segments, run);
    return 0;
}

static void on_limit(void *context)
{
    ft_finish_stop(context, "time limit");
}

/* The first event: which ranks there are, and which of them roll back together. */
static void emit_job(struct ft_run *run)
{
    json_t *clusters = json_array();

    for (int i = 0; i < run->size; i++)
        json_array_append_new(clusters, json_integer(run->of[i]));
    ft_events_emit(run->events, "job", "{s:s, s:i, s:o}", "program", run->program.path, "ranks",
                   run->size, "clusters", clusters);
}

static void start(struct ft_run *run)
{
    emit_job(run);
    for (int i = 0; i < run->cluster_count; i++)
        run->clusters[i]->saved = run->started;
    if (run->options.time_limit > 0)
        ft_loop_after(run->loop, &run->limit, run->options.time_limit, on_limit, run);
    ft_progress_start(run);
    if (ft_fault_start(run))
        ft_say("warning: no memory for the faults of the plan");
    ft_lack_start(run);
    if (run->twin)
        ft_copies_start(run);
    if (!run->nodes)
        ft_recover_begin(run);
    else if (ft_away_launch(run) || (run->twin && ft_away_launch(run->twin)))
        ft_finish(run, 1);
}

/* Everything is killed: orphans of the program have become ftrun's children, and end. */
static void reap_rest(void)
{
    double end = ft_loop_now() + 2;
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && ft_loop_now() < end) {
        if (pid == 0)
            usleep(500);
    }
}

/* Ends the helpers that ftrun has started for a team of copies. */
static void end_helpers(struct ft_run *run)
{
    ft_away_destroy(run);
    ft_pmi_destroy(run->pmi);
    ft_zygote_destroy(run->starter.zygote);
    ft_shm_destroy(run->shm);
    ft_removal_end(run);
}

/* Frees the parts of a run that a team of copies has for itself. */
static void free_team(struct ft_run *run)
{
    ft_input_destroy(run->input);
    ft_output_destroy(run->output);
    ft_events_close(run->events);
    if (run->copy == 0)
        ft_picture_write(run, run->event_file);
    ft_store_close(run->store, !run->keep_store);
    for (int i = 0; run->members && i < run->size; i++)
        free(run->members[i].backtrace);
    for (int i = 0; run->origin && i < 2 * run->size; i++)
        free(run->origin[i].text);
    free(run->origin);
    ft_clusters_free(run);
    for (int i = 0; i < run->whole.count; i++)
        ft_manifest_destroy(run->whole.list[i]);
    free(run->whole.list);
    ft_gather_destroy(run->leave.gather);
    free(run->leave.blocks);
    free(run->leave.orders);
    ft_still_destroy(run->still);
    ft_still_destroy(run->lacking);
    ft_marks_destroy(run);
    ft_phases_destroy(run);
    ft_orphans_destroy(run);
    ft_hung_destroy(run);
    free(run->members);
    if (run->copy == 0)
        ft_fault_end(run);
    free(run->at);
    ft_hosts_free(&run->hosts);
}

static void clean_up(struct ft_run *run)
{
    if (run->twin)
        end_helpers(run->twin);
    end_helpers(run);
    reap_rest(); /* it would wait for a helper that lives */
    if (run->twin) {
        run->twin->keep_store = run->keep_store;
        free_team(run->twin);
    }
    ft_verify_runs_destroy(run);
    for (int i = 0; i < run->old.count; i++)
        ft_manifest_destroy(run->old.list[i]);
    free(run->old.list);
    free_team(run);
    ft_loop_destroy(run->loop);
    ft_program_free(&run->program);
}

/* Can the file be written when all is over? A run may take days until then. 0 or an exit code. */
static int check_file(const char *path)
{
    struct stat status;
    int fd;

    if (!path)
        return 0;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        close(fd);
        unlink(path);
        return 0;
    }
    if (errno == EEXIST && !stat(path, &status) && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (errno == EEXIST && !access(path, W_OK))
        return 0;
    return ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(errno));
}

/* 0 or an exit code. */
static int check_surroundings(const struct ft_options *options)
{
    int code;

    if (ft_still_check())
        return ft_say_and(FT_EXIT_USAGE, "FT_PATIENCE: '%s' is not a number of seconds above 0",
                          getenv("FT_PATIENCE"));
    if ((code = check_file(options->profile)) || (code = check_file(options->report)) ||
        (code = check_file(options->picture)) || (code = check_file(options->trace_export)))
        return code;
    return check_file(options->survival);
}

int main(int argc, char **argv)
{
    static struct ft_run run, second;
    sigset_t set;
    int code;

    ft_spawn_prepare();
    if (argc == 2 && !strcmp(argv[1], "--agent"))
        return ft_agent_main();
    code = ft_options_read(argc, argv, &run.options);
    if (code)
        return code < 0 ? FT_EXIT_USAGE : 0;
    if (run.options.list_faults)
        return ft_faults_print(run.options.program);
    if (run.options.question)
        return ft_stores_answer(&run.options);
    if ((code = check_surroundings(&run.options)))
        return code;
    if (run.options.rehearse)
        return ft_rehearse(&run.options);
    run.started = ft_loop_now();
    block_signals(&set);
    if (isinf(run.options.time_limit) && (code = ft_slurm_limit(&run.options.time_limit)))
        return code;
    code = ft_prepare(&run);
    if (!code && run.options.replicas)
        code = ft_prepare_copies(&run, &second);
    if (!code)
        code = watch_signals(&run, &set);
    if (!code) {
        start(&run);
        ft_loop_run(run.loop, &run.done);
        code = run.verify_runs ? ft_verify_runs_finish(&run) : run.code;
    }
    clean_up(&run);
    return code;
}
