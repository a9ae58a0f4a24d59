/* Idea: what a program gives away it may get back: a file or pipe is read again, the environment
 * is asked, an attribute hangs on a handle. The run does not tell these apart. Once anything
 * that depends on the site has gone out, all that comes in the same way may hold it; attributes
 * give back the pointers that were put there. The same goes for a state of the library or the
 * kernel that one call sets and another tells: a random sequence, a text being split, an alarm.
 * Data on the standard streams does not come back, and data from a socket is somebody else's. */
#include "analysis/flow/flow.h"

#include <string.h>

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Functions with a state of their own, which one of them sets and another, or the same, tells. */
static bool remembers(const char *name)
{
    static const char *const names[] = {"srand",
                                        "rand",
                                        "srandom",
                                        "random",
                                        "initstate",
                                        "setstate",
                                        "srand48",
                                        "seed48",
                                        "lcong48",
                                        "drand48",
                                        "erand48",
                                        "lrand48",
                                        "nrand48",
                                        "mrand48",
                                        "jrand48",
                                        "strtok",
                                        "strtok_r",
                                        "alarm",
                                        "ualarm",
                                        "setitimer",
                                        "getitimer",
                                        "umask",
                                        "fesetround",
                                        "fegetround",
                                        "fesetenv",
                                        "fegetenv",
                                        "feholdexcept",
                                        "feupdateenv",
                                        "feraiseexcept",
                                        "fetestexcept",
                                        "feclearexcept",
                                        "pthread_setspecific",
                                        "pthread_getspecific",
                                        "tss_set",
                                        "tss_get",
                                        "setlocale",
                                        "localeconv",
                                        "uselocale",
                                        "newlocale",
                                        "chdir",
                                        "fchdir",
                                        "getcwd",
                                        "hcreate",
                                        "hsearch",
                                        "sem_init",
                                        "sem_post",
                                        "sem_wait",
                                        "sem_trywait",
                                        "sem_getvalue",
                                        "setrlimit",
                                        "getrlimit",
                                        "nice",
                                        "setpriority",
                                        "getpriority",
                                        "sigprocmask",
                                        "pthread_sigmask",
                                        "sigpending",
                                        "sigqueue",
                                        "raise",
                                        "kill",
                                        "mkdir",
                                        "rmdir",
                                        "rename",
                                        "unlink",
                                        "remove",
                                        "access",
                                        "link",
                                        "symlink",
                                        "readlink",
                                        "open",
                                        "fopen",
                                        "creat",
                                        "shmget",
                                        "shmat",
                                        "semop",
                                        "semctl",
                                        "eventfd_write",
                                        "eventfd_read",
                                        "timer_settime",
                                        "timer_gettime",
                                        "signal",
                                        "sigaction",
                                        "getopt",
                                        "getopt_long",
                                        NULL};
    return is_among(name, names);
}

static bool gives(const char *name)
{
    static const char *const names[] = {
        "fwrite",   "fputc",  "putc",    "putw",    "fputs",   "fprintf", "vfprintf", "dprintf",
        "vdprintf", "write",  "pwrite",  "writev",  "pwritev", "setenv",  "putenv",   "ftruncate",
        "truncate", "msgsnd", "mq_send", "ungetc",  "ungetwc", "fputwc",  "putwc",    "fputws",
        "fwprintf", "fseek",  "fseeko",  "fsetpos", "lseek",   NULL};
    return is_among(name, names) || remembers(name);
}

static bool gets(const char *name)
{
    static const char *const names[] = {
        "fread",    "fgetc", "getc",   "getw",    "fgets",   "fscanf", "vfscanf",       "getline",
        "getdelim", "read",  "pread",  "readv",   "preadv",  "getenv", "secure_getenv", "ftell",
        "ftello",   "lseek", "fstat",  "stat",    "mmap",    "msgrcv", "mq_receive",    "feof",
        "fgetwc",   "getwc", "fgetws", "fwscanf", "fgetpos", NULL};
    return is_among(name, names) || remembers(name);
}

/* Whether a call speaks of a standard stream, by its name or number. */
static bool is_standard(const struct an_node *call)
{
    static const char *const streams[] = {"stdin", "stdout", "stderr", NULL};
    const struct an_node *first = an_argument(call, 0);

    for (unsigned i = 0; i < an_arguments(call); i++) {
        const struct an_node *argument = an_plain(an_argument(call, i));
        if (argument->kind == AN_REFERENCE && argument->name && is_among(argument->name, streams))
            return true;
    }
    return first && first->constant && first->value >= 0 && first->value <= 2;
}

void an_flow_kept_pass(struct an_flow *flow, const struct an_node *call, struct an_flow_value *made)
{
    struct an_flow_value control = an_flow_control_of(flow, 0), out = *made;

    if (!remembers(call->name) && is_standard(call))
        return;
    if (control.kind > out.kind)
        out = control;
    if (gives(call->name) && an_flow_depends(out))
        an_flow_astray_given(flow, call);
    if (gives(call->name) && an_flow_depends(out) && !an_flow_depends(flow->given)) {
        flow->given.kind = AN_FLOW_OPAQUE;
        flow->given.why = an_flow_because(flow, call, "leaves the program here", out.why);
    }
    if (gets(call->name) && an_flow_depends(flow->given) && made->kind < AN_FLOW_OPAQUE) {
        made->kind = AN_FLOW_OPAQUE;
        made->why = an_flow_because(flow, call, "may come back here", flow->given.why);
    }
}

void an_flow_attribute_put(struct an_flow *flow, const struct an_node *call,
                           struct an_flow_value value)
{
    struct an_flow_value control = an_flow_control_of(flow, 0);

    flow->attribute.targets = an_flow_either(flow, flow->attribute, value).targets;
    if (control.kind > value.kind)
        value = control;
    if (!an_flow_depends(value) || an_flow_depends(flow->attribute))
        return;
    flow->attribute.kind = AN_FLOW_OPAQUE;
    flow->attribute.why = an_flow_because(flow, call, "becomes an attribute", value.why);
}

struct an_flow_value an_flow_attribute_get(const struct an_flow *flow)
{
    struct an_flow_value value = flow->attribute;

    value.flags = AN_FLOW_BROUGHT;
    return value;
}
