/* options: getopt_long_only, because mpiexec's long options have one dash. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/parts.h"
#include "options/checks.h"
#include "options/configfile.h"
#include "options/foreign.h"
#include "options/nodes.h"
#include "options/options.h"
#include "options/order.h"
#include "options/values.h"

#define complain ft_options_complain

/* One option that ftrun knows. */
struct rule {
    const char *name;
    /* Takes the word behind the option (optarg); `extra` points to the word after it. 0; 1: it was
     * answered; or -EINVAL after a message. */
    int (*take)(const struct rule *rule, char **extra, struct ft_options *options);
    size_t field;     /* the offset of its value in struct ft_options */
    double low, high; /* of a number, or low alone: the value that the option stands for */
    const char *said; /* what to do instead of a refused option of mpiexec */
    int alone;        /* no word belongs to it */
};

int ft_options_complain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("ftrun: ", stderr);
    vfprintf(stderr, format, list);
    fputs(" (ftrun --help)\n", stderr);
    va_end(list);
    return -EINVAL;
}

static void *field_of(const struct rule *rule, struct ft_options *options)
{
    return (char *)options + rule->field;
}

static int take_text(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    *(const char **)field_of(rule, options) = optarg;
    return 0;
}

/* A text that is not empty. */
static int take_name(const struct rule *rule, char **extra, struct ft_options *options)
{
    take_text(rule, extra, options);
    return *optarg ? 0 : complain("--%s: the name is empty", rule->name);
}

static int take_pattern(const struct rule *rule, char **extra, struct ft_options *options)
{
    take_text(rule, extra, options);
    return ft_value_pattern(rule->name, optarg);
}

static int take_flag(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    *(int *)field_of(rule, options) = (int)rule->low;
    return 0;
}

/* The field is an int or a uint32_t: no bound is above 2^31. */
static int take_int(const struct rule *rule, char **extra, struct ft_options *options)
{
    double number = 0;
    int code = ft_value_number(rule->name, optarg, rule->low, rule->high, &number);

    (void)extra;
    *(int *)field_of(rule, options) = (int)number;
    return code;
}

static int take_count(const struct rule *rule, char **extra, struct ft_options *options)
{
    double number = 0;
    int code = ft_value_number(rule->name, optarg, rule->low, rule->high, &number);

    (void)extra;
    *(uint64_t *)field_of(rule, options) = (uint64_t)number;
    return code;
}

static int take_seed(const struct rule *rule, char **extra, struct ft_options *options)
{
    options->seeded = 1;
    return take_count(rule, extra, options);
}

static int take_time(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    return ft_value_time(rule->name, optarg, field_of(rule, options));
}

static int take_limit(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    return ft_value_limit(rule->name, optarg, field_of(rule, options));
}

static int take_bytes(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    return ft_value_bytes(rule->name, optarg, field_of(rule, options));
}

static int take_nothing(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra, (void)options;
    return 0;
}

static int take_order(const struct rule *rule, char **extra, struct ft_options *options)
{
    struct ft_kill_order *order = &options->order[options->orders];
    int code;

    (void)rule, (void)extra;
    if (options->orders == FT_OPTIONS_ORDERS)
        return complain("--kill: at most %d times", FT_OPTIONS_ORDERS);
    code = ft_order_read(optarg, order);
    if (code == -ENOENT)
        return complain("--kill: '%s': MPI has no such call", optarg);
    if (code == -EDOM)
        return complain("--kill: '%s': that signal ends no process", optarg);
    if (code)
        return complain("--kill: '%s' is not RANK@hook:N[:SIGNAL|:exit], RANK@call:N[...], "
                        "RANK@MPI_Send:N[...] or node:NAME@hook:N",
                        optarg);
    options->orders++;
    return 0;
}

static int take_ignored(const struct rule *rule, char **extra, struct ft_options *options)
{
    char why[256];

    (void)rule, (void)extra;
    if (ft_ignore_add(&options->ignore, optarg, why, sizeof(why)))
        return complain("--ignore: %s", why);
    options->ignored_word[options->ignored++] = optarg;
    return 0;
}

