/* prepare: from the command line to a run that can start.
 *
 * Everything that can be wrong with the input is found before anything is created. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/memory.h"
#include "launch/prepare.h"
#include "options/clusters.h"
#include "options/trust.h"
#include "recover/recover.h"
#include "sites/sites.h"

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
        return ft_say_and(FT_EXIT_USAGE, "working directory %s: %s",
                          options->cwd ? options->cwd : ".", strerror(errno));
    program->path = ft_program_find(options->program, program->cwd);
    if (!program->path)
        return ft_say_and(errno == EACCES ? 126 : FT_EXIT_MISSING, "%s: %s", options->program,
                          errno == EACCES ? "not an executable file" : "no such program");
    if (ft_program_check(program->path, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    check_sites(program->path);
    program->argv = ft_program_copy(options->argv);
    program->envp = ft_program_copy(environ);
    if (!program->argv || !program->envp || getrlimit(RLIMIT_STACK, &limit))
        return ft_say_and(1, "no memory");
    program->stack_limit = limit.rlim_cur;
    for (int i = 0; i < options->variables; i++)
        ft_program_setenv(&program->envp, options->name[i], options->value[i]);
    return 0;
}

/* How many checkpoints the store holds, or -1 behind a message; it is kept if any. */
static int count_checkpoints(struct ft_run *run)
{
    uint32_t *numbers;
    int count = ft_store_list(run->store, &numbers);

    free(numbers);
    run->keep_store = count != 0;
    if (count >= 0)
        return count;
    ft_say("the store %s cannot be read: %s", ft_store_path(run->store), strerror(-count));
    return -1;
}

/* The store that the user has named. 0 or an exit code. */
static int open_named_store(struct ft_run *run)
{
    char why[FT_STORE_WHY];

    if (ft_store_open(run->options.store, 1, &run->store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    int count = count_checkpoints(run);
    if (count > 0)
        ft_say("the store %s holds checkpoints of an earlier run: continue it with --restart, or "
               "remove the store",
               ft_store_path(run->store));
    return count ? FT_EXIT_USAGE : 0;
}

/* .ftrun/PROGRAM.PID, or PROGRAM.PID.2, ...: in a container each job may have the same number. 0 or
 * an exit code. */
static int open_standard_store(struct ft_run *run)
{
    char why[FT_STORE_WHY], path[FT_STORE_PATH];
    const char *name = strrchr(run->program.path, '/') + 1;
    int length =
        snprintf(path, sizeof(path), "./" FT_STORE_STANDARD "/%.200s.%d", name, (int)getpid());

    for (int i = 2;; i++) {
        int code = ft_store_open(path, 1, &run->store, why);

        if (code && code != -EBUSY && code != -ENOTEMPTY)
            return ft_say_and(FT_EXIT_USAGE, "%s; name another one with --store", why);
        int count = code ? 1 : count_checkpoints(run);
        if (count <= 0)
            return count ? FT_EXIT_USAGE : 0;
        if (!code) {
            ft_say("the store %s of an earlier run stays: continue that with --restart, or remove "
                   "the store",
                   ft_store_path(run->store));
            ft_store_close(run->store, 0);
            run->store = NULL;
        }
        snprintf(path + length, sizeof(path) - (size_t)length, ".%d", i);
    }
}

static int open_new_store(struct ft_run *run)
{
    int code = run->options.store ? open_named_store(run) : open_standard_store(run);

    if (!code)
        ft_store_empty(run->store);
    return code;
}

/* The file of the marks; of a job that is continued it has to be there. 0 or an error number. */
static int open_marks(const struct ft_run *run, const char *path, size_t bytes, int *fd)
{
    struct stat status;

    *fd = open(path, O_RDWR | O_CLOEXEC | (run->options.restart ? 0 : O_CREAT | O_TRUNC), 0600);
    if (*fd < 0)
        return errno;
    if (!run->options.restart)
        return posix_fallocate(*fd, 0, (off_t)bytes);
    if (fstat(*fd, &status))
        return errno;
    return status.st_size == (off_t)bytes ? 0 : EBADMSG;
}

/* Those of a new job, which a machine that fails leaves whole. 0 or an error number. */
static int make_marks(struct ft_run *run, size_t bytes)
{
    for (int i = 0; i < 2 * run->size; i++)
        ft_mark_write(&run->marks[i], i, &(struct ft_mark){0});
    return msync(run->marks, bytes, MS_SYNC) ? errno : 0;
}

/* Those of a job that is continued. A machine that fails may leave some from before its newest
 * checkpoint. 0 or an error number. */
static int check_marks(const struct ft_run *run, const char *path)
{
    const struct ft_manifest *newest = run->old[run->old_count - 1];
    struct ft_mark mark;
    int code = 0, older = 0;

    for (int i = 0; !code && i < 2 * run->size; i++) {
        const struct ft_mark position = {newest->output[i].lines, newest->output[i].partial};

        code = -ft_mark_read(&run->marks[i], i, &mark);
        older |= !code && ft_mark_precedes(&mark, &position);
    }
    if (!code && older)
        ft_say("warning: %s is older than checkpoint %u: lines behind it may be printed twice",
               path, newest->checkpoint);
    return code;
}

/* Maps the marks of the output, one per stream, from the store. */
static int map_marks(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    size_t bytes = (size_t)run->size * 2 * sizeof(*run->marks);
    int fd;

    ft_store_file(run->store, "output", path);
    int code = open_marks(run, path, bytes, &fd);
    void *marks = code ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!code && marks == MAP_FAILED)
        code = errno;
    if (fd >= 0)
        close(fd);
    if (!code) {
        run->marks = marks;
        code = run->options.restart ? check_marks(run, path) : make_marks(run, bytes);
    }
    if (run->options.restart && (code == ENOENT || code == EBADMSG))
        return ft_say_and(1,
                          "%s is %s: nobody knows which lines are printed already, so the job "
                          "cannot be continued; start without --restart, with a new --store",
                          path, code == ENOENT ? "missing" : "damaged");
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(code)) : 0;
}

