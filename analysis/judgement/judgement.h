/* judgement: what the analysis says about a program: sites with verdicts, patterns, hooks,
 * findings, coverage. The reports show it, the rewriters work from it, the runtime gets a table of
 * it.
 *
 * Everything lives as long as the judgement; nodes and their strings belong to the program, which
 * must outlive it. Lists are utlists in the order of unit and place.
 *
 * Thread rule: one thread. */
#ifndef AN_JUDGEMENT_H
#define AN_JUDGEMENT_H

#include "analysis/program/program.h"

/* The classes of docs/determinism.md, from best to worst. */
enum an_verdict {
    AN_DETERMINISTIC,
    AN_SEND_DETERMINISTIC,
    AN_CHANNEL_DETERMINISTIC,
    AN_NON_DETERMINISTIC,
    AN_UNKNOWN,
};

enum { AN_WILD_SOURCE = 1, AN_WILD_TAG = 2, AN_WILD_INDEX = 4, AN_WILD_FLAG = 8 };

/* One step of a witness or a path. */
struct an_step {
    const struct an_node *node; /* its place */
    const char *text;           /* "the index selects what is sent here" */
    struct an_step *next;
};

struct an_pattern;

/* Another call that may take a message which the site could take, too, because nothing keeps the
 * two apart. */
struct an_rival {
    const struct an_node *call;
    bool ahead;    /* it comes behind the site: what the site leaves, it may take */
    bool behind;   /* it comes before the site: what it has left, the site may take */
    bool together; /* what it takes is as good as taken by the site: both are probes for the same
                      receive, or stand in two branches of which a run of the loop takes one */
    struct an_rival *next;
};

/* A loop around a site's receive, behind whose end the receive may take further messages that were
 * sent at the same time: the loop has not taken all. */
struct an_open {
    const struct an_node *loop; /* NULL: whatever loop */
    bool nested;                /* it is the loop around it that takes them */
    struct an_open *next;
};

/* A call whose outcome may depend on time. */
struct an_site {
    uint32_t id;
    const struct an_node *node; /* the CALL, in the program's own words */
    struct an_mpi mpi;
    unsigned wildcard; /* AN_WILD_*: what is open */
    unsigned maybe;    /* AN_WILD_*: of those, which are so on some path or call only */
    enum an_verdict verdict;
    const char *reason; /* one sentence */
    struct an_step *witness;
    bool decided;            /* its names alone give the verdict */
    struct an_rival *rivals; /* region/rival.h; before the verdicts */
    struct an_open *open;
    bool robbed;        /* a rival takes some of its messages, and nobody writes down which */
    bool differs;       /* which call of its function takes a message decides how it is answered */
    const char *unsure; /* why it is not known who else may take its messages, or NULL */
    const char
        *unproved; /* why its outcomes are recorded although its class is a good one, or NULL */
    bool override; /* the verdict is the user's word */
    enum an_verdict judged;     /* what the analysis said, also with an override */
    struct an_pattern *pattern; /* that it belongs to, or NULL */
    bool logged; /* the runtime takes determinants: by verdict, or for want of a pattern */
    const char *logged_reason; /* or NULL */
    struct an_site *next;
};

/* How iterations of a pattern are kept apart. */
enum an_separation { AN_BY_NOTHING, AN_BY_COLLECTIVE, AN_BY_TERMINATION, AN_BY_TAG };

/* A place where END_ITERATION goes. */
struct an_exit {
    const struct an_node
        *node; /* BREAK, CONTINUE, RETURN, GOTO: before it; else behind the region */
    struct an_exit *next;
};

/* A region of code whose anonymous receives match only its own sends: the statements from `first`
 * to `last`, which are children of one BLOCK. */
struct an_pattern {
    uint32_t id;
    const char *name; /* from "ftcc: pattern NAME", or NULL */
    const struct an_node *first, *last;
    const struct an_node *function;
    const char *comm;      /* the communicator as C text, valid where `first` stands */
    struct an_exit *exits; /* besides the end of `last` */
    bool falls_through;    /* the end of `last` can be reached */
    enum an_separation separation;
    const char *separation_text; /* a sentence */
    bool annotated;              /* BEGIN and END can be inserted */
    bool trusted;                /* the runtime may match by (pattern, iteration) */
    const char *reason;          /* why not, or NULL */
    struct an_pattern *next;
};

/* A loop that may be the program's main loop. */
struct an_hook {
    uint32_t id;
    const struct an_node *loop;
    const struct an_node *function;
    bool chosen;
    bool marked;        /* gets its ft_hook_at: chosen, or may be when the whole program is known */
    const char *reason; /* why it was chosen or not, in one sentence */
    struct an_hook *next;
};

struct an_finding {
    const char *rule; /* "capture", "order-escapes", ...: the names of docs/determinism.md */
    const struct an_site *site; /* or NULL */
    const struct an_node *node; /* where it is reported */
    const char *message;
    const char *fix; /* what to do, or NULL */
    struct an_step *path;
    struct an_finding *next;
};

/* Code that could not be seen. */
struct an_hole {
    enum {
        AN_HOLE_FILE,
        AN_HOLE_FUNCTION,
        AN_HOLE_PREPROCESSOR,
        AN_HOLE_CALLEE,
        AN_HOLE_UNJUDGED, /* a call of MPI whose outcome depends on time, and that is no site */
        AN_HOLE_CARRIED,  /* a call of MPI at which ftrun ends a run */
        AN_HOLE_FACTS
    } kind;
    const struct an_unit *unit; /* whose compiler spells `file` so, or NULL */
    const char *file;
    unsigned line;    /* or 0 */
    const char *name; /* of the function or callee, or NULL */
    const char *text; /* a sentence */
    struct an_hole *next;
};

struct an_judgement {
    struct an_program *program;
    struct an_invariance *invariance; /* of region/same.c; NULL until it is asked */
    unsigned asking;                  /* questions of region/same.c inside of each other */
    struct an_memory *memory;
    struct an_site *sites;
    struct an_pattern *patterns;
    struct an_hook *hooks;
    const char *hook_reason; /* why no loop was chosen, or NULL */
    struct an_finding *findings;
    struct an_hole *holes;
    unsigned functions;       /* analysed */
    struct an_kept *kept;     /* private to judgement.c */
    struct an_memos *memos;   /* private to memo.c */
    struct an_astray *astray; /* private to flow/astray.c */
    struct an_polled *polled; /* private to flow/tag.c */
};

/* An empty judgement; the caller destroys it before the program. */
struct an_judgement *an_judgement_create(struct an_program *program);
void an_judgement_destroy(struct an_judgement *judgement);

/* Memory and strings that live as long as the judgement; the memory is zero. */
void *an_judgement_alloc(struct an_judgement *judgement, size_t bytes);
const char *an_judgement_printf(struct an_judgement *judgement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The place for what is kept about a node as long as the judgement lives; NULL at first. About a
 * CALL that is the site there, about a FUNCTION what region/match.c was asked before. */
void **an_judgement_kept(struct an_judgement *judgement, const struct an_node *node);

/* "send-deterministic", ... */
const char *an_verdict_name(enum an_verdict verdict);

/* The site that a CALL is, or NULL. */
const struct an_site *an_site_at(struct an_judgement *judgement, const struct an_node *call);

/* Parts of an_judge (judge/judge.h); each adds its lists. */
void an_sites_find(struct an_judgement *judgement); /* sites, without verdicts */
void an_words_obey(struct an_judgement *judgement); /* the user's overrides of verdicts */
void an_holes_find(struct an_judgement *judgement);

#endif
