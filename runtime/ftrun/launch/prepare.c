/* prepare: from the command line to a run that can start.
 *
 * Everything that can be wrong with the input is found before anything is created. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "host/shared.h"
#include "host/parts.h"
#include "host/refused.h"
#include "host/starter.h"
#include "launch/job_store.h"
#include "launch/picture.h"
#include "launch/places.h"
#include "launch/prepare.h"
#include "launch/settings.h"
#include "launch/std_streams.h"
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

/* A run may end after hours at a call that is not carried; whether it comes to one, nobody knows.
 */
static void check_calls(const char *path)
{
    char names[256];

    if (ft_refused_find(path, names, sizeof(names)))
        ft_say("warning: %s calls %s: a run that comes to it ends there (ftcc says where when it "
               "links)",
               path, names);
}

/* The program, its words and its surroundings, from the command line. 0 or an exit code. */
static int take_program(struct ft_run *run)
{
    struct ft_program *program = &run->program;
    const struct ft_options *options = &run->options;
    struct rlimit limit;
    char why[FT_STORE_PATH];
    extern char **environ;
    int code;

    program->cwd = realpath(options->cwd ? options->cwd : ".", NULL);
    if (!program->cwd)
        return ft_say_and(FT_EXIT_USAGE, "working directory %s: %s",
                          options->cwd ? options->cwd : ".", strerror(errno));
    program->path = ft_program_find(options->program, program->cwd);
    if (!program->path)
        return ft_say_and(errno == EACCES ? 126 : FT_EXIT_MISSING, "%s: %s", options->program,
                          errno == EACCES ? "not an executable file" : "no such program");
    if ((code = ft_starter_take(program, options->argv, why, sizeof(why))))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    check_sites(program->path);
    if (!ft_options_are_native(options))
        check_calls(program->path);
    program->argv = ft_program_copy(options->argv);
    program->envp = ft_program_copy(environ);
    if (!program->argv || !program->envp || getrlimit(RLIMIT_STACK, &limit))
        return ft_say_and(1, "no memory");
    program->stack_limit = limit.rlim_cur;
    if (ft_parts_take(program, options->size, why, sizeof(why)))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    for (int i = 0; i < options->variables; i++)
        ft_program_setenv(&program->envp, options->name[i], options->value[i]);
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
        "roll back or be left");
    ft_program_setenv(envp, "MPIR_CVAR_ASYNC_PROGRESS", "0");
}

/* The private folder, and the variables that every life of every rank gets. */
static int prepare_environment(struct ft_run *run)
{
    char ***envp = &run->program.envp, path[FT_STORE_PATH];
    const char *old = ft_program_getenv(*envp, "UCX_POSIX_DIR");
    int ours = run->options.restart && old && !strncmp(old, "/dev/shm/ftrun-", 15);
    int code = ft_shm_create(run->size, ours && !run->at ? old : NULL,
                             run->options.verify ? clear_store : NULL, run, &run->shm);

    if (code == -EBUSY)
        return ft_say_and(FT_EXIT_USAGE,
                          "another ftrun that began with this store, or with one that it is a copy "
                          "of, is running: %s is in use",
                          old);
    if (code)
        return ft_say_and(1, "a private folder in /dev/shm: %s", strerror(-code));
    ft_places_folder(run, ours ? old : NULL);
    if (run->options.restart)
        return 0;
    if (!old && !strncmp(ft_shm_folder(run->shm), "/dev/shm/", 9))
        ft_program_setenv(envp, "UCX_POSIX_DIR", run->folder);
    /* UCX patches whatever the name mmap resolves to when it is loaded, which is libft's wrapper
     * (docs/decisions), answers crashes with a backtrace of its own, once in each life, and
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

/* Counts the descriptors that a run has open for sure: its own, and recorder, control, PMI and
 * pipes of each rank. Those that come and go, and images of survivors, are not counted. 0 or an
 * exit code. */
static int check_descriptors(const struct ft_run *run)
{
    const rlim_t least = 12 + (run->options.replicas ? 13 : 5) * (rlim_t)run->size;
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
    run->whole.list = calloc(run->options.keep + 1, sizeof(*run->whole.list));
    if (!run->members || !run->whole.list || !run->leave.blocks || !run->leave.orders ||
        !run->leave.gather || ft_still_create(run->size, &run->still) ||
        ft_still_create(run->size, &run->lacking) || ft_clusters_make(run))
        return ft_say_and(1, "no memory for %d ranks", run->size);
    run->topology = memfd_create("ftrun-topology", MFD_CLOEXEC);
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        member->run = run;
        member->rank = i;
        member->control = member->out[0] = member->out[1] = member->image_fd = -1;
        member->origin = member->pair_fd = -1;
        member->recorder =
            ft_shared_create("ftrun-recorder", FT_RECORDER_BYTES + (size_t)ft_ring_bytes(run),
                             FT_RECORDER_BYTES, &member->recorder_fd);
        if (!member->recorder)
            return ft_say_and(1, "recorder of rank %d: %s%s", i, strerror(errno),
                              errno == EFBIG ? " (ulimit -f)" : "");
    }
    return 0;
}

static int open_events(struct ft_run *run)
{
    int code = ft_picture_open(run, run->event_file, sizeof(run->event_file));

    if (!code)
        code = ft_events_open(*run->event_file ? run->event_file : NULL,
                              FT_TELLING_DEATHS + run->options.verbose, run->started, &run->events);
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", run->event_file, strerror(-code)) : 0;
}