/* Makes the folder `name` in the store, whose path is written into path. 0 or an exit code. */
static int make_folder(struct ft_run *run, const char *name, char *path)
{
    ft_store_file(run->store, name, path);
    return mkdir(path, 0700) && errno != EEXIST
               ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(errno))
               : 0;
}

/* Where ranks put what does not fit into the memory of their logs. */
static int make_log_folders(struct ft_run *run)
{
    char name[64], path[FT_STORE_PATH];
    int code = ft_run_contains(run) ? make_folder(run, "log", path) : 0;

    for (int i = 0; !code && ft_run_contains(run) && i < run->size; i++) {
        snprintf(name, sizeof(name), "log/rank-%d", i);
        code = make_folder(run, name, path);
    }
    return code;
}

static int make_undo_folders(struct ft_run *run)
{
    char name[64], path[FT_STORE_PATH];
    int code = make_folder(run, "undo", path);

    if (code)
        return code;
    for (int i = 0; i < run->size; i++) {
        snprintf(name, sizeof(name), "undo/rank-%d", i);
        if ((code = make_folder(run, name, path)))
            return code;
        if (!(run->members[i].cluster->undo[run->members[i].place] = strdup(path)))
            return ft_say_and(1, "no memory");
    }
    return 0;
}

/* In the guardian of --verify, which nobody can continue. */
static void clear_store(void *context)
{
    struct ft_run *run = context;

    ft_store_close(run->store, 1);
}

/* MPICH's own progress thread would be inside of the library while a rank leaves it, and no image
 * has it. All three names count, the last of them most. */
