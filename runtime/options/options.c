/* options: getopt_long_only, because mpiexec's long options have one dash. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options/options.h"
#include "options/order.h"

enum key {
    KEY_SIZE = 256,
    KEY_WDIR,
    KEY_ENV,
    KEY_ENVLIST,
    KEY_NOTHING,
    KEY_PREPEND,
    KEY_PROTOCOL,
    KEY_CLUSTERS,
    KEY_LOG_LIMIT,
    KEY_WINDOW,
    KEY_PROFILE,
    KEY_CONTENT,
    KEY_TRUST,
    KEY_INTERVAL,
    KEY_EVERY,
    KEY_MTBF,
    KEY_KEEP,
    KEY_STORE,
    KEY_RESTART,
    KEY_LIMIT,
    KEY_OUTPUT,
    KEY_EVENTS,
    KEY_HOOK_EVENTS,
    KEY_CALL_EVENTS,
    KEY_KILL,
    KEY_ADVERSARY,
    KEY_REHEARSE,
    KEY_SURVIVAL,
    KEY_VERIFY,
    KEY_SEED,
    KEY_REPORT,
    KEY_VERBOSE,
    KEY_HELP,
    KEY_VERSION,
    KEY_HOSTS, /* from here on: options of mpiexec that are refused */
    KEY_BIND,
    KEY_LAUNCHER,
    KEY_FILES,
    KEY_ENVNONE,
    KEY_OTHER
};

static const struct option table[] = {
    {"n", required_argument, NULL, KEY_SIZE},
    {"np", required_argument, NULL, KEY_SIZE},
    {"wdir", required_argument, NULL, KEY_WDIR},
    {"env", required_argument, NULL, KEY_ENV},
    {"genv", required_argument, NULL, KEY_ENV},
    {"genvlist", required_argument, NULL, KEY_ENVLIST},
    {"envlist", required_argument, NULL, KEY_ENVLIST},
    {"genvall", no_argument, NULL, KEY_NOTHING},
    {"envall", no_argument, NULL, KEY_NOTHING},
    {"l", no_argument, NULL, KEY_PREPEND},
    {"prepend-rank", no_argument, NULL, KEY_PREPEND},
    {"protocol", required_argument, NULL, KEY_PROTOCOL},
    {"clusters", required_argument, NULL, KEY_CLUSTERS},
    {"log-limit", required_argument, NULL, KEY_LOG_LIMIT},
    {"replay-window", required_argument, NULL, KEY_WINDOW},
    {"profile", required_argument, NULL, KEY_PROFILE},
    {"check-content", no_argument, NULL, KEY_CONTENT},
    {"trust", required_argument, NULL, KEY_TRUST},
    {"checkpoint-interval", required_argument, NULL, KEY_INTERVAL},
    {"checkpoint-every", required_argument, NULL, KEY_EVERY},
    {"mtbf", required_argument, NULL, KEY_MTBF},
    {"keep", required_argument, NULL, KEY_KEEP},
    {"store", required_argument, NULL, KEY_STORE},
    {"restart", no_argument, NULL, KEY_RESTART},
    {"time-limit", required_argument, NULL, KEY_LIMIT},
    {"output", required_argument, NULL, KEY_OUTPUT},
    {"events", required_argument, NULL, KEY_EVENTS},
    {"hook-events", no_argument, NULL, KEY_HOOK_EVENTS},
    {"call-events", no_argument, NULL, KEY_CALL_EVENTS},
    {"kill", required_argument, NULL, KEY_KILL},
    {"adversary", no_argument, NULL, KEY_ADVERSARY},
    {"rehearse", no_argument, NULL, KEY_REHEARSE},
    {"rehearse-report", required_argument, NULL, KEY_SURVIVAL},
    {"verify", required_argument, NULL, KEY_VERIFY},
    {"verify-seed", required_argument, NULL, KEY_SEED},
    {"verify-report", required_argument, NULL, KEY_REPORT},
    {"v", no_argument, NULL, KEY_VERBOSE},
    {"verbose", no_argument, NULL, KEY_VERBOSE},
    {"h", no_argument, NULL, KEY_HELP},
    {"help", no_argument, NULL, KEY_HELP},
    {"version", no_argument, NULL, KEY_VERSION},
    {"f", required_argument, NULL, KEY_HOSTS},
    {"host", required_argument, NULL, KEY_HOSTS},
    {"hosts", required_argument, NULL, KEY_HOSTS},
    {"machinefile", required_argument, NULL, KEY_HOSTS},
    {"ppn", required_argument, NULL, KEY_HOSTS},
    {"localhost", required_argument, NULL, KEY_HOSTS},
    {"order-nodes", required_argument, NULL, KEY_HOSTS},
    {"skip-launch-node", no_argument, NULL, KEY_HOSTS},
    {"iface", required_argument, NULL, KEY_HOSTS},
    {"bind-to", required_argument, NULL, KEY_BIND},
    {"map-by", required_argument, NULL, KEY_BIND},
    {"membind", required_argument, NULL, KEY_BIND},
    {"topolib", required_argument, NULL, KEY_BIND},
    {"launcher", required_argument, NULL, KEY_LAUNCHER},
    {"launcher-exec", required_argument, NULL, KEY_LAUNCHER},
    {"rmk", required_argument, NULL, KEY_LAUNCHER},
    {"demux", required_argument, NULL, KEY_LAUNCHER},
    {"pmi-port", no_argument, NULL, KEY_LAUNCHER},
    {"disable-auto-cleanup", no_argument, NULL, KEY_LAUNCHER},
    {"enable-x", no_argument, NULL, KEY_LAUNCHER},
    {"disable-x", no_argument, NULL, KEY_LAUNCHER},
    {"outfile-pattern", required_argument, NULL, KEY_FILES},
    {"errfile-pattern", required_argument, NULL, KEY_FILES},
    {"prepend-pattern", required_argument, NULL, KEY_FILES},
    {"configfile", required_argument, NULL, KEY_OTHER},
    {"genvnone", no_argument, NULL, KEY_ENVNONE},
    {"envnone", no_argument, NULL, KEY_ENVNONE},
    {"usize", required_argument, NULL, KEY_OTHER},
    {"print-all-exitcodes", no_argument, NULL, KEY_OTHER},
    {"gpus-per-proc", required_argument, NULL, KEY_OTHER},
    {"info", no_argument, NULL, KEY_OTHER},
    {NULL, 0, NULL, 0}};

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("ftrun: ", stderr);
    vfprintf(stderr, format, list);
    fputs(" (ftrun --help)\n", stderr);
    va_end(list);
    return -EINVAL;
}

