/* MPI_Waitall. It waits for one stretch of requests after the other, in order: a stretch has a
 * constant length, so the cost is linear.
 *
 * Mostly the last request of a stretch is the last to end. So the library is asked about that
 * one until it has ended, which costs the same however many there are, and then about all in one
 * call, with the program's statuses: a receive of the usual kind needs nothing else. Where one
 * was later than the last, it is asked about them one by one. A stretch that meets anything
 * else, a gate, a death or an error say, goes the general way from there: each request is waited
 * for and taken. */
#include "pmpi/p2p.h"
#include "pmpi/p2p_many.h"
#include "request/usual.h"

#define STRETCH 64 /* requests */
/* So few are looked at one by one: that turns no engine where all have ended (ft_library_look). */
#define FEW 8

struct stretch {
    int count, first;     /* its length; index of its first request */
    int active;           /* how many the library has to be asked about */
    int others;           /* 1: somebody else has to be asked, too */
    MPI_Request *handles; /* [count] the program's */
    MPI_Status *statuses; /* [count] likewise, or `status` */
    MPI_Status *all;      /* the program's, of all stretches, or MPI_STATUSES_IGNORE */
    struct ft_request *request[STRETCH]; /* NULL: a null handle */
    MPI_Request real[STRETCH];           /* of the ACTIVE ones, MPI_REQUEST_NULL of others */
    MPI_Status status[STRETCH];
};

/* The library's request for one that is not a receive of the usual kind. */
static MPI_Request real_of(struct stretch *stretch, const struct ft_request *request)
{
    if (!request)
        return MPI_REQUEST_NULL;
    if (request->partner || request->advance)
        stretch->others = 1;
    return request->state == FT_REQUEST_ACTIVE ? request->real : MPI_REQUEST_NULL;
}

static int refuse(MPI_Request handle)
{
    return PMPI_Wait(&handle, MPI_STATUS_IGNORE);
}

/* Fills in the requests. Answers MPI_SUCCESS, or the native call's code for a handle that is not
 * valid. */
static int look_up(struct ft_rank *self, struct stretch *stretch)
{
    int active = 0;

    stretch->others = 0;
    for (int i = 0; i < stretch->count; i++) {
        MPI_Request handle = stretch->handles[i];
        struct ft_request *request = ft_request_find(self, handle);

        stretch->request[i] = request;
        if (ft_likely(request != NULL) && ft_likely(ft_receive_is_usual(request))) {
            stretch->real[i] = request->real;
            active++;
            continue;
        }
        if (handle == FT_REQUEST_SENT) {
            stretch->real[i] = MPI_REQUEST_NULL;
            continue;
        }
        if (ft_unlikely(!request && handle != MPI_REQUEST_NULL))
            return refuse(handle);
        stretch->real[i] = real_of(stretch, request);
        active += stretch->real[i] != MPI_REQUEST_NULL;
    }
    stretch->active = active;
    return MPI_SUCCESS;
}

/* 0: the rank was at the gate instead. */
static int wait_for(struct ft_rank *self, MPI_Request real)
{
    unsigned polls = 0;
    int ended = 0;

    for (;;) {
        int code = PMPI_Request_get_status(real, &ended, MPI_STATUS_IGNORE);

        if (ended)
            return 1;
        if (ft_wait_pause(self, &polls))
            return 0;
        if (ft_unlikely(code != MPI_SUCCESS))
            return 1;
    }
}

/* Gives each request that has ended, with an error or while a rank has died, to ft_request_end. */
static void end_each(struct ft_rank *self, struct stretch *stretch, int code)
{
    for (int i = 0; i < stretch->count; i++) {
        struct ft_request *request = stretch->request[i];
        int own = code == MPI_SUCCESS ? MPI_SUCCESS : stretch->statuses[i].MPI_ERROR;

        if (!request || request->state != FT_REQUEST_ACTIVE || own == MPI_ERR_PENDING ||
            own == MPIX_ERR_PROC_FAILED_PENDING)
            continue;
        request->status = stretch->statuses[i];
        ft_request_end(self, request, own);
    }
}

static inline void take(struct ft_rank *self, struct stretch *stretch, int i, int *failed)
{
    int at = stretch->first + i;

    p2p_many_take(self, stretch->request[i], &stretch->handles[i], stretch->all, at, failed);
    if (!stretch->request[i] && stretch->all != MPI_STATUSES_IGNORE)
        ft_status_empty(&stretch->all[at]);
}

/* Takes one of the usual kind that has ended. A send's status is an empty one already: the library
 * was asked about a null request in its place. */
static inline int take_usual(struct ft_rank *self, struct ft_request *request, MPI_Request *handle)
{
    if (ft_unlikely(!request))
        return 0;
    if (ft_likely(ft_receive_is_usual(request))) {
        ft_receive_take(self, request, handle);
        return 1;
    }
    if (*handle != FT_REQUEST_SENT)
        return 0;
    *handle = MPI_REQUEST_NULL;
    return 1;
}

