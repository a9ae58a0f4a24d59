/* p2p: what the wrappers of point-to-point calls (p2p_*.c) share.
 *
 * Each wrapper checks nothing that the library checks: it calls the native function on real handles
 * and passes its code through ft_error. A communicator or request that the runtime does not know is
 * given to the native function as it is, which reports it in its own words. */
#ifndef FT_P2P_H
#define FT_P2P_H

#include "calls/calls.h"
#include "request/store.h"

/* Opens a wrapper: the native call without ftrun, otherwise a safe point. `self` is the rank from
 * here on; arguments: the call's, in parentheses. */
#define P2P_ENTER(name, arguments)                                                                 \
    struct ft_rank *self = ft_self;                                                                \
    if (ft_unlikely(!self))                                                                        \
        return P##name arguments;                                                                  \
    ft_enter(self, FT_CALL_##name, __builtin_return_address(0))

/* The same for polls. */
#define P2P_ENTER_POLL(name, arguments)                                                            \
    struct ft_rank *self = ft_self;                                                                \
    if (ft_unlikely(!self))                                                                        \
        return P##name arguments;                                                                  \
    ft_enter_poll(self, FT_CALL_##name, __builtin_return_address(0))

/* Leaves a wrapper with a code of the library. comm may be NULL. */
#define P2P_LEAVE(comm, code, name) return ft_leave(self, ft_error(self, comm, code, #name))

/* Copies a status out of a virtual request; MPI_STATUS_IGNORE is let pass. */
static inline void p2p_status(MPI_Status *to, const MPI_Status *from)
{
    if (to != MPI_STATUS_IGNORE)
        ft_status_copy(to, from);
}

/* Waits for all of a request. */
static inline void p2p_wait(struct ft_rank *self, struct ft_request *request)
{
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, request);
    if (ft_unlikely(request->partner != NULL) && request->partner->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, request->partner);
}

/* One part of a send-and-receive. */
struct p2p_half {
    void *buffer;
    int count;
    MPI_Datatype type;
    int peer, tag;
};

/* Begins a standard send of a rank in which none has to be described (p2p_send.c). *real is
 * ft_send_done when nothing is left to wait for; *foreign, which is 0: 1 of one to another cluster.
 */
int p2p_send_begin(struct ft_rank *self, struct ft_comm *comm, const struct p2p_half *half,
                   MPI_Request *real, int *foreign);

/* Copies the message of a *_replace call into the image, to be freed with ft_image_free, and makes
 * `half` send that copy: packed, or in its layout. On failure nothing is allocated. */
int p2p_half_pack(struct ft_rank *self, struct ft_comm *comm, struct p2p_half *half, char **copy);

#endif