/* NAME=VALUE is one word, NAME VALUE are two: mpiexec takes both. */
static int take_variable(const struct rule *rule, char **extra, struct ft_options *options)
{
    char *name = optarg, *equals = strchr(name, '=');
    const char *value = equals ? equals + 1 : *extra;

    if (!value)
        return complain("-%s %s: the value is missing", rule->name, name);
    if (!*name || equals == name)
        return complain("-%s: '%s' does not begin with the name of a variable", rule->name, name);
    if (options->variables == FT_OPTIONS_VARIABLES)
        return complain("-%s: at most %d times", rule->name, FT_OPTIONS_VARIABLES);
    if (equals)
        *equals = 0;
    else
        optind++;
    options->name[options->variables] = name;
    options->value[options->variables++] = value;
    return 0;
}

static int take_protocol(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    return ft_options_protocol(optarg, options);
}

static int take_replicas(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->replicas = 1;
    return strcmp(optarg, "all") ? complain("--replicas: '%s' is not all: ranks without a second "
                                            "copy beside others with one are not carried",
                                            optarg)
                                 : 0;
}

static int take_refill(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->refill = optarg;
    options->unfilled = !strcmp(optarg, "never");
    return options->unfilled || !strcmp(optarg, "now")
               ? 0
               : complain("--replicas-refill: '%s' is neither now nor never", optarg);
}

static int take_compare(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->compare = options->content = 1;
    return 0;
}

/* The words of FT-MPI (Fagg and Dongarra, 2000). */
static int take_failure(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->replace = !strcmp(optarg, "replace");
    options->ulfm = options->replace || !strcmp(optarg, "shrink");
    if (!strcmp(optarg, "blank"))
        return complain(
            "--on-failure blank is not carried: calls to and from a dead rank return "
            "MPIX_ERR_PROC_FAILED, and none succeeds as with MPI_PROC_NULL; use shrink, "
            "with which a communicator may also stay as it is");
    return options->ulfm || !strcmp(optarg, "rebuild")
               ? 0
               : complain("--on-failure: '%s' is none of rebuild, shrink, replace", optarg);
}

static int take_trust(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->trust = strcmp(optarg, "none") ? FT_TRUSTING_SAID : FT_TRUSTING_NONE;
    options->rehearsed =
        options->trust == FT_TRUSTING_SAID && strcmp(optarg, "proved") != 0 ? optarg : NULL;
    return *optarg ? 0 : complain("--trust: the word is empty");
}

static int take_output(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra;
    options->hold = !strcmp(optarg, "commit");
    return options->hold || !strcmp(optarg, "line")
               ? 0
               : complain("--output: '%s' is neither line nor commit", optarg);
}

static int take_launcher(const struct rule *rule, char **extra, struct ft_options *options)
{
    take_text(rule, extra, options);
    return strstr(optarg, "{node}") || !strcmp(optarg, "none")
               ? 0
               : complain("--launcher: '%s' is not none, and has no {node}", optarg);
}

static int take_question(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra;
    options->question = (enum ft_question)rule->low;
    options->store = optarg ? optarg : options->store;
    return 0;
}

/* A -configfile that names a file was expanded before (options/configfile.h). */
static int take_configfile(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)rule, (void)extra, (void)options;
    return complain("-configfile FILE is the last option");
}

static int take_answer(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra, (void)options;
    fputs(rule->said, stdout);
    if (!fflush(stdout))
        return 1;
    fprintf(stderr, "ftrun: standard output: %s\n", strerror(errno));
    return -EINVAL;
}

static int take_refused(const struct rule *rule, char **extra, struct ft_options *options)
{
    (void)extra, (void)options;
    return complain("option -%s of mpiexec is not carried: %s", rule->name, rule->said);
}

#define PLACE "name nodes and their slots: --hosts n0:2,n1:2"
#define BIND "start ftrun under taskset or numactl instead"
#define STARTER "ftrun starts the ranks itself; leave it out"
#define LEAVE "leave it out"

#define AT(name) offsetof(struct ft_options, name)
#define VALUE(name, how, field)                                                                    \
    {                                                                                              \
        name, how, AT(field), 0, 0, NULL, 0                                                        \
    }
#define NUMBER(name, how, field, low, high)                                                        \
    {                                                                                              \
        name, how, AT(field), low, high, NULL, 0                                                   \
    }
#define FLAG(name, field, value)                                                                   \
    {                                                                                              \
        name, take_flag, AT(field), value, 0, NULL, 1                                              \
    }
#define OWN(name, how)                                                                             \
    {                                                                                              \
        name, how, 0, 0, 0, NULL, 0                                                                \
    }
