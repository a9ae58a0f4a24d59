/* call: a signal to a rank that computes, from its parent. Thread rule: single threaded. */
#ifndef FT_HOST_CALL_H
#define FT_HOST_CALL_H

#include <sys/types.h>
#include "recorder/recorder.h"

struct ft_caller {
    double next;   /* ft_loop_now from which on it may be called by a signal */
    double wait;   /* seconds until the signal behind the next one */
    long switches; /* its voluntary context switches at the last look */
    int sent;      /* signals, at the present failure */
};

void ft_call_begin(struct ft_caller *call); /* from now on the rank is expected */
/* Would ft_call_look look at the process? It costs no system call. */
int ft_call_is_due(const struct ft_caller *call, const struct ft_recorder *recorder);
/* Sends the signal if it is time, and the rank computes. */
void ft_call_look(struct ft_caller *call, pid_t pid, const struct ft_recorder *recorder,
                  enum ft_interrupt_why why);
/* Kills the rank if it is in the program's own code. */
void ft_call_end(pid_t pid, const struct ft_recorder *recorder);

#endif
