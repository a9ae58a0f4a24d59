/* ftcampaign: starts the runs, and prints what became of them. With -j several workers do so, each
 * a process with files of its own; one and the same worker takes each N-th run that is missing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ftcampaign/campaign.h"

enum { USAGE = 2, FOUND = 4, INTERRUPTED = 130 };

static const double patience =
    5; /* seconds from SIGINT to SIGKILL, and for what ends behind its ftrun */

static const char help[] =
    "usage: ftcampaign [options] CAMPAIGN.lua\n"
    "Runs programs with faults, each combination of a campaign once, and compares them with\n"
    "their undisturbed runs. Called again, it goes on where it was.\n"
    "\n"
    "  -o FOLDER                 for the results (CAMPAIGN.results)\n"
    "  -j N                      N runs at a time (1)\n"
    "  --most N                  end after N runs\n"
    "  --sample N                only N combinations, evenly spread over all\n"
    "  --list                    print the commands instead\n"
    "  --help, --version\n"
    "\n"
    "FOLDER has campaign.html, campaign.json, and the plan of each run. Exit status: 0; 2 bad\n"
    "usage; 4 a run was wrong, hung, or left something; 130 interrupted.\n";

struct state {
    struct campaign campaign;
    const char *path;
    char folder[CAMPAIGN_PATH], ftrun[CAMPAIGN_PATH];
    char work[CAMPAIGN_PATH]; /* where the present run's files are */
    long most, sample;        /* 0: not given */
    long jobs, worker;        /* workers; this one's number */
    int list;
    json_t *results;
    double spent; /* seconds, in runs of this call */
    int done;     /* of this call */
    int sums[CAMPAIGN_CLASSES];
};