#define LONE(name, how, value, said)                                                               \
    {                                                                                              \
        name, how, 0, value, 0, said, 1                                                            \
    }
#define REFUSED(name, said, alone)                                                                 \
    {                                                                                              \
        name, take_refused, 0, 0, 0, said, alone                                                   \
    }

static const struct rule rules[] = {
    NUMBER("n", take_int, size, 1, 65536),
    NUMBER("np", take_int, size, 1, 65536),
    VALUE("wdir", take_text, cwd),
    OWN("env", take_variable),
    OWN("genv", take_variable),
    OWN("genvlist", take_nothing),
    OWN("envlist", take_nothing),
    LONE("genvall", take_nothing, 0, NULL),
    LONE("envall", take_nothing, 0, NULL),
    FLAG("l", prepend, 1),
    FLAG("prepend-rank", prepend, 1),
    NUMBER("ppn", take_int, ppn, 1, 65536),
    VALUE("outfile-pattern", take_pattern, patterns[0]),
    VALUE("errfile-pattern", take_pattern, patterns[1]),
    OWN("protocol", take_protocol),
    VALUE("clusters", take_text, clusters),
    OWN("replicas", take_replicas),
    LONE("replicas-compare", take_compare, 0, NULL),
    OWN("replicas-refill", take_refill),
    VALUE("log-limit", take_bytes, log_limit),
    NUMBER("replay-window", take_int, window, 1, 1000000),
    VALUE("profile", take_text, profile),
    FLAG("check-content", content, 1),
    OWN("trust", take_trust),
    VALUE("checkpoint-interval", take_time, interval),
    NUMBER("checkpoint-every", take_count, every, 1, 1e15),
    VALUE("mtbf", take_time, mtbf),
    NUMBER("keep", take_int, keep, 1, 1000),
    VALUE("store", take_name, store),
    FLAG("restart", restart, 1),
    VALUE("time-limit", take_limit, time_limit),
    OWN("output", take_output),
    VALUE("events", take_text, events),
    FLAG("hook-events", hook_events, 1),
    FLAG("call-events", call_events, 1),
    OWN("kill", take_order),
    VALUE("faults", take_name, faults),
    OWN("ignore", take_ignored),
    VALUE("report", take_text, picture),
    VALUE("trace-export", take_text, trace_export),
    FLAG("list-faults", list_faults, 1),
    FLAG("adversary", adversary, 1),
    FLAG("ulfm", ulfm, 1),
    OWN("on-failure", take_failure),
    FLAG("rehearse", rehearse, 1),
    VALUE("rehearse-report", take_text, survival),
    NUMBER("verify", take_int, verify, 2, 10000),
    NUMBER("verify-seed", take_seed, seed, 0, 1e15),
    VALUE("verify-report", take_text, report),
    OWN("configfile", take_configfile),
    LONE("list", take_question, FT_QUESTION_LIST, NULL),
    {"status", take_question, 0, FT_QUESTION_STATUS, 0, NULL, 0},
    {"inspect", take_question, 0, FT_QUESTION_INSPECT, 0, NULL, 0},
    {"remove", take_question, 0, FT_QUESTION_REMOVE, 0, NULL, 0},
    LONE("doctor", take_question, FT_QUESTION_DOCTOR, NULL),
    FLAG("v", verbose, 1),
    FLAG("verbose", verbose, 1),
    FLAG("vv", verbose, 2),
    LONE("h", take_answer, 0, ft_options_help),
    LONE("help", take_answer, 0, ft_options_help),
    LONE("version", take_answer, 0, "ftrun " FT_VERSION "\n"),
    VALUE("host", take_text, hosts),
    VALUE("hosts", take_text, hosts),
    VALUE("f", take_text, hostfile),
    VALUE("hostfile", take_text, hostfile),
    VALUE("machinefile", take_text, hostfile),
    VALUE("launcher", take_launcher, launcher),
    NUMBER("spares", take_int, spares, 0, 65536),
    VALUE("heartbeat", take_time, heartbeat),
    VALUE("local", take_text, local),
    VALUE("levels", take_text, levels),
    REFUSED("localhost", PLACE, 0),
    REFUSED("order-nodes", PLACE, 0),
    REFUSED("skip-launch-node", PLACE, 1),
    REFUSED("iface", PLACE, 0),
    REFUSED("bind-to", BIND, 0),
    REFUSED("map-by", BIND, 0),
    REFUSED("membind", BIND, 0),
    REFUSED("topolib", BIND, 0),
    REFUSED("launcher-exec", STARTER, 0),
    REFUSED("rmk", STARTER, 0),
    REFUSED("demux", STARTER, 0),
    REFUSED("pmi-port", STARTER, 1),
    REFUSED("disable-auto-cleanup", STARTER, 1),
    REFUSED("enable-x", STARTER, 1),
    REFUSED("disable-x", STARTER, 1),
    REFUSED("prepend-pattern", "use -l", 0),
    REFUSED("genvnone", "start ftrun under env -i instead", 1),
    REFUSED("envnone", "start ftrun under env -i instead", 1),
    REFUSED("usize", LEAVE, 0),
    REFUSED("print-all-exitcodes", LEAVE, 1),
    REFUSED("gpus-per-proc", LEAVE, 0),
    REFUSED("info", LEAVE, 1),
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

/* The rules as getopt wants them: the value of each is FIRST and its number. */
enum { FIRST = 256 };
static void make_table(struct option table[RULES + 1])
{
    memset(table, 0, (RULES + 1) * sizeof(*table));
    for (int i = 0; i < RULES; i++)
        table[i] = (struct option){rules[i].name, rules[i].alone ? no_argument : required_argument,
                                   NULL, FIRST + i};
}

/* Takes all options up to the program. 0; 1: one was answered; or -EINVAL after a message. */
static int take_options(int argc, char **argv, struct ft_options *options)
{
    struct option table[RULES + 1];
    char hint[128];
    int key, code = 0;

    make_table(table);
    opterr = 0;
    while (!code && (key = getopt_long_only(argc, argv, "+:", table, NULL)) != -1) {
        if (key == '?') {
            ft_foreign_hint(argv[optind - 1], table, hint, sizeof(hint));
            return complain("option %s is not known, or ambiguous%s%s", argv[optind - 1],
                            *hint ? ": " : "", hint);
        }
        if (key == ':')
            return complain("option %s needs a value", argv[optind - 1]);
        code = rules[key - FIRST].take(&rules[key - FIRST], argv + optind, options);
    }
    return code;
}

/* Nodes, defaults and refusals, which several options decide together. */
static int settle(struct ft_options *options)
{
    const char *note;
    char why[256];
    int ranks = options->program ? ft_parts_ranks(options->argv, why, sizeof(why)) : 0;

    if (ranks < 0 || ft_options_choose_nodes(options, ranks > 0, &note, why, sizeof(why)))
        return complain("%s", why);
    if (ft_options_check(options) || ft_options_take_parts(options, ranks))
        return -EINVAL;
    if (note)
        fprintf(stderr, "ftrun: %s\n", note);
    return 0;
}

static void fill_in(struct ft_options *options)
{
    if ((ft_options_alone(options) || FT_OPEN_MPI) && options->trust == FT_TRUSTING_DEFAULT)
        options->trust = FT_TRUSTING_NONE;
    if (options->mtbf <= 0)
        options->mtbf = FT_OPTIONS_MTBF;
    if (options->heartbeat <= 0)
        options->heartbeat = FT_OPTIONS_HEARTBEAT;
    if (!options->keep)
        options->keep = FT_OPTIONS_KEEP;
    if (!options->seeded)
        options->seed = FT_OPTIONS_SEED;
}

int ft_options_read(int argc, char **argv, struct ft_options *options)
{
    const char *file;
    int code;

    memset(options, 0, sizeof(*options));
    if ((code = ft_configfile_expand(&argc, &argv, &file)))
        return complain("-configfile %s: %s", file,
                        code == -EINVAL
                            ? "it is the last option, and its lines are those of programs"
                            : strerror(-code));
    if ((code = take_options(argc, argv, options)))
        return code;
    if (options->question)
        return argv[optind] ? complain("%s: nothing stands behind a question", argv[optind]) : 0;
    options->argv = argv + optind;
    options->program = argv[optind];
    if (options->list_faults)
        return 0;
    if (!options->faults)
        options->faults = getenv("FT_FAULTS");
    if (options->faults && !*options->faults)
        options->faults = NULL;
    if (settle(options))
        return -EINVAL;
    fill_in(options);
    return 0;
}