/* A whole number in [low, high]. */
static int read_number(const char *name, const char *text, double low, double high, double *out)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= low && value <= high) || value != floor(value))
        return complain("%s: '%s' is not a whole number from %.0f to %.0f", name, text, low, high);
    *out = value;
    return 0;
}

/* A time above 0, in seconds or with a unit s, m, h, d. */
static int read_time(const char *name, const char *text, double *out)
{
    static const char units[] = "smhd";
    static const double seconds[] = {1, 60, 3600, 86400};
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : units;

    if (end == text || !unit || (*end && end[1]) || !(value > 0 && value < 1e9))
        return complain("%s: '%s' is not a time above 0 (30, 90s, 10m, 24h, 7d)", name, text);
    *out = value * seconds[unit - units];
    return 0;
}

/* A number of bytes from 1024, with a unit k, M, G (of 1024) or none. */
static int read_bytes(const char *name, const char *text, uint64_t *out)
{
    static const char units[] = "kMG";
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;

    if (unit)
        value = ldexp(value, 10 * (int)(unit - units + 1));
    if (end == text || (*end && (!unit || end[1])) || !(value >= 1024 && value < 1e15))
        return complain("%s: '%s' is not a number of bytes from 1k (4096, 64k, 1.5G)", name, text);
    *out = (uint64_t)value;
    return 0;
}