struct reference {
    struct campaign_text *text;
    int code;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int complain(const char *what)
{
    fprintf(stderr, "ftcampaign: %s\n", what);
    return USAGE;
}

static void file_of(const struct state *state, const char *name, char path[CAMPAIGN_PATH])
{
    if ((size_t)snprintf(path, CAMPAIGN_PATH, "%.*s/%s", CAMPAIGN_PATH - 300, state->folder,
                         name) >= CAMPAIGN_PATH)
        path[0] = 0;
}

static void work_of(const struct state *state, const char *name, char path[CAMPAIGN_PATH])
{
    if ((size_t)snprintf(path, CAMPAIGN_PATH, "%.*s/%s", CAMPAIGN_PATH - 300, state->work, name) >=
        CAMPAIGN_PATH)
        path[0] = 0;
}

/* In the child. */
static _Noreturn void execute(const struct state *state, const char *const *words)
{
    static const char *const names[] = {"out", "err"};
    char path[CAMPAIGN_PATH];
    int fd = open("/dev/null", O_RDONLY);

    dup2(fd, 0);
    for (int i = 0; i < 2; i++) {
        work_of(state, names[i], path);
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
        dup2(fd, i + 1);
    }
    work_of(state, "tmp", path);
    setenv("TMPDIR", path, 1);
    unsetenv("FT_FAULTS");
    execv(words[0], (char *const *)words);
    _exit(127);
}

/* Waits for the child; answers 0 when the time is over. */
static int wait_until(pid_t pid, double due, int *status)
{
    const struct timespec nap = {.tv_nsec = 5000000};

    while (waitpid(pid, status, WNOHANG) != pid) {
        if (now() > due || interrupted)
            return 0;
        nanosleep(&nap, NULL);
    }
    return 1;
}

static void cut(pid_t pid, int *status)
{
    int again = interrupted;

    interrupted = 0;
    kill(pid, SIGINT);
    if (!wait_until(pid, now() + patience, status)) {
        kill(pid, SIGKILL);
        waitpid(pid, status, 0);
    }
    interrupted |= again;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* A run that was cut off keeps its store, because it could be continued: the next one needs a fresh
 * one. */
static void remove_store(const struct state *state)
{
    char path[CAMPAIGN_PATH];

    work_of(state, "store", path);
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int is_empty(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;

    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count <= 2;
}

/* This process is the subreaper of the run: what is left of it has become a child. A sentence, or
 * "". */
static const char *look_for_rest(const struct state *state)
{
    const char *sentence = "";
    double due = now() + patience;
    char path[CAMPAIGN_PATH];
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && now() < due) {
        if (pid == 0)
            usleep(2000);
    }
    if (pid >= 0)
        sentence = "processes are left";
    work_of(state, "tmp", path);
    return is_empty(path) ? sentence : "files are left in TMPDIR";
}

/* Runs the words. 1: it ended by itself, and result has its code; 0: it hung, or a signal came. */
static int run_words(struct state *state, const char *const *words, double limit,
                     struct campaign_result *result)
{
    double begun = now();
    int status = 0, ended;
    pid_t pid = fork();

    if (pid == 0)
        execute(state, words);
    ended = pid > 0 && wait_until(pid, begun + limit, &status);
    if (pid > 0 && !ended)
        cut(pid, &status);
    result->seconds = now() - begun;
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

static int read_text(struct state *state, struct campaign_text **text)
{
    char out[CAMPAIGN_PATH], err[CAMPAIGN_PATH];

    work_of(state, "out", out);
    work_of(state, "err", err);
    return campaign_text_read(&state->campaign, out, err, text);
}

/* The undisturbed run, which each program is compared with. */
static int make_reference(struct state *state, int program, struct reference *reference)
{
    const char *words[CAMPAIGN_WORDS * 4];
    struct campaign_run run = {.program = program};
    struct campaign_result result = {0};
    char *line;

    if (reference->text)
        return 0;
    campaign_command(&state->campaign, &run, state->ftrun, NULL, words);
    if (!run_words(state, words, state->campaign.limit, &result) ||
        read_text(state, &reference->text)) {
        line = campaign_line(words);
        fprintf(stderr, "ftcampaign: the undisturbed run does not end in %g s: %s\n",
                state->campaign.limit, line ? line : "");
        free(line);
        return -1;
    }
    reference->code = result.code;
    return 0;
}

/* With the options that only a campaign needs. */
static void add_options(const struct state *state, const char **words, char texts[3][CAMPAIGN_PATH])
{
    size_t count = 0;

    while (words[count])
        count++;
    memmove(words + 7, words + 1, count * sizeof(*words));
    work_of(state, "store", texts[0]);
    work_of(state, "events", texts[1]);
    work_of(state, "page.html", texts[2]);
    for (int i = 0; i < 3; i++) {
        words[1 + 2 * i] = (const char *const[]){"--store", "--events", "--report"}[i];
        words[2 + 2 * i] = texts[i];
    }
}

static void print_progress(struct state *state, const struct campaign_result *result,
                           const char *key, const char *line)
{
    int left = campaign_count(&state->campaign) - (int)json_object_size(state->results);
    double seconds = state->spent / (state->done ? state->done : 1) * left;

    if (result->class >= CAMPAIGN_WRONG)
        printf("%s: %s: %s\n  %s\n", campaign_classes[result->class], key, result->why, line);
    else if (isatty(1))
        printf("\r%zu of %d runs, %.0f min left: %-40.40s ", json_object_size(state->results),
               campaign_count(&state->campaign), seconds / 60, key);
    fflush(stdout);
}

/* The page of a run that is not as it should be stays. */
static const char *keep_page(const struct state *state, const struct campaign_run *run,
                             const struct campaign_result *result, char name[64])
{
    char from[CAMPAIGN_PATH], to[CAMPAIGN_PATH];

    snprintf(name, 64, "run-%d.html", run->number);
    work_of(state, "page.html", from);
    file_of(state, name, to);
    if (result->class == CAMPAIGN_MISSED || rename(from, to))
        return NULL;
    return name;
}

/* 0, or -1 after a message. */
static int run_one(struct state *state, const struct campaign_run *run, const char *key,
                   struct reference *reference)
{
    const char *words[CAMPAIGN_WORDS * 4];
    char plan[CAMPAIGN_PATH], texts[3][CAMPAIGN_PATH], name[64];
    struct campaign_result result = {0};
    struct campaign_text *text = NULL;
    int clusters = state->campaign.protocols[run->protocol].clusters;

    snprintf(name, sizeof(name), "plan-%d.lua", run->number);
    file_of(state, name, plan);
    if (campaign_write_plan(&state->campaign, run, plan))
        return complain("a plan cannot be written"), -1;
    campaign_command(&state->campaign, run, state->ftrun, plan, words);
    char *line = campaign_line(words);
    add_options(state, words, texts);
    unlink(texts[1]);
    int ended = run_words(state, words, state->campaign.limit, &result);
    remove_store(state);
    if (interrupted) {
        free(line);
        return -1;
    }
    const char *rest = look_for_rest(state);
    if (read_text(state, &text) == 0)
        campaign_judge(reference->text, reference->code, text, texts[1], clusters, &result);
    if (!ended) {
        result.class = CAMPAIGN_HUNG;
        snprintf(result.why, sizeof(result.why), "no end within %g s", state->campaign.limit);
    } else if (*rest) {
        result.class = CAMPAIGN_LEFT;
        snprintf(result.why, sizeof(result.why), "%s", rest);
    }
    char file[CAMPAIGN_PATH];
    file_of(state, "results.jsonl", file);
    state->spent += result.seconds;
    state->done++;
    state->sums[result.class]++;
    int code = campaign_results_add(file, state->results, &state->campaign, run, &result,
                                    line ? line : "", keep_page(state, run, &result, name));
    print_progress(state, &result, key, line ? line : "");
    campaign_text_free(text);
    free(line);
    return code ? complain("a result cannot be written"), -1 : 0;
}

/* Is combination i, from 0, one of the sample? As many of the first i + 1 are as belong to so many
 * of all.
 */
static int is_sampled(const struct state *state, int i)
{
    long count = campaign_count(&state->campaign), sample = state->sample;

    return !sample || sample >= count || (i + 1) * sample / count != i * sample / count;
}

/* Does this worker make the missing run, which is number `missing` of them? */
static int is_mine(const struct state *state, long missing)
{
    return missing % state->jobs == state->worker;
}

static int run_all(struct state *state)
{
    long missing = 0;
    struct reference *references =
        calloc((size_t)state->campaign.program_count, sizeof(*references));
    int code = references ? 0 : -1;

    for (int i = 0; !code && !interrupted && i < campaign_count(&state->campaign); i++) {
        if (!is_sampled(state, i))
            continue;
        struct campaign_run run = campaign_run_of(&state->campaign, i);
        char *key = campaign_key(&state->campaign, &run);

        if (!key || (state->most && state->done == state->most)) {
            free(key);
            break;
        }
        if (!json_object_get(state->results, key) && is_mine(state, missing++) &&
            !(code = make_reference(state, run.program, &references[run.program])))
            code = run_one(state, &run, key, &references[run.program]);
        free(key);
    }
    for (int i = 0; references && i < state->campaign.program_count; i++)
        campaign_text_free(references[i].text);
    free(references);
    return code;
}

static void list_all(const struct state *state)
{
    for (int i = 0; i < campaign_count(&state->campaign); i++) {
        const char *words[CAMPAIGN_WORDS * 4];
        struct campaign_run run = campaign_run_of(&state->campaign, i);
        char *key = campaign_key(&state->campaign, &run), *line;

        campaign_command(&state->campaign, &run, state->ftrun, "PLAN", words);
        line = campaign_line(words);
        printf("%s: %s\n", key ? key : "", line ? line : "");
        free(line);
        free(key);
    }
}

/* 0; 1: answered; -1: wrong, and told so. */
static int read_options(int argc, char **argv, struct state *state)
{
    static const struct option table[] = {
        {"most", required_argument, NULL, 'm'}, {"sample", required_argument, NULL, 's'},
        {"list", no_argument, NULL, 'l'},       {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},    {NULL, 0, NULL, 0}};
    const char *folder = NULL;
    int key;

    state->jobs = 1;
    while ((key = getopt_long(argc, argv, "j:o:h", table, NULL)) != -1) {
        if (key == 'h' || key == 'V') {
            fputs(key == 'h' ? help : "ftcampaign " FT_VERSION "\n", stdout);
            return 1;
        }
        if (key == 'o')
            folder = optarg;
        else if (key == 'j')
            state->jobs = strtol(optarg, NULL, 10);
        else if (key == 'm')
            state->most = strtol(optarg, NULL, 10);
        else if (key == 's')
            state->sample = strtol(optarg, NULL, 10);
        else if (key == 'l')
            state->list = 1;
        else
            return -1;
    }
    if (argc - optind != 1 || state->most < 0 || state->sample < 0 || state->jobs < 1 ||
        state->jobs > 1024) {
        complain("name one campaign; see ftcampaign --help");
        return -1;
    }
    state->path = argv[optind];
    snprintf(state->folder, sizeof(state->folder) - 300, folder ? "%s" : "%s.results",
             folder ? folder : state->path);
    return 0;
}

/* ftrun stands beside this program. */
static int find_ftrun(struct state *state)
{
    ssize_t length = readlink("/proc/self/exe", state->ftrun, sizeof(state->ftrun) - 8);
    char *slash = length > 0 ? memrchr(state->ftrun, '/', (size_t)length) : NULL;

    if (!slash)
        return complain("ftrun is not found");
    strcpy(slash + 1, "ftrun");
    return 0;
}

static int make_folder(const char *path)
{
    if (!mkdir(path, 0777) || errno == EEXIST)
        return 0;
    fprintf(stderr, "ftcampaign: %s: %m\n", path);
    return USAGE;
}

/* Makes the folder for the files of the run that this process makes at present. 0 or USAGE. */
static int make_work(struct state *state)
{
    char path[CAMPAIGN_PATH], name[32];
    int code;

    snprintf(name, sizeof(name), "work-%ld", state->worker);
    file_of(state, state->jobs > 1 ? name : "", state->work);
    if ((code = make_folder(state->work)))
        return code;
    work_of(state, "tmp", path);
    return make_folder(path);
}

static int report(struct state *state)
{
    char json[CAMPAIGN_PATH], page[CAMPAIGN_PATH];
    int bad = 0;

    file_of(state, "campaign.json", json);
    file_of(state, "campaign.html", page);
    if (campaign_results_write(&state->campaign, state->results, json, page))
        return complain("the results cannot be written");
    printf("%s%d runs in %.0f s (%zu of %d):", isatty(1) ? "\n" : "", state->done, state->spent,
           json_object_size(state->results), campaign_count(&state->campaign));
    for (int i = 0; i < CAMPAIGN_CLASSES; i++) {
        if (state->sums[i])
            printf(" %d %s;", state->sums[i], campaign_classes[i]);
        bad += i >= CAMPAIGN_WRONG ? state->sums[i] : 0;
    }
    printf(" %s\n", page);
    return bad ? FOUND : 0;
}

/* The whole life of a worker. */
static _Noreturn void work(struct state *state)
{
    int failed;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (state->most && state->most <= state->worker)
        _exit(0);
    state->most = (state->most + state->jobs - 1 - state->worker) / state->jobs;
    failed = make_work(state) || run_all(state);
    fflush(stdout);
    _exit(failed);
}

/* Adds up what the workers have done. */
static void count_done(struct state *state, const json_t *before)
{
    const char *key, *name;
    json_t *one;

    json_object_foreach (state->results, key, one) {
        if (json_object_get(before, key))
            continue;
        name = json_string_value(json_object_get(one, "class"));
        for (int i = 0; i < CAMPAIGN_CLASSES; i++)
            state->sums[i] += !strcmp(name ? name : "", campaign_classes[i]);
        state->spent += json_number_value(json_object_get(one, "seconds")) / (double)state->jobs;
        state->done++;
    }
}

static int run_workers(struct state *state, const char *file)
{
    json_t *before = state->results;
    pid_t *workers = calloc((size_t)state->jobs, sizeof(*workers));
    int failed = !workers, status;

    for (state->worker = 0; workers && state->worker < state->jobs; state->worker++) {
        if (!(workers[state->worker] = fork()))
            work(state);
    }
    for (long i = 0; workers && i < state->jobs; i++) {
        while (workers[i] > 0 && waitpid(workers[i], &status, 0) < 0 && errno == EINTR) {
            for (long k = i; k < state->jobs; k++)
                kill(workers[k], SIGTERM);
        }
        failed |= workers[i] <= 0 || status != 0;
    }
    free(workers);
    state->results = campaign_results_read(file);
    count_done(state, before);
    json_decref(before);
    return failed;
}

static int run_campaign(struct state *state)
{
    char file[CAMPAIGN_PATH];
    int code;

    if (find_ftrun(state))
        return 1;
    if (state->list) {
        list_all(state);
        return 0;
    }
    if ((code = make_folder(state->folder)) || (state->jobs == 1 && (code = make_work(state))))
        return code;
    file_of(state, "results.jsonl", file);
    state->results = campaign_results_read(file);
    prctl(PR_SET_CHILD_SUBREAPER, state->jobs == 1);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    int failed = state->jobs > 1 ? run_workers(state, file) : run_all(state);
    code = report(state);
    json_decref(state->results);
    return interrupted ? INTERRUPTED : failed ? 1 : code;
}

int main(int argc, char **argv)
{
    static struct state state;
    char why[CAMPAIGN_WHY];
    int code = read_options(argc, argv, &state);

    if (code)
        return code > 0 ? 0 : USAGE;
    if (campaign_read(state.path, &state.campaign, why, sizeof(why))) {
        campaign_free(&state.campaign);
        return complain(why);
    }
    code = run_campaign(&state);
    campaign_free(&state.campaign);
    return code;
}
