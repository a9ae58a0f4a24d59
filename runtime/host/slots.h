/* slots: the launcher's job of one epoch: mpiexec, the slot processes it starts, and the socket
 * over which they hand their PMI end to ftrun. Thread rule: single threaded. */
#ifndef FT_SLOTS_H
#define FT_SLOTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "host/loop.h"

struct ft_slots;

struct ft_slots_options {
    struct ft_loop *loop;
    int size;           /* ranks */
    const char *folder; /* private folder for the socket */
    char *const *envp;  /* environment of mpiexec */
    /* A slot has come: `fd` is the PMI descriptor (the callee owns it), tail the variables. */
    void (*ready)(void *context, int rank, const char *tail, size_t length, uint32_t count, int fd);
    /* A slot has come that cannot be heard: this process can have no more descriptors. */
    void (*lacking)(void *context, int error);
    void *context;
};

/* Opens the socket and finds mpiexec and ftslot. On failure -errno with a sentence in why. */
int ft_slots_create(const struct ft_slots_options *options, struct ft_slots **out, char *why,
                    size_t size);
/* Ends the job; waits for mpiexec. NULL is allowed. */
void ft_slots_destroy(struct ft_slots *slots);
/* Starts the job of an epoch; the one before must have been dropped. 0, or -errno with why. */
int ft_slots_launch(struct ft_slots *slots, uint32_t epoch, char *why, size_t size);
/* Ends the job: slots end with their connection, mpiexec is killed. */
void ft_slots_drop(struct ft_slots *slots);
/* A child was reaped: was it the launcher of the present epoch? */
int ft_slots_reaped(struct ft_slots *slots, pid_t pid);
int ft_slots_alive(const struct ft_slots *slots);       /* is mpiexec running? */
double ft_slots_launched(const struct ft_slots *slots); /* ft_loop_now of the last launch */
/* What mpiexec and the slots printed, at most size - 1 bytes. */
void ft_slots_output(const struct ft_slots *slots, char *text, size_t size);

#endif
