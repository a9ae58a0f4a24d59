/* ring: the determinants behind a recorder, whose memory is given back. Thread rule: single
 * threaded. */
#ifndef FT_HOST_RING_H
#define FT_HOST_RING_H

#include "recorder/recorder.h"

/* Determinants before this one are needed no more. fd: of the recorder's memory; *counter: those
 * that were not needed before. The memory goes first: as soon as the rank hears of the room it
 * writes there. A system that does not give memory back has more of it in use. */
void ft_host_ring_drop(int fd, uint64_t *counter, uint64_t before);

#endif