static void quiet_progress(char ***envp)
{
    static const char *const names[] = {"MPICH_ASYNC_PROGRESS", "MPIR_PARAM_ASYNC_PROGRESS",
                                        "MPIR_CVAR_ASYNC_PROGRESS"};
    const char *last = NULL, *value;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((value = ft_program_getenv(*envp, names[i])))
            last = value;
    }
    if (!last || !*last || strchr("0nNfF", *last))
        return;
    ft_say(
        "warning: MPIR_CVAR_ASYNC_PROGRESS is switched off: no rank that has such a thread could "
        "go back or be left");
    ft_program_setenv(envp, "MPIR_CVAR_ASYNC_PROGRESS", "0");
}

/* The private folder, and the variables that every life of every rank gets. */
static int prepare_environment(struct ft_run *run)
{
    char ***envp = &run->program.envp, path[FT_STORE_PATH];
    const char *old = ft_program_getenv(*envp, "UCX_POSIX_DIR");
    int ours = run->options.restart && old && !strncmp(old, "/dev/shm/ftrun-", 15);
    int code = ft_shm_create(run->size, ours ? old : NULL, run->options.verify ? clear_store : NULL,
                             run, &run->shm);

    if (code == -EBUSY)
        return ft_say_and(FT_EXIT_USAGE,
                          "another ftrun that began with this store, or with one that it is a copy "
                          "of, is running: %s is in use",
                          old);
    if (code)
        return ft_say_and(1, "a private folder in /dev/shm: %s", strerror(-code));
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
    quiet_progress(envp);
    /* A test of many requests polls once, not again for each eight of them: in a window of 64 that
     * is 36 instructions a message. Its MPI_Waitall has no such polls. */
    if (!ft_program_getenv(*envp, "MPIR_CVAR_REQUEST_POLL_FREQ"))
        ft_program_setenv(envp, "MPIR_CVAR_REQUEST_POLL_FREQ", "65536");
    ft_program_setenv(envp, FT_WIRE_ENV, FT_WIRE_ENV_FIRST);
    ft_store_file(run->store, "environ", path);
    code = ft_program_save_environment(*envp, path);
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(-code)) : 0;
}

/* What a run has open for sure: of its own, and its recorder, control, PMI and pipes of each rank.
 * What comes and goes, and images of survivors, are not counted. 0 or an exit code. */
static int check_descriptors(const struct ft_run *run)
{
    const rlim_t least = 12 + 5 * (rlim_t)run->size;
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= least
               ? 0
               : ft_say_and(1,
                            "%d ranks need %llu descriptors in ftrun at least, and it can have "
                            "%llu (ulimit -Hn)",
                            run->size, (unsigned long long)least,
                            (unsigned long long)limit.rlim_cur);
}

static int make_members(struct ft_run *run)
{
    size_t size = (size_t)run->size;

    run->members = calloc(size, sizeof(*run->members));
    run->leave.blocks = calloc(size, sizeof(*run->leave.blocks));
    run->leave.orders = calloc(size, sizeof(*run->leave.orders));
    run->leave.gather = ft_gather_create(run->size, 1);
    run->whole = calloc(run->options.keep + 1, sizeof(*run->whole));
    if (!run->members || !run->whole || !run->leave.blocks || !run->leave.orders ||
        !run->leave.gather || ft_still_create(run->size, &run->still) ||
        ft_still_create(run->size, &run->lacking) || ft_clusters_make(run))
        return ft_say_and(1, "no memory for %d ranks", run->size);
    run->topology = memfd_create("ftrun-topology", MFD_CLOEXEC);
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        member->run = run;
        member->rank = i;
        member->control = member->out[0] = member->out[1] = member->image_fd = -1;
        member->recorder_fd = memfd_create("ftrun-recorder", MFD_CLOEXEC);
        if (member->recorder_fd < 0 ||
            ftruncate(member->recorder_fd, FT_RECORDER_BYTES + ft_ring_bytes(run)))
            return ft_say_and(1, "recorder of rank %d: %s%s", i, strerror(errno),
                              errno == EFBIG ? " (ulimit -f)" : "");
        member->recorder = mmap(NULL, FT_RECORDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                                member->recorder_fd, 0);
        if (member->recorder == MAP_FAILED)
            return ft_say_and(1, "recorder of rank %d: %s", i, strerror(errno));
    }
    return 0;
}

