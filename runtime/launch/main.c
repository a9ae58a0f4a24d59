/* main: ftrun, from the command line to the exit code.
 *
 * Everything that can be wrong with the input is found before anything is created. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "launch/progress.h"
#include "launch/run.h"
#include "sites/sites.h"

void ft_say(const char *format, ...)
{
    char line[8192] = "ftrun: ";
    va_list list;

    va_start(list, format);
    int length = vsnprintf(line + 7, sizeof(line) - 8, format, list) + 7;
    va_end(list);
    if (length > (int)sizeof(line) - 2)
        length = (int)sizeof(line) - 2;
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written; /* there is nowhere else to say it */
}

/* An error of the input or of the surroundings, found before the run: the exit code. */
static int refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(int code, const char *format, ...)
{
    char text[FT_STORE_PATH + 512];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    ft_say("%s", text);
    return code;
}

/* A table of sites that cannot be read is none, and said so once. */
static void check_sites(const char *path)
{
    struct ft_sites *sites;
    int code = ft_sites_read(path, &sites);

    if (code && code != -ENOENT)
        ft_say("warning: the table of sites in %s is damaged (%s); the run goes on without it",
               path, code == -EBADMSG ? "or of another version" : strerror(-code));
    ft_sites_destroy(sites);
}

/* The program, its words and its surroundings, from the command line. 0 or an exit code. */
static int take_program(struct ft_run *run)
{
    struct ft_program *program = &run->program;
    const struct ft_options *options = &run->options;
    struct rlimit limit;
    char why[FT_STORE_PATH];
    extern char **environ;

    program->cwd = realpath(options->cwd ? options->cwd : ".", NULL);
    if (!program->cwd)
        return refuse(FT_EXIT_USAGE, "working directory %s: %s", options->cwd ? options->cwd : ".",
                      strerror(errno));
    program->path = ft_program_find(options->program, program->cwd);
    if (!program->path)
        return refuse(errno == EACCES ? 126 : FT_EXIT_MISSING, "%s: %s", options->program,
                      errno == EACCES ? "not an executable file" : "no such program");
    if (ft_program_check(program->path, why, sizeof(why)))
        return refuse(FT_EXIT_USAGE, "%s", why);
    check_sites(program->path);
    program->argv = ft_program_copy(options->argv);
    program->envp = ft_program_copy(environ);
    if (!program->argv || !program->envp || getrlimit(RLIMIT_STACK, &limit))
        return refuse(1, "no memory");
    program->stack_limit = limit.rlim_cur;
    for (int i = 0; i < options->variables; i++)
        ft_program_setenv(&program->envp, options->name[i], options->value[i]);
    return 0;
}

/* --restart: the same from the newest checkpoint. */
static int take_manifest(struct ft_run *run)
{
    const struct ft_manifest *newest = run->kept[run->kept_count - 1];
    struct ft_program *program = &run->program;
    char path[FT_STORE_PATH], why[FT_STORE_PATH];

    if (run->options.size && run->options.size != newest->size)
        return refuse(FT_EXIT_USAGE, "the store %s belongs to a job of %d ranks, not %d",
                      ft_store_path(run->store), newest->size, run->options.size);
    if (run->options.variables || run->options.cwd)
        return refuse(FT_EXIT_USAGE, "--restart keeps the environment and the working directory of "
                                     "the first start: leave -env and -wdir out");
    program->path = strdup(newest->program);
    program->cwd = strdup(newest->cwd);
    program->argv = ft_program_copy(newest->argv);
    program->stack_limit = newest->stack_limit;
    ft_store_file(run->store, "environ", path);
    if (!program->path || ft_program_load_environment(path, &program->envp))
        return refuse(1, "%s: %s", path, strerror(errno));
    if (access(program->path, X_OK))
        return refuse(FT_EXIT_MISSING, "%s: %s", program->path, strerror(errno));
    return ft_program_check(program->path, why, sizeof(why)) ? refuse(FT_EXIT_USAGE, "%s", why) : 0;
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

    for (int i = 0; i < count && run->kept_count < (int)run->options.keep; i++) {
        struct ft_manifest *manifest;

        if (ft_store_load(run->store, numbers[i], &manifest, why)) {
            ft_say("warning: checkpoint %u is damaged (%s); it is not used", numbers[i], why);
            continue;
        }
        memmove(run->kept + 1, run->kept, (size_t)run->kept_count++ * sizeof(*run->kept));
        run->kept[0] = manifest;
    }
    if (!run->kept_count)
        return refuse(1, "the store %s holds no usable checkpoint", ft_store_path(run->store));
    const struct ft_manifest *newest = run->kept[run->kept_count - 1];
    if (!is_same_program(run, newest))
        return refuse(FT_EXIT_USAGE,
                      "the store %s belongs to another program or other arguments: "
                      "%s",
                      ft_store_path(run->store), newest->program);
    run->build = newest->build;
    run->dropped = 1;
    run->next = numbers[0] + 1;
    return take_manifest(run);
}

