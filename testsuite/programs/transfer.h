/* transfer: a message, or a collective, that stays open over many steps of a program drawn from a
 * seed; and the data that it carries, in every layout of a datatype. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "draw.h"

enum { OPEN = 24, LONGEST = 3000 };

enum mode { ISEND, ISSEND, IBSEND, IRSEND, SEND, SSEND, SEND_INIT, SSEND_INIT, FREED, MODES };
enum take { IRECV, IRECV_ANY, RECV_INIT, RECV, RECV_ANY, PROBE, IPROBE, MPROBE, MATCHED, TAKES };
enum layout { DENSE, STRIDED, BACKWARDS, PADDED, LAYOUTS };

struct transfer {
    int open, collective, parent; /* parent: of the group that is being made, or -1 */
    int group, source, dest, tag, length, cycles;
    enum mode mode;
    enum take take;
    enum layout layout[2];
    uint64_t id, *data[2]; /* sent and received */
    MPI_Request request[2];
    MPI_Message message;
};

static struct transfer transfers[OPEN];
static uint64_t state, counted; /* state: of all that was received; counted: messages */

static inline struct transfer *free_transfer(void)
{
    for (int i = 0; i < OPEN; i++)
        if (!transfers[i].open)
            return &transfers[i];
    return NULL;
}

static inline void fold(uint64_t value)
{
    state = mix(state + mix(value));
}

static inline int is_persistent(const struct transfer *transfer)
{
    return transfer->take == RECV_INIT;
}

static inline int is_late(const struct transfer *transfer)
{
    return !transfer->collective && transfer->take >= RECV;
}

static inline int draw_length(void)
{
    switch (draw(8)) {
    case 0:
        return 0;
    case 1:
        return draw(10) ? LONGEST : 20000;
    case 2:
        return draw(LONGEST);
    case 3:
        return 1;
    default:
        return draw(60);
    }
}

static inline long offset(const struct transfer *transfer, int end, int index)
{
    switch (transfer->layout[end]) {
    case STRIDED:
    case PADDED:
        return 2L * index;
    case BACKWARDS:
        return transfer->length - 1 - index;
    default:
        return index;
    }
}

/* The datatype of one end, of which `*count` are sent or received. */
static inline MPI_Datatype type_of(const struct transfer *transfer, int end, int *count)
{
    MPI_Datatype type;

    *count = 1;
    switch (transfer->layout[end]) {
    case STRIDED:
        MPI_Type_vector(transfer->length, 1, 2, MPI_UINT64_T, &type);
        break;
    case BACKWARDS: {
        int *at = malloc(sizeof *at * (size_t)(transfer->length + 1));

        for (int i = 0; i < transfer->length; i++)
            at[i] = transfer->length - 1 - i;
        MPI_Type_create_indexed_block(transfer->length, 1, at, MPI_UINT64_T, &type);
        free(at);
        break;
    }
    case PADDED:
        MPI_Type_create_resized(MPI_UINT64_T, 0, 16, &type);
        *count = transfer->length;
        break;
    default:
        *count = transfer->length;
        return MPI_UINT64_T;
    }
    MPI_Type_commit(&type);
    return type;
}

static inline void type_end(MPI_Datatype type)
{
    if (type != MPI_UINT64_T)
        MPI_Type_free(&type);
}

static inline uint64_t element(const struct transfer *transfer, uint64_t first, int index)
{
    return index ? mix(first ^ transfer->id ^ (uint64_t)index) : first;
}

static inline void fill(struct transfer *transfer)
{
    for (int i = 0; i < transfer->length; i++)
        transfer->data[0][offset(transfer, 0, i)] = element(transfer, state, i);
}

static inline void take_in(struct transfer *transfer)
{
    const uint64_t *data = transfer->data[1];
    uint64_t first = transfer->length ? data[offset(transfer, 1, 0)] : 0;

    for (int i = 0; i < transfer->length; i++)
        check(data[offset(transfer, 1, i)] == element(transfer, first, i), "content",
              (long)transfer->id);
    fold(first ^ transfer->id);
}

#endif