/* What was printed first stays, and what was not recorded has come out otherwise: the lines that
 * follow would not be of the same execution. */
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

/* What is being done now is done first. A job that can be continued loses nothing. */
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

/* What the program of a job that is continued has read must be in the store, or come again: what
 * comes from a pipe is what follows. 0 or an exit code. */
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

static int make_streams(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    struct ft_output_options output = {.size = run->size,
                                       .fds = {STDOUT_FILENO, STDERR_FILENO},
                                       .prepend = run->options.prepend,
                                       .hold = run->options.hold,
                                       .marks = run->marks,
                                       .differs = on_difference,
                                       .lost = on_lost,
                                       .torn = on_torn,
                                       .context = run};

    run->output_fds[0] = STDOUT_FILENO;
    run->output_fds[1] = STDERR_FILENO;
    ft_store_file(run->store, "stdin", path);
    int code = ft_input_create(run->loop, path, on_input_lost, run, &run->input);
    if (!code)
        code = ft_output_create(&output, &run->output);
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(-code))
                : check_input(run, path);
}

static int open_events(struct ft_run *run)
{
    int code =
        ft_events_open(run->options.events, run->options.verbose, run->started, &run->events);

    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", run->options.events, strerror(-code)) : 0;
}

/* All ranks run on this machine: their logs may fill a quarter of what it lets the job have. */
static uint64_t standard_limit(int size)
{
    struct ft_memory memory;

    ft_memory_look("", &memory);
    return memory.total / 4 / (uint64_t)size;
}

/* What the user asked for, and one cluster has no use for. 0 or an exit code. */
static int check_words(const struct ft_run *run, const char *word)
{
    return word && !ft_run_contains(run)
               ? ft_say_and(FT_EXIT_USAGE,
                            "%s needs --protocol spbc or several clusters, and there is one", word)
               : 0;
}

/* Which ranks roll back together, and so the protocol. 0 or an exit code. */
static int take_clusters(struct ft_run *run)
{
    struct ft_options *options = &run->options;
    const char *clusters = options->clusters ? options->clusters : "node";
    const char *word = ft_options_of_spbc(options);
    char why[FT_STORE_WHY], each[16];
    int count;

    run->cluster_count = 1;
    run->of = calloc((size_t)run->size, sizeof(*run->of));
    if (!run->of)
        return ft_say_and(1, "no memory for %d ranks", run->size);
    if (!options->log_limit)
        options->log_limit = standard_limit(run->size);
    if (options->restart && ft_restart_has_clusters(run))
        return ft_restart_clusters(run);
    if (options->profile) {
        options->protocol = FT_PROTOCOL_SPBC;
        snprintf(each, sizeof(each), "%d", run->size);
        clusters = each;
    }
    if (options->clusters || options->protocol == FT_PROTOCOL_SPBC) {
        count = ft_clusters_read(clusters, run->size, run->of, why, sizeof(why));
        if (count < 0)
            return ft_say_and(FT_EXIT_USAGE, "%s", why);
        run->cluster_count = count;
    }
    if (options->protocol == FT_PROTOCOL_AUTO)
        options->protocol = run->cluster_count > 1 ? FT_PROTOCOL_SPBC : FT_PROTOCOL_COORDINATED;
    if (options->protocol == FT_PROTOCOL_SPBC && options->restart)
        return ft_say_and(FT_EXIT_USAGE, "the store %s is of a run without clusters: leave %s out",
                          ft_store_path(run->store),
                          options->profile ? "--profile" : "--clusters and --protocol");
    if (options->protocol == FT_PROTOCOL_SPBC && options->verify)
        return ft_say_and(FT_EXIT_USAGE,
                          "--verify is not possible with several clusters: leave --clusters out");
    return check_words(run, word);
}