static int open_old_store(struct ft_run *run)
{
    char why[FT_STORE_WHY];
    uint32_t *numbers = NULL;

    if (ft_store_open(run->options.store, 0, &run->store, why))
        return refuse(FT_EXIT_USAGE, "%s", why);
    ft_store_sweep(run->store);
    run->keep_store = 1;
    int count = ft_store_list(run->store, &numbers);
    int code = load_checkpoints(run, numbers, count);
    free(numbers);
    return code;
}

static int open_new_store(struct ft_run *run)
{
    char why[FT_STORE_WHY], standard[FT_STORE_PATH];
    const char *path = run->options.store, *name = strrchr(run->program.path, '/') + 1;
    uint32_t *numbers = NULL;

    snprintf(standard, sizeof(standard), "./.ftrun/%.200s.%d", name, (int)getpid());
    if (ft_store_open(path ? path : standard, 1, &run->store, why))
        return refuse(FT_EXIT_USAGE, "%s%s", why, path ? "" : "; name another one with --store");
    int count = ft_store_list(run->store, &numbers);
    free(numbers);
    if (count > 0) {
        run->keep_store = 1;
        return refuse(FT_EXIT_USAGE,
                      "the store %s holds checkpoints of an earlier run: continue it with "
                      "--restart, or remove the store",
                      ft_store_path(run->store));
    }
    return 0;
}

/* Maps the marks of the output, one per stream, from the store. */
static int map_marks(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    size_t bytes = (size_t)run->size * 2 * sizeof(*run->marks);

    ft_store_file(run->store, "output", path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int code = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)bytes);
    void *marks = code ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (marks == MAP_FAILED)
        return refuse(FT_EXIT_USAGE, "%s: %s", path, strerror(code ? code : errno));
    run->marks = marks;
    return 0;
}

static int make_undo_folders(struct ft_run *run)
{
    char name[64], path[FT_STORE_PATH];

    ft_store_file(run->store, "undo", path);
    if (mkdir(path, 0700) && errno != EEXIST)
        return refuse(FT_EXIT_USAGE, "%s: %s", path, strerror(errno));
    for (int i = 0; i < run->size; i++) {
        snprintf(name, sizeof(name), "undo/rank-%d", i);
        ft_store_file(run->store, name, path);
        if (mkdir(path, 0700) && errno != EEXIST)
            return refuse(FT_EXIT_USAGE, "%s: %s", path, strerror(errno));
        if (!(run->undo[i] = strdup(path)))
            return refuse(1, "no memory");
    }
    return 0;
}

static void remove_parent(const struct ft_run *run)
{
    if (!run->options.store && !run->keep_store)
        rmdir("./.ftrun"); /* only when no other store is in it */
}

/* In the guardian of a rehearsal, which nobody can continue. */
static void clear_store(void *context)
{
    struct ft_run *run = context;

    ft_store_close(run->store, 1);
    remove_parent(run);
}

