/* notices_stub: what the tests of those who hear notices have in common: an MPI library that is a
 * queue of notices for one rank, and stubs for the rooms around.
 *
 * Thread rule: the main thread. */
#ifndef FT_NOTICES_STUB_H
#define FT_NOTICES_STUB_H

enum { QUEUE = 4096 };

struct notice_queue {
    struct {
        int source, dest; /* ranks of the world */
        char bytes[24];
    } notice[QUEUE];
    int head, tail;
    int sender; /* of those that come next */
    int late;   /* questions until the next one is here */
};

extern struct notice_queue queue;

/* Empties it. */
void notice_queue_clear(void);

#endif