/* What a rehearsal of this very executable says; NULL without --trust FILE. 0 or an exit code. */
static int read_rehearsed(const struct ft_run *run, struct ft_trust **out)
{
    const char *path = run->options.rehearsed;
    char why[FT_STORE_WHY];
    uint64_t hash = 0;
    int code;

    *out = NULL;
    if (!path)
        return 0;
    if (ft_trust_read(path, out, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE,
                          "--trust %s: this is neither none nor proved, and as the result of a "
                          "rehearsal: %s",
                          path, why);
    code = ft_trust_hash(run->program.path, &hash);
    if (code)
        return ft_say_and(FT_EXIT_USAGE, "%s: %s", run->program.path, strerror(-code));
    return hash == (*out)->executable
               ? 0
               : ft_say_and(FT_EXIT_USAGE,
                            "--trust %s: another executable than %s was rehearsed: rehearse this "
                            "one",
                            path, run->program.path);
}

/* Which patterns the ranks believe. 0 or an exit code. */
static int take_trust(struct ft_run *run)
{
    struct ft_sites *sites = NULL;
    struct ft_trust *found = NULL;
    uint32_t count = 0;

    if (run->options.restart && ft_restart_has_clusters(run))
        return ft_restart_trust(run);
    int trusts = run->options.trust != FT_TRUSTING_NONE && ft_run_contains(run);
    int code = read_rehearsed(run, &found);

    if (!code && trusts && !ft_sites_read(run->program.path, &sites))
        count = ft_trust_choose(sites, found, run->pattern, FT_WIRE_PATTERNS);
    if (count > FT_WIRE_PATTERNS)
        ft_say("warning: %u patterns may be trusted; %d of them are, and the others are recorded",
               count, FT_WIRE_PATTERNS);
    run->trusted = count < FT_WIRE_PATTERNS ? count : FT_WIRE_PATTERNS;
    ft_sites_destroy(sites);
    free(found);
    return code;
}

/* With --restart only the store knows how many ranks there are. 0 or an exit code. */
static int check_orders(const struct ft_run *run)
{
    for (int i = 0; i < run->options.orders; i++) {
        if (run->options.order[i].rank >= run->size)
            return ft_say_and(FT_EXIT_USAGE, "--kill: there is no rank %d of %d",
                              run->options.order[i].rank, run->size);
    }
    return 0;
}

int ft_prepare(struct ft_run *run)
{
    int code;

    code = run->options.restart ? ft_restart_open(run) : take_program(run);
    if (code)
        return code;
    run->size = run->old_count ? run->old[run->old_count - 1]->size : run->options.size;
    if ((code = check_orders(run)) || (code = take_clusters(run)) || (code = take_trust(run)) ||
        (!run->options.restart && (code = open_new_store(run))))
        return code;
    if ((code = open_events(run))) /* whoever is refused the store may have named another's file */
        return code;
    gethostname(run->node, sizeof(run->node) - 1);
    if ((code = check_descriptors(run)) || (code = make_members(run)))
        return code;
    if ((code = prepare_environment(run)) || (code = map_marks(run)) ||
        (code = make_undo_folders(run)) || (code = make_log_folders(run)) ||
        (code = ft_restart_take(run)))
        return code;
    if (ft_loop_create(&run->loop))
        return ft_say_and(1, "epoll: %s", strerror(errno));
    if ((code = make_streams(run)) || (run->options.verify && (code = ft_verify_runs_start(run))))
        return code;
    if (ft_pmi_create(run->loop, run->size, &run->pmi))
        return ft_say_and(1, "no memory for %d ranks", run->size);
    return 0;
}