/* The private folder, and the variables that every life of every rank gets. */
static int prepare_environment(struct ft_run *run)
{
    char ***envp = &run->program.envp, path[FT_STORE_PATH];
    const char *old = ft_program_getenv(*envp, "UCX_POSIX_DIR");
    int ours = run->options.restart && old && !strncmp(old, "/dev/shm/ftrun-", 15);
    int code = ft_shm_create(run->size, ours ? old : NULL, run->options.verify ? clear_store : NULL,
                             run, &run->shm);

    if (code)
        return refuse(1, "a private folder in /dev/shm: %s", strerror(-code));
    if (run->options.restart)
        return 0;
    if (!old && !strncmp(ft_shm_folder(run->shm), "/dev/shm/", 9))
        ft_program_setenv(envp, "UCX_POSIX_DIR", ft_shm_folder(run->shm));
    /* UCX patches whatever the name mmap resolves to when it is loaded, which is libft's wrapper
     * (docs/decisions.md), answers crashes with a backtrace of its own, once in each life, and
     * writes what it thinks of a peer's death into the program's stderr. */
    ft_program_setenv(envp, "UCX_MEM_MMAP_HOOK_MODE", "none");
    ft_program_setenv(envp, "UCX_HANDLE_ERRORS", "none");
    if (!ft_program_getenv(*envp, "UCX_LOG_LEVEL"))
        ft_program_setenv(envp, "UCX_LOG_LEVEL", "fatal");
    ft_program_setenv(envp, FT_WIRE_ENV, "3");
    ft_store_file(run->store, "environ", path);
    code = ft_program_save_environment(*envp, path);
    return code ? refuse(FT_EXIT_USAGE, "%s: %s", path, strerror(-code)) : 0;
}

static int make_members(struct ft_run *run)
{
    size_t size = (size_t)run->size;

    run->members = calloc(size, sizeof(*run->members));
    run->blocks = calloc(size, sizeof(*run->blocks));
    run->orders = calloc(size, sizeof(*run->orders));
    run->undo = calloc(size, sizeof(*run->undo));
    run->gather = ft_gather_create(run->size);
    if (!run->members || !run->blocks || !run->orders || !run->undo || !run->gather)
        return refuse(1, "no memory for %d ranks", run->size);
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        member->run = run;
        member->rank = i;
        member->control = member->out[0] = member->out[1] = member->pmi_fd = -1;
        member->recorder_fd = memfd_create("ftrun-recorder", MFD_CLOEXEC);
        if (member->recorder_fd < 0 || ftruncate(member->recorder_fd, FT_RECORDER_BYTES))
            return refuse(1, "recorder of rank %d: %s", i, strerror(errno));
        member->recorder = mmap(NULL, FT_RECORDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                                member->recorder_fd, 0);
        if (member->recorder == MAP_FAILED)
            return refuse(1, "recorder of rank %d: %s", i, strerror(errno));
    }
    return 0;
}

static void on_difference(void *context, int rank, int stream, uint64_t line)
{
    struct ft_run *run = context;

    if (run->rehearsal) {
        ft_rehearse_differs(run, rank, stream, line);
        return;
    }
    ft_say("warning: rank %d printed line %llu of std%s differently when it was executed again; "
           "the first version stands",
           rank, (unsigned long long)line, stream ? "err" : "out");
}

static void on_segments(void *context, uint32_t events)
{
    struct ft_run *run = context;

    (void)events;
    ft_shm_notice(run->shm);
}

static int make_streams(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    struct ft_output_options output = {.size = run->size,
                                       .fds = {STDOUT_FILENO, STDERR_FILENO},
                                       .prepend = run->options.prepend,
                                       .hold = run->options.hold,
                                       .marks = run->marks,
                                       .differs = on_difference,
                                       .context = run};

    run->output_fds[0] = STDOUT_FILENO;
    run->output_fds[1] = STDERR_FILENO;
    ft_store_file(run->store, "stdin", path);
    int code = ft_input_create(run->loop, path, &run->input);
    if (!code)
        code = ft_output_create(&output, &run->output);
    return code ? refuse(FT_EXIT_USAGE, "%s: %s", path, strerror(-code)) : 0;
}

static int make_launcher(struct ft_run *run)
{
    char why[1024];
    extern char **environ;
    struct ft_slots_options slots = {.loop = run->loop,
                                     .size = run->size,
                                     .folder = ft_shm_folder(run->shm),
                                     .envp = environ,
                                     .ready = ft_rank_pmi,
                                     .context = run};

    if (ft_slots_create(&slots, &run->slots, why, sizeof(why)))
        return refuse(FT_EXIT_MISSING, "%s", why);
    return 0;
}

