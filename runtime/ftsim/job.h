/* job: what ftsim simulates: a parallel job, its machine, and what protects it.
 *
 * All times are seconds, all sizes bytes, in this structure; a job file says hours and years where
 * people do (job_lua.c). A job is a plain value: it owns nothing, and may be copied. */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include <stdbool.h>
#include <stddef.h>

enum { SIM_HOUR = 3600, SIM_PATH = 1024, SIM_WHY = 512 };
#define SIM_YEAR (365.25 * 24 * SIM_HOUR)

enum sim_protection {
    SIM_COORDINATED, /* all ranks roll back to the last checkpoint of all */
    SIM_LEVELS,   /* the same, with frequent checkpoints beside the nodes and rarer shared ones */
    SIM_CLUSTERS, /* only the failed node's cluster rolls back (SPBC, Ropars et al., SC'13) */
    SIM_CLUSTERS_LEVELS,
    SIM_COMBINED, /* only the failed node goes back; loggers keep messages (Riesen et al., SC'12) */
    SIM_REPLICATION, /* nobody rolls back while one copy of each rank lives (Ferreira et al., SC'11)
                      */
    SIM_REPLICATION_LEVELS,
    SIM_PROTECTIONS
};

enum sim_distribution { SIM_EXPONENTIAL, SIM_WEIBULL, SIM_RECORDED };
/* The place of the frequent checkpoints in protections with levels. */
enum sim_level { SIM_LOCAL, SIM_PARTNER, SIM_REED_SOLOMON, SIM_LEVEL_KINDS };
enum sim_interval { SIM_DALY, SIM_YOUNG, SIM_GIVEN, SIM_SEARCH };

struct sim_job {
    double work;    /* seconds that the job computes without failures and without protection */
    double nodes;   /* that compute; a whole number */
    double mtbf;    /* of one socket, seconds */
    double sockets; /* per node, a whole number */
    enum sim_distribution distribution;
    double shape;            /* of Weibull */
    char failures[SIM_PATH]; /* path of a recorded failure log: seconds, one failure a line */
    double bytes;            /* a node's checkpoint */
    double node_bandwidth;   /* bytes/s that one node can write */
    double shared_bandwidth; /* bytes/s that the file system takes from all nodes together */
    double read_bandwidth;   /* bytes/s that it gives to all; 0: as it takes */
    double restart;          /* from a failure until images are read, beside the reading */
    double reboot_chance;    /* that a failed node comes back by a reboot */
    double reboot;           /* seconds that a reboot takes */
    double repair;           /* seconds until a node that does not is back; INFINITY: never */
    double spares;           /* share of the nodes */
    double loggers;          /* share of the nodes, with SIM_COMBINED */
    double cluster;          /* nodes of a cluster; 0: not said, see sim_job_settle */
    double rework;           /* speed of a cluster that does its lost work again; 1: as before */
    double log_growth;       /* bytes/s that a node of a cluster copies into its log */
    enum sim_level level;    /* the ones with levels: where most checkpoints lie, */
    double local_every;      /* the shared file system gets every n-th, */
    double local_covers;     /* share of failures that the others survive; NAN: as usual there */
    double degree;           /* share of ranks that have a second copy */
    double recreate;         /* seconds until a dead copy is made again; INFINITY: at a restart */
    double takeover; /* seconds that the job waits until a dead copy's other one has taken over */
    double pause;    /* seconds that a checkpoint stops the job; 0: as long as writing takes */
    double overhead[SIM_PROTECTIONS]; /* share of the work that protection costs without failures */
                                      /* 0 of one with levels: as without them */
    enum sim_interval interval;
    double seconds;                    /* between checkpoints, with SIM_GIVEN */
    bool protections[SIM_PROTECTIONS]; /* those that are to be simulated */
};

/* The job of Riesen et al., section IV: 168 hours, sockets of 5 years, 16 GB a node. */
void sim_job_default(struct sim_job *job);
/* The name of a protection, as job files and results spell it. */
const char *sim_protection_name(enum sim_protection protection);
/* Finds a protection by name; false when there is none. */
bool sim_protection_find(const char *name, enum sim_protection *protection);
/* Whether it has checkpoints beside the nodes; and the same protection without them. */
bool sim_protection_has_levels(enum sim_protection protection);
enum sim_protection sim_protection_base(enum sim_protection protection);
/* The level that a job file calls so; false when there is none. */
bool sim_level_find(const char *name, enum sim_level *level);

/* Effect: what a job file has not said gets its value: clusters of 64 nodes, or of all. */
void sim_job_settle(struct sim_job *job);

/* Derived values. `protection` decides how much is written and read at a time. */
double sim_job_write(const struct sim_job *job, enum sim_protection protection); /* seconds */
double sim_job_read(const struct sim_job *job, enum sim_protection protection);  /* seconds */
/* Share of the failures after which a checkpoint beside the nodes is enough. */
double sim_job_covered(const struct sim_job *job);
/* Seconds that a second of work takes, 1 or more. */
double sim_job_slowness(const struct sim_job *job, enum sim_protection protection);
double sim_job_pause(const struct sim_job *job, enum sim_protection protection); /* seconds */
/* Nodes that may fail: those that compute and their copies. Spares and loggers are not among them.
 */
double sim_job_exposed(const struct sim_job *job, enum sim_protection protection);
/* Nodes that are paid for: exposed ones, spares and loggers. */
double sim_job_reserved(const struct sim_job *job, enum sim_protection protection);
/* Mean time between failures that interrupt the job, seconds. */
double sim_job_mtti(const struct sim_job *job, enum sim_protection protection);
/* Seconds of work between checkpoints. SIM_SEARCH is answered as SIM_DALY: the search begins there.
 */
double sim_job_interval(const struct sim_job *job, enum sim_protection protection);

/* Effect: reads a job file, which returns a table of fields. 0, or -1 with file, line, field and
 * what was expected in why. `job` has defaults before; after a failure it is undefined. */
int sim_job_read_file(const char *path, struct sim_job *job, char *why, size_t size);

#endif