static int add_order(struct ft_options *options, const char *text)
{
    struct ft_kill_order *order = &options->order[options->orders];
    int code, before = 0;

    if (options->orders == FT_OPTIONS_ORDERS)
        return complain("--kill: at most %d times", FT_OPTIONS_ORDERS);
    code = ft_order_read(text, order);
    if (code == -ENOENT)
        return complain("--kill: '%s': MPI has no such call", text);
    if (code == -EDOM)
        return complain("--kill: '%s': that signal ends no process", text);
    if (code)
        return complain("--kill: '%s' is not RANK@hook:N[:SIGNAL|:exit], RANK@call:N[...] or "
                        "RANK@MPI_Send:N[...]",
                        text);
    for (int i = 0; i < options->orders; i++)
        before += options->order[i].rank == order->rank;
    if (before == FT_WIRE_KILLS)
        return complain("--kill: at most %d times for a rank", FT_WIRE_KILLS);
    options->orders++;
    return 0;
}

/* NAME=VALUE is one word, NAME VALUE are two: mpiexec takes both. */
static int add_variable(struct ft_options *options, const char *option, char *name, char **next)
{
    char *equals = strchr(name, '=');
    const char *value = equals ? equals + 1 : *next;

    if (!value)
        return complain("-%s %s: the value is missing", option, name);
    if (!*name || equals == name)
        return complain("-%s: '%s' does not begin with the name of a variable", option, name);
    if (options->variables == FT_OPTIONS_VARIABLES)
        return complain("-%s: at most %d times", option, FT_OPTIONS_VARIABLES);
    if (equals)
        *equals = 0;
    else
        optind++;
    options->name[options->variables] = name;
    options->value[options->variables++] = value;
    return 0;
}

static int refuse(const char *name, int key)
{
    const char *what = key == KEY_HOSTS      ? "all ranks run on this machine; leave it out"
                       : key == KEY_BIND     ? "start ftrun under taskset or numactl instead"
                       : key == KEY_FILES    ? "use -l, and redirect ftrun's output"
                       : key == KEY_LAUNCHER ? "ftrun starts the ranks itself; leave it out"
                       : key == KEY_ENVNONE  ? "start ftrun under env -i instead"
                                             : "leave it out";

    return complain("option -%s of mpiexec is not carried: %s", name, what);
}

static int read_protocol(const char *text, struct ft_options *options)
{
    static const char *const names[] = {[FT_PROTOCOL_AUTO] = "auto",
                                        [FT_PROTOCOL_COORDINATED] = "coordinated",
                                        [FT_PROTOCOL_SPBC] = "spbc",
                                        [FT_PROTOCOL_NONE] = "none"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(text, names[i])) {
            options->protocol = (enum ft_protocol)i;
            return 0;
        }
    }
    return complain("--protocol: '%s' is none of none, coordinated, spbc, auto", text);
}

static int read_trust(const char *text, struct ft_options *options)
{
    options->trust = strcmp(text, "none") ? FT_TRUSTING_SAID : FT_TRUSTING_NONE;
    options->rehearsed =
        options->trust == FT_TRUSTING_SAID && strcmp(text, "proved") != 0 ? text : NULL;
    return *text ? 0 : complain("--trust: the word is empty");
}

static int read_output(const char *text, struct ft_options *options)
{
    if (strcmp(text, "commit") && strcmp(text, "line"))
        return complain("--output: '%s' is neither line nor commit", text);
    options->hold = !strcmp(text, "commit");
    return 0;
}

