/* job_store: the store of a run, and what lies in it besides checkpoints. Thread rule: single
 * threaded, before the loop runs. Each function answers 0, or the exit code after a message. */
#ifndef FT_JOB_STORE_H
#define FT_JOB_STORE_H

struct ft_run;

/* Opens the store of a new job: the one that the user has named, or .ftrun/PROGRAM.PID. */
int ft_job_store_open(struct ft_run *run);
/* Maps the marks of the output, one per stream, from the store; of a job that is continued they
 * have to be there. */
int ft_job_store_map_marks(struct ft_run *run);
/* Makes a folder for each rank's undo records and, with several clusters, one for what does not fit
 * into the memory of its log. */
int ft_job_store_make_folders(struct ft_run *run);

#endif
