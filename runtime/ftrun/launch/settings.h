/* settings: what the options ask of a run, checked before anything is created. Thread rule: single
 * threaded, before the loop runs. */
#ifndef FT_SETTINGS_H
#define FT_SETTINGS_H

struct ft_run;

/* Takes levels of checkpoints, --kill, clusters and protocol, the fault plan, and the patterns that
 * ranks believe. run->size and run->at are known. 0, or the exit code after a message. */
int ft_settings_take(struct ft_run *run);

#endif