static void take_other(struct ft_rank *self, struct stretch *stretch, int i, int *failed)
{
    struct ft_request *request = stretch->request[i];

    if (request && request->state == FT_REQUEST_ACTIVE) {
        request->status = stretch->statuses[i];
        ft_request_end(self, request, MPI_SUCCESS);
    }
    take(self, stretch, i, failed);
}

/* All have ended well; their statuses are there. */
static void take_all(struct ft_rank *self, struct stretch *stretch, int *failed)
{
    for (int i = 0; i < stretch->count; i++)
        if (ft_unlikely(*failed) || !take_usual(self, stretch->request[i], &stretch->handles[i]))
            take_other(self, stretch, i, failed);
}

/* Asks the library about all at once. Answers whether it has completed any: then all of them have
 * been taken, or ended. */
static int test_all(struct ft_rank *self, struct stretch *stretch, int *failed, int *taken)
{
    int ended = 0;
    int code = PMPI_Testall(stretch->count, stretch->real, &ended, stretch->statuses);

    if (ft_likely(code == MPI_SUCCESS) && !ended)
        return 0;
    *taken = code == MPI_SUCCESS && !ft_life.torn;
    if (ft_likely(*taken))
        take_all(self, stretch, failed);
    else
        end_each(self, stretch, code);
    return 1;
}

/* Waits for all of a stretch with some that are active. Answers whether they have been taken; 0:
 * the rank was at the gate, or something has ended in another way. */
static int wait_at_once(struct ft_rank *self, struct stretch *stretch, int *failed)
{
    int asked = 0, taken = 0;

    for (int i = stretch->count; i-- > 0;) {
        if (stretch->real[i] == MPI_REQUEST_NULL)
            continue;
        if (!wait_for(self, stretch->real[i]))
            return 0;
        if (!asked++ && test_all(self, stretch, failed, &taken))
            return taken;
    }
    test_all(self, stretch, failed, &taken);
    return taken;
}

static void wait_each(struct ft_rank *self, struct stretch *stretch, int *failed)
{
    for (int i = 0; i < stretch->count; i++) {
        struct ft_request *request = stretch->request[i];

        if (request && !*failed &&
            ft_usual_wait(self, request, &stretch->handles[i],
                          p2p_status_at(stretch->all, stretch->first + i)))
            continue;
        if (request)
            p2p_wait(self, request);
        take(self, stretch, i, failed);
    }
}

/* Answers MPI_SUCCESS, or the code for a handle that is not valid. */
static int wait_stretch(struct ft_rank *self, struct stretch *stretch, int *failed)
{
    int code = look_up(self, stretch);

    while (ft_likely(code == MPI_SUCCESS) && stretch->active > FEW && !stretch->others &&
           ft_usual_fits(self)) {
        if (ft_likely(wait_at_once(self, stretch, failed)))
            return MPI_SUCCESS;
        code = look_up(self, stretch); /* a gate may have ended some, and others are asked anew */
    }
    if (ft_likely(code == MPI_SUCCESS))
        wait_each(self, stretch, failed);
    return code;
}

/* MPICH's MPI_Waitall sets MPI_ERROR of each status to MPI_SUCCESS if no request fails; its other
 * calls do not. Programs read that member, so this MPI_Waitall sets it, too. */
static void errors_clear(const struct stretch *stretch)
{
    if (stretch->all == MPI_STATUSES_IGNORE)
        return;
    for (int i = 0; i < stretch->count; i++) {
        if (stretch->handles[i] != MPI_REQUEST_NULL)
            stretch->statuses[i].MPI_ERROR = MPI_SUCCESS;
    }
}

static int wait_all(struct ft_rank *self, int count, MPI_Request handles[], MPI_Status statuses[])
{
    struct stretch stretch;
    int failed = 0, code = MPI_SUCCESS;

    if (ft_unlikely(count < 0) || ft_unlikely(count > STRETCH))
        code = p2p_many_check(self, count, handles);
    stretch.all = statuses;
    for (int first = 0; code == MPI_SUCCESS && first < count; first += STRETCH) {
        stretch.count = count - first < STRETCH ? count - first : STRETCH;
        stretch.first = first;
        stretch.handles = &handles[first];
        stretch.statuses = statuses == MPI_STATUSES_IGNORE ? stretch.status : &statuses[first];
        errors_clear(&stretch);
        code = wait_stretch(self, &stretch, &failed);
    }
    return failed ? MPI_ERR_IN_STATUS : code;
}

FT_EXPORT int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[])
{
    P2P_ENTER(MPI_Waitall, (count, handles, statuses));

    P2P_LEAVE(NULL, wait_all(self, count, handles, statuses), MPI_Waitall);
}