static int open_events(struct ft_run *run)
{
    int code =
        ft_events_open(run->options.events, run->options.verbose, run->started, &run->events);

    return code ? refuse(FT_EXIT_USAGE, "%s: %s", run->options.events, strerror(-code)) : 0;
}

static int prepare(struct ft_run *run)
{
    int code;

    run->kept = calloc(run->options.keep + 1, sizeof(*run->kept));
    if (!run->kept)
        return refuse(1, "no memory");
    code = run->options.restart ? open_old_store(run) : take_program(run);
    if (!code)
        code = open_events(run);
    if (!code && !run->options.restart)
        code = open_new_store(run);
    if (code)
        return code;
    run->size = run->kept_count ? run->kept[run->kept_count - 1]->size : run->options.size;
    gethostname(run->node, sizeof(run->node) - 1);
    if ((code = make_members(run)) || (code = prepare_environment(run)) ||
        (code = map_marks(run)) || (code = make_undo_folders(run)))
        return code;
    if (ft_loop_create(&run->loop))
        return refuse(1, "epoll: %s", strerror(errno));
    if ((code = make_streams(run)) || (run->options.verify && (code = ft_rehearse_start(run))))
        return code;
    return make_launcher(run);
}

static void interrupt(struct ft_run *run, int number)
{
    if (run->interrupted++) {
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
        ft_checkpoint_begin(run);
    else if (info.ssi_signo == SIGTERM)
        ft_finish_stop(run, "SIGTERM");
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

static int watch_signals(struct ft_run *run)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the launcher leaves is reaped here */
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR1);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_unless_ignored(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run->signals < 0)
        return refuse(1, "signalfd: %s", strerror(errno));
    ft_loop_watch(run->loop, run->signals, EPOLLIN, on_signal, run);
    if (ft_shm_watch(run->shm) >= 0)
        ft_loop_watch(run->loop, ft_shm_watch(run->shm), EPOLLIN, on_segments, run);
    return 0;
}

static void on_limit(void *context)
{
    ft_finish_stop(context, "time limit");
}

static void start(struct ft_run *run)
{
    run->saved = run->started;
    if (run->options.time_limit > 0)
        ft_loop_after(run->loop, &run->limit, run->options.time_limit, on_limit, run);
    ft_progress_start(run);
    if (run->options.restart)
        ft_recover_next(run);
    else
        ft_epoch_start(run, -1);
}

/* Everything is killed: the launcher's processes have become ftrun's children, and end. */
static void reap_rest(void)
{
    double end = ft_loop_now() + 2;
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && ft_loop_now() < end) {
        if (pid == 0)
            usleep(500);
    }
}

static void clean_up(struct ft_run *run)
{
    ft_slots_destroy(run->slots);
    ft_zygote_destroy(run->zygote);
    ft_shm_destroy(run->shm);
    reap_rest();
    ft_input_destroy(run->input);
    ft_output_destroy(run->output);
    ft_events_close(run->events);
    ft_rehearse_destroy(run);
    ft_store_close(run->store, !run->keep_store);
    remove_parent(run);
    for (int i = 0; i < run->kept_count; i++)
        ft_manifest_destroy(run->kept[i]);
    for (int i = 0; run->members && i < run->size; i++) {
        free(run->members[i].backtrace);
        free((char *)(uintptr_t)run->undo[i]);
    }
    free(run->undo);
    ft_gather_destroy(run->gather);
    ft_loop_destroy(run->loop);
    free(run->members);
    free(run->blocks);
    free(run->orders);
    free(run->kept);
    ft_program_free(&run->program);
}

int main(int argc, char **argv)
{
    static struct ft_run run;
    int code = ft_options_read(argc, argv, &run.options);

    if (code)
        return code < 0 ? FT_EXIT_USAGE : 0;
    run.started = ft_loop_now();
    code = prepare(&run);
    if (!code)
        code = watch_signals(&run);
    if (!code) {
        start(&run);
        ft_loop_run(run.loop, &run.done);
        code = run.rehearsal ? ft_rehearse_finish(&run) : run.code;
    }
    clean_up(&run);
    return code;
}