/* One option that was recognised; `extra` points to the word after its argument. */
static int take_option(int key, const char *name, char **extra, struct ft_options *options)
{
    double number = 0;
    int code = 0;

    switch (key) {
    case KEY_SIZE:
        code = read_number(name, optarg, 1, 65536, &number);
        options->size = (int)number;
        return code;
    case KEY_WDIR:
        options->cwd = optarg;
        return 0;
    case KEY_ENV:
        return add_variable(options, name, optarg, extra);
    case KEY_ENVLIST:
    case KEY_NOTHING:
        return 0;
    case KEY_PREPEND:
        options->prepend = 1;
        return 0;
    case KEY_PROTOCOL:
        return read_protocol(optarg, options);
    case KEY_CLUSTERS:
        options->clusters = optarg;
        return 0;
    case KEY_LOG_LIMIT:
        return read_bytes(name, optarg, &options->log_limit);
    case KEY_WINDOW:
        code = read_number(name, optarg, 1, 1000000, &number);
        options->window = (uint32_t)number;
        return code;
    case KEY_PROFILE:
        options->profile = optarg;
        return 0;
    case KEY_CONTENT:
        options->content = 1;
        return 0;
    case KEY_TRUST:
        return read_trust(optarg, options);
    case KEY_INTERVAL:
        return read_time(name, optarg, &options->interval);
    case KEY_EVERY:
        code = read_number(name, optarg, 1, 1e15, &number);
        options->every = (uint64_t)number;
        return code;
    case KEY_MTBF:
        return read_time(name, optarg, &options->mtbf);
    case KEY_KEEP:
        code = read_number(name, optarg, 1, 1000, &number);
        options->keep = (uint32_t)number;
        return code;
    case KEY_STORE:
        options->store = optarg;
        return *optarg ? 0 : complain("--store: the name is empty");
    case KEY_RESTART:
        options->restart = 1;
        return 0;
    case KEY_LIMIT:
        return read_time(name, optarg, &options->time_limit);
    case KEY_OUTPUT:
        return read_output(optarg, options);
    case KEY_EVENTS:
        options->events = optarg;
        return 0;
    case KEY_HOOK_EVENTS:
        options->hook_events = 1;
        return 0;
    case KEY_CALL_EVENTS:
        options->call_events = 1;
        return 0;
    case KEY_KILL:
        return add_order(options, optarg);
    case KEY_ADVERSARY:
        options->adversary = 1;
        return 0;
    case KEY_REHEARSE:
        options->rehearse = 1;
        return 0;
    case KEY_SURVIVAL:
        options->survival = optarg;
        return 0;
    case KEY_VERIFY:
        code = read_number(name, optarg, 2, 10000, &number);
        options->verify = (int)number;
        return code;
    case KEY_SEED:
        code = read_number(name, optarg, 0, 1e15, &number);
        options->seed = (uint64_t)number;
        options->seeded = 1;
        return code;
    case KEY_REPORT:
        options->report = optarg;
        return 0;
    case KEY_VERBOSE:
        options->verbose = 1;
        return 0;
    default:
        return refuse(name, key);
    }
}

const char *ft_options_of_spbc(const struct ft_options *options)
{
    return options->log_limit                   ? "--log-limit"
           : options->window                    ? "--replay-window"
           : options->content                   ? "--check-content"
           : options->adversary                 ? "--adversary"
           : options->trust == FT_TRUSTING_SAID ? "--trust"
                                                : NULL;
}

/* With --clusters, and with --restart, only launch/prepare.c knows how many clusters there are. */
static int check_clusters(const struct ft_options *options)
{
    int fits = options->protocol == FT_PROTOCOL_AUTO || options->protocol == FT_PROTOCOL_SPBC;
    int one = options->protocol == FT_PROTOCOL_AUTO && !options->clusters && !options->restart;
    const char *word = options->clusters ? "--clusters" : ft_options_of_spbc(options);

    if (options->profile && (options->clusters || !fits))
        return complain("--profile makes every rank a cluster of its own: leave --clusters and "
                        "--protocol out");
    if (word && !fits)
        return complain("%s needs --protocol spbc", word);
    return word && one && !options->profile
               ? complain("%s needs --protocol spbc or --clusters", word)
               : 0;
}

static int check_events(const struct ft_options *options)
{
    return (options->hook_events || options->call_events) && !options->events && !options->verbose
               ? complain("%s needs --events FILE or -v",
                          options->hook_events ? "--hook-events" : "--call-events")
               : 0;
}

static const char *of_checkpoints(const struct ft_options *options)
{
    return options->interval > 0 || options->every ? "--checkpoint-..."
           : options->mtbf > 0                     ? "--mtbf"
           : options->keep                         ? "--keep"
                                                   : NULL;
}

/* Without a protocol there are no checkpoints: what speaks of them is a mistake. */
static int check_protocol(const struct ft_options *options)
{
    const char *other = options->restart          ? "--restart"
                        : options->hold           ? "--output=commit"
                        : options->time_limit > 0 ? "--time-limit"
                                                  : of_checkpoints(options);

    if (options->protocol == FT_PROTOCOL_NONE && other)
        return complain("--protocol none takes no checkpoints: leave %s out", other);
    return 0;
}

