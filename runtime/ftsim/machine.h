/* machine: the nodes of a simulated job: when they fail, and what replaces them. Thread rule: one
 * thread a machine. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "ftsim/draw.h"
#include "ftsim/job.h"

struct sim_log {   /* a recorded failure log, read once and shared by all runs */
    double *times; /* seconds, ascending from 0 */
    size_t count;
    double length; /* seconds; behind it the log begins again */
};

/* Reads numbers, one failure a line, blank lines and those that begin with # left out. 0, or -1
 * with why. The caller frees log->times. */
int sim_log_read(const char *path, struct sim_log *log, char *why, size_t size);

struct sim_machine; /* of one run */

/* Nodes numbered from 0 to `exposed` - 1. `log` is used with SIM_RECORDED and must live as long as
 * the machine. NULL without memory. The caller destroys it. */
struct sim_machine *sim_machine_create(const struct sim_job *job, double exposed,
                                       const struct sim_log *log, struct sim_draw *draw);
void sim_machine_destroy(struct sim_machine *machine);
/* The time of the next failure, later than all before; *node is the victim, which is replaced by a
 * new one at once as far as its next failure is concerned. */
double sim_machine_fail(struct sim_machine *machine, long *node);

/* Effect: a node is down since `now`; by chance it is rebooted, or else repaired, and then it is a
 * spare. */
void sim_machine_lose(struct sim_machine *machine, double now);
/* Effect: takes a node in place of a lost one. The time from which it is there: `now` where a spare
 * is left, later where a reboot or a repair has to be waited for, INFINITY when no node can come.
 */
double sim_machine_replace(struct sim_machine *machine, double now);
long sim_machine_spares_most(const struct sim_machine *machine); /* in use at a time */

#endif