int ft_prepare(struct ft_run *run)
{
    int code;

    code = run->options.restart ? ft_restart_open(run) : take_program(run);
    if (code)
        return code;
    run->size = run->old.count ? run->old.list[run->old.count - 1]->size : run->options.size;
    if ((code = ft_places_take(run)) || (code = ft_settings_take(run)) ||
        (!run->options.restart && (code = ft_job_store_open(run))))
        return code;
    if ((code = open_events(run))) /* whoever is refused the store may have named another's file */
        return code;
    if ((code = check_descriptors(run)) || (code = make_members(run)))
        return code;
    if ((code = prepare_environment(run)) || (code = ft_job_store_map_marks(run)) ||
        (code = ft_job_store_make_folders(run)) || (code = ft_restart_take(run)))
        return code;
    if (ft_loop_create(&run->loop))
        return ft_say_and(1, "epoll: %s", strerror(errno));
    if ((code = ft_std_streams_make(run)) ||
        (run->options.verify && (code = ft_verify_runs_start(run))))
        return code;
    run->starter.fixed = ft_run_contains(run);
    run->starter.restart = run->options.restart;
    if (ft_marks_create(run))
        return ft_say_and(1, "no memory for the marks of %d ranks", run->size);
    if (ft_phases_create(run))
        return ft_say_and(1, "no memory for the phases of %d ranks", run->size);
    if (ft_orphans_create(run))
        return ft_say_and(1, "no memory for the doubts of %d ranks", run->size);
    if (run->at && (code = ft_away_create(run)))
        return ft_say_and(1, "no agent could connect: %s", strerror(-code));
    if (ft_pmi_create(run->loop, run->size, &run->pmi))
        return ft_say_and(1, "no memory for %d ranks", run->size);
    return 0;
}

/* How many changes of files were begun is known to --restart, too. 0 or an exit code. */
static int map_changes(struct ft_run *run)
{
    run->changes_fd =
        ft_store_map_changes(run->store, run->size, !run->options.restart, &run->changes);
    return run->changes_fd < 0 ? ft_say_and(1, "%s/changes: %s", ft_store_path(run->store),
                                            strerror(-run->changes_fd))
                               : 0;
}

/* A job that is continued goes on behind the changes and outcomes of its first run. */
static void begin_pair(struct ft_pair *pair, const struct ft_member *member)
{
    pair->begun = pair->made = member->run->changes[member->rank];
    pair->determinants = pair->kept = member->recorder->determinants;
}

/* The words that the two copies of each rank share. 0 or an exit code. */
static int make_pairs(struct ft_run *run, struct ft_run *second)
{
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];
        struct ft_pair *pair =
            ft_shared_create("ftrun-pair", FT_PAIR_BYTES, FT_PAIR_BYTES, &member->pair_fd);

        if (!pair)
            return ft_say_and(1, "what the copies of rank %d share: %s", i, strerror(errno));
        member->pair = second->members[i].pair = pair;
        begin_pair(pair, member);
        second->members[i].recorder->version = FT_RECORDER_VERSION;
        second->members[i].recorder->phase = FT_PHASE_RUNNING;
    }
    return 0;
}

/* Its checkpoints, logs and undo records lie in a store inside of the first one's. 0 or an exit
 * code. */
static int open_second_store(struct ft_run *run, struct ft_run *second)
{
    char path[FT_STORE_PATH], why[FT_STORE_WHY];

    ft_store_second(run->store, path);
    if (ft_store_open(path, 1, &second->store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    ft_store_empty(second->store);
    return 0;
}

int ft_prepare_copies(struct ft_run *run, struct ft_run *second)
{
    int code;

    second->options = run->options;
    second->program = run->program;
    second->size = run->size;
    second->cluster_count = run->cluster_count;
    second->of = calloc((size_t)run->size, sizeof(*second->of));
    if (!second->of)
        return ft_say_and(1, "no memory for %d ranks", run->size);
    memcpy(second->of, run->of, (size_t)run->size * sizeof(*second->of));
    memcpy(second->node, run->node, sizeof(second->node));
    memcpy(second->pattern, run->pattern, sizeof(second->pattern));
    memcpy(second->output_fds, run->output_fds, sizeof(second->output_fds));
    second->trusted = run->trusted;
    second->started = run->started;
    second->loop = run->loop;
    if (ft_places_second(run, second))
        return ft_say_and(1, "no memory for %d ranks", run->size);
    second->copy = 1;
    second->twin = run;
    run->twin = second;
    if ((code = open_second_store(run, second)) || (code = make_members(second)) ||
        (code = map_changes(run)) || (code = make_pairs(run, second)) ||
        (code = ft_job_store_make_folders(second)))
        return code;
    if (ft_shm_create(run->size, NULL, NULL, NULL, &second->shm) ||
        ft_events_copy(run->events, &second->events) ||
        ft_output_copy(run->output, &second->output) || ft_input_copy(run->input, &second->input) ||
        ft_pmi_create(run->loop, run->size, &second->pmi))
        return ft_say_and(1, "no memory for a second copy of %d ranks", run->size);
    if (second->at && (code = ft_away_create(second)))
        return ft_say_and(1, "no agent could connect: %s", strerror(-code));
    return 0;
}