/* Options that --verify, which takes no checkpoints, has no use for. That --clusters names one
 * cluster, which does no harm, only launch/prepare.c knows. */
static int check_verify(const struct ft_options *options)
{
    int named = options->clusters && options->protocol != FT_PROTOCOL_AUTO;
    const char *other = options->restart                        ? "--restart"
                        : options->hold                         ? "--output=commit"
                        : options->orders                       ? "--kill"
                        : of_checkpoints(options)               ? of_checkpoints(options)
                        : options->profile                      ? "--profile"
                        : options->protocol == FT_PROTOCOL_SPBC ? "--protocol spbc"
                        : named                                 ? "--clusters"
                                                                : ft_options_of_spbc(options);

    if (!options->verify && (options->report || options->seeded))
        return complain("%s needs --verify RUNS",
                        options->report ? "--verify-report" : "--verify-seed");
    if (options->verify && other)
        return complain("--verify takes no checkpoints and recovers from nothing: leave %s out",
                        other);
    return 0;
}

/* What a rehearsal gives to its runs itself, or cannot do. All else is given to them
 * (rehearse/attempt_words.c). */
static int check_rehearse(const struct ft_options *options)
{
    const char *other = options->restart                        ? "--restart"
                        : options->orders                       ? "--kill"
                        : options->verify                       ? "--verify"
                        : options->report                       ? "--verify-report"
                        : options->seeded                       ? "--verify-seed"
                        : options->profile                      ? "--profile"
                        : options->events                       ? "--events"
                        : options->hook_events                  ? "--hook-events"
                        : options->call_events                  ? "--call-events"
                        : options->verbose                      ? "-v"
                        : options->time_limit > 0               ? "--time-limit"
                        : options->protocol == FT_PROTOCOL_NONE ? "--protocol none"
                        : options->adversary                    ? "--adversary"
                        : options->mtbf > 0                     ? "--mtbf"
                                                                : NULL;

    if (!options->rehearse && options->survival)
        return complain("--rehearse-report needs --rehearse");
    if (options->rehearse && other)
        return complain("--rehearse starts runs of its own: leave %s out", other);
    return 0;
}

static int check(const struct ft_options *options)
{
    if (!options->program && !options->restart)
        return complain("no program is named");
    if (!options->size && !options->restart)
        return complain("the number of ranks is missing: -n RANKS");
    if (options->restart && !options->store)
        return complain("--restart needs --store FOLDER");
    if (check_rehearse(options) || check_verify(options) || check_clusters(options) ||
        check_protocol(options) || check_events(options))
        return -EINVAL;
    for (char **word = options->argv; options->program && *word; word++) {
        if (!strcmp(*word, ":"))
            return complain("':' (several programs in one job) is not carried");
    }
    return 0;
}

/* 1, or -EINVAL: it could not be written. */
static int answer(int key)
{
    if (key == KEY_HELP)
        fputs(ft_options_help, stdout);
    else
        puts("ftrun " FT_VERSION);
    if (!fflush(stdout))
        return 1;
    fprintf(stderr, "ftrun: standard output: %s\n", strerror(errno));
    return -EINVAL;
}

static void fill_in(struct ft_options *options)
{
    if (options->mtbf <= 0)
        options->mtbf = FT_OPTIONS_MTBF;
    if (!options->keep)
        options->keep = FT_OPTIONS_KEEP;
    if (!options->seeded)
        options->seed = FT_OPTIONS_SEED;
}

int ft_options_read(int argc, char **argv, struct ft_options *options)
{
    int key, index = 0, code;

    memset(options, 0, sizeof(*options));
    opterr = 0;
    while ((key = getopt_long_only(argc, argv, "+:", table, &index)) != -1) {
        if (key == '?')
            return complain("option %s is not known, or ambiguous", argv[optind - 1]);
        if (key == ':')
            return complain("option %s needs a value", argv[optind - 1]);
        if (key == KEY_HELP || key == KEY_VERSION)
            return answer(key);
        if ((code = take_option(key, table[index].name, argv + optind, options)))
            return code;
    }
    options->argv = argv + optind;
    options->program = argv[optind];
    if (check(options))
        return -EINVAL;
    fill_in(options);
    return 0;
}
