/* ring: the determinants behind a recorder, whose memory is given back. Thread rule: single
 * threaded. */
#ifndef FT_HOST_RING_H
#define FT_HOST_RING_H

#include <sys/types.h>
#include "recorder/recorder.h"

/* The offset of determinant, and of mark, number `number` in the memory of a recorder. */
static inline off_t ft_host_ring_at(uint64_t number)
{
    return (off_t)(FT_RECORDER_BYTES + number % FT_RECORDER_RING * FT_RECORDER_ENTRY);
}
static inline off_t ft_host_ring_mark(uint64_t number)
{
    return (off_t)(FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES +
                   number % FT_RECORDER_TRAIL * sizeof(uint32_t));
}

/* Determinants before this one are needed no more. fd: of the recorder's memory; *counter: those
 * that were not needed before. The memory goes first: as soon as the rank hears of the room it
 * writes there. A system that does not give memory back has more of it in use. */
void ft_host_ring_drop(int fd, uint64_t *counter, uint64_t before);
/* The same of marks. */
void ft_host_ring_drop_marks(int fd, uint64_t *counter, uint64_t before);

#endif
