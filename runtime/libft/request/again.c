/* Held receives are requests with an `advance` of their own, so that polls do not ask the
 * library about them. A rank that waits for one while outcomes are still given again got past
 * this place in the life before: a named one is posted then, because it had completed. */
#include "request/again.h"
#include "determinant/reading.h"
#include "determinant/trail.h"
#include "request/follow.h"
#include "request/foreign.h"
#include "request/overtake.h"
#include "request/packed.h"
#include "request/store.h"
#include "request/trusted.h"
#include "stream/contents.h"

static struct ft_determinants *all_of(const struct ft_rank *self)
{
    return self->spbc->determinants;
}

/* Could one message go to either? */
static int overlaps(const struct ft_request *first, const struct ft_request *second)
{
    return first->comm == second->comm &&
           (first->peer == second->peer || first->peer == MPI_ANY_SOURCE ||
            second->peer == MPI_ANY_SOURCE) &&
           (first->tag == second->tag || first->tag == MPI_ANY_TAG || second->tag == MPI_ANY_TAG);
}

static int is_behind_held(const struct ft_rank *self, const struct ft_request *request)
{
    const struct ft_request *held;

    for (held = self->requests->held; held && held != request; held = held->next)
        if (overlaps(held, request))
            return 1;
    return 0;
}

/* Is the receive of a rank that has rolled back trusted? It must not know its message by chance. */
static int is_trusted(const struct ft_rank *self, const struct ft_request *request)
{
    return self->spbc->identified && ft_recv_trusted(request);
}

static int is_behind_trusted(const struct ft_rank *self, const struct ft_request *request)
{
    const struct ft_request *held;

    for (held = self->requests->held; held && held != request; held = held->next)
        if (is_trusted(self, held) && overlaps(held, request))
            return 1;
    return 0;
}

int ft_held_wants(struct ft_rank *self, const struct ft_comm *comm, int tag)
{
    const struct ft_request *held;

    for (held = self->requests->held; held; held = held->next)
        if (is_trusted(self, held) && held->comm == comm && held->tag == tag) {
            ft_streams_turn(self);
            return 1;
        }
    return 0;
}

static void forget_detached(struct ft_rank *self, struct ft_request *request)
{
    if (!request->detached)
        return;
    self->requests->detached--;
    ft_request_destroy(self, request);
}

/* Gives a held receive to the library, or to the drained store. */
static void held_release(struct ft_rank *self, struct ft_request *request)
{
    int code;

    DL_DELETE(self->requests->held, request);
    request->advance = NULL;
    request->state = FT_REQUEST_INACTIVE;
    code = ft_recv_native(self, request);
    if (code != MPI_SUCCESS)
        ft_panic("cannot post a receive that was held back (source %d, tag %d), code %d",
                 request->peer, request->tag, code);
    if (request->state != FT_REQUEST_COMPLETE)
        return;
    ft_recv_ended(self, request, 0);
    forget_detached(self, request);
}

/* `request` had completed in the life before. Receives that could take each other's messages end in
 * their order, so those before it had ended, too. */
static void check_order(const struct ft_rank *self, const struct ft_request *request)
{
    const struct ft_request *held;

    for (held = self->requests->held; held && held != request; held = held->next)
        if (!held->given && !is_trusted(self, held) && ft_is_wild(held->peer, held->tag) &&
            overlaps(held, request))
            ft_differs(self, "a receive by wildcard is pending that had ended before another one");
}

static void held_wanted(struct ft_rank *self, struct ft_request *request)
{
    if (is_trusted(self, request) || is_behind_trusted(self, request)) {
        ft_streams_turn(self);
        return;
    }
    if (!ft_determinants_replay(all_of(self))) { /* what it was behind was cancelled */
        ft_held_post(self);
        return;
    }
    if (ft_determinants_follows(self)) {
        ft_streams_turn(self);
        return;
    }
    if (ft_is_wild(request->peer, request->tag))
        ft_differs(self, "this call waits for a receive by wildcard that had not completed");
    check_order(self, request);
    held_release(self, request);
}

static void hold(struct ft_rank *self, struct ft_request *request)
{
    ft_recv_unnumber(self, request);
    request->state = FT_REQUEST_ACTIVE;
    request->real = MPI_REQUEST_NULL;
    request->counted = 0;
    request->advance = held_wanted;
    DL_APPEND(self->requests->held, request);
}

/* Has a source the message that it is for? Then it is a named receive. A receive posted before
 * it, by a wildcard that is not trusted, has to end first. */
static int is_named_now(struct ft_rank *self, struct ft_request *request)
{
    int source = is_behind_held(self, request) ? -1 : ft_trusted_source(self, request);
    struct ft_request *first;

    if (source < 0)
        return 0;
    first = ft_overtaken(self, request->comm, source, request->tag, NULL);
    if (first) {
        ft_request_poll(self, first);
        return 0;
    }
    request->peer = source;
    return 1;
}

/* Need it be held no longer? Those before it that must be are held still. */
static int is_free(struct ft_rank *self, struct ft_request *request)
{
    if (is_behind_trusted(self, request))
        return 0;
    if (is_trusted(self, request))
        return is_named_now(self, request);
    return !ft_determinants_replay(all_of(self)) || request->given ||
           (!ft_is_wild(request->peer, request->tag) && !is_behind_held(self, request));
}

/* If nothing moves any more, ftrun says what it was that did not come (recover/lack.c). */
static void held_tell(struct ft_rank *self)
{
    struct ft_recorder *recorder = self->recorder;
    const struct ft_request *held = self->requests->held;

    while (held && !is_trusted(self, held))
        held = held->next;
    recorder->lacks_pattern = held ? held->place.pattern : 0;
    recorder->lacks_iteration = held ? held->place.iteration : 0;
    recorder->lacks_site = held ? held->site : 0;
}

/* To ask about another request is a turn of its own, which may come here again. */
void ft_held_post(struct ft_rank *self)
{
    static int posting;
    struct ft_request *request, *next;

    if (posting)
        return;
    posting = 1;
    DL_FOREACH_SAFE (self->requests->held, request, next)
        if (is_free(self, request))
            held_release(self, request);
    posting = 0;
    held_tell(self);
}

static void held_turn(struct ft_rank *self)
{
    if (self->requests->held && !ft_determinants_replay(all_of(self)))
        ft_held_post(self);
}

/* An answer was given again. The library was not asked, but others may need this rank. */
static int turn(struct ft_rank *self, int found)
{
    held_turn(self);
    if (!found) {
        ft_running_turn(self);
    }
    return 1;
}

/* Has it an outcome that time decides? The runtime's own receives have none. */
static int is_numbered(const struct ft_request *request)
{
    return ft_is_wild(request->peer, request->tag) ||
           (request->handle && !ft_comm_is_lanes(request->comm));
}

static void never_wanted(struct ft_rank *self, struct ft_request *request)
{
    (void)request;
    ft_differs(self, "this call waits for a receive that was cancelled");
}

/* It stays ACTIVE, on no list, until the program cancels it. */
static void await_cancel(struct ft_request *request)
{
    request->given = 1;
    request->state = FT_REQUEST_ACTIVE;
    request->real = MPI_REQUEST_NULL;
    request->advance = never_wanted;
}

/* The same of one that the image had posted. Those behind it in its stream meet its message from
 * now on, so its number is theirs already. */
static void give_up(struct ft_rank *self, struct ft_request *request)
{
    ft_recv_unnumber(self, request);
    ft_recv_number_return(self, request);
    await_cancel(request);
}

/* The library does not have it, so it is cancelled for certain. */
static void cancel_now(struct ft_rank *self, struct ft_request *request)
{
    request->advance = NULL;
    request->state = FT_REQUEST_COMPLETE;
    request->code = MPI_SUCCESS;
    ft_status_empty(&request->status);
    PMPI_Status_set_cancelled(&request->status, 1);
    ft_image_free(request->keep);
    request->keep = NULL;
    ft_recv_count(self, request, 1);
    forget_detached(self, request);
}

/* Must a receive wait that was not cancelled in the life before? */
static int must_hold(const struct ft_rank *self, const struct ft_request *request,
                     enum ft_determinant_post how)
{
    if (is_behind_trusted(self, request))
        return 1;
    if (how != FT_POST_UNKNOWN)
        return 0;
    if (is_behind_held(self, request) || is_trusted(self, request))
        return 1;
    return ft_is_wild(request->peer, request->tag) && !ft_recv_trusted(request) &&
           ft_determinants_replay(all_of(self));
}

/* While something is given again, or the rank listens. A failed call has no number, in no life. */
static int post_again(struct ft_rank *self, struct ft_request *request)
{
    int numbered = is_numbered(request), code;
    enum ft_determinant_post how = FT_POST_UNKNOWN;

    if (!numbered && !is_behind_held(self, request))
        return ft_recv_native(self, request);
    code = ft_recv_check(self, request);
    if (code != MPI_SUCCESS)
        return code;
    if (numbered)
        how = ft_determinant_receive(self, &request->outcome, &request->peer, &request->tag);
    request->given = how == FT_POST_NAMED;
    if (request->given)
        check_order(self, request);
    if (how == FT_POST_NEVER)
        await_cancel(request);
    else if (must_hold(self, request, how))
        hold(self, request);
    else
        code = ft_recv_native(self, request);
    held_turn(self);
    return code;
}

/* Where a receive takes messages from, when that need not be recorded. */
static struct ft_pattern_place place_of(const struct ft_rank *self,
                                        const struct ft_request *request)
{
    static const struct ft_pattern_place nowhere;

    if (ft_likely(!(self->spbc->noted & FT_NOTED_PLACE)) || request->peer != MPI_ANY_SOURCE ||
        request->tag == MPI_ANY_TAG)
        return nowhere;
    return ft_trust_place(self);
}

/* A receive right behind a probe that asked for the same takes what that has found. */
static void take_probed(const struct ft_rank *self, struct ft_request *request)
{
    const struct ft_probed *probed = &self->requests->probed;

    if (probed->comm != request->comm || probed->call + 1 != self->calls ||
        probed->asked != request->peer || probed->asked_tag != request->tag)
        return;
    request->peer = probed->source;
    request->tag = probed->tag;
}

int ft_recv_recorded(struct ft_rank *self, struct ft_request *request)
{
    int code;

    take_probed(self, request);
    if (!ft_comm_is_lanes(request->comm))
        ft_trail_call(self, request->comm->id, request->peer, request->tag, request->count,
                      request->type);
    request->outcome = request->given = 0;
    request->site = self->recorder->site;
    request->number = 0;
    request->counted = 0;
    request->place = place_of(self, request);
    if (ft_unlikely(request->place.pattern != 0))
        ft_contents_believe(self, self->mark);
    if (ft_unlikely(ft_determinants_replay(all_of(self)) || self->spbc->identified))
        return post_again(self, request);
    code = ft_recv_native(self, request);
    if (code != MPI_SUCCESS || !is_numbered(request))
        return code;
    ft_determinant_receive(self, &request->outcome, NULL, NULL);
    if (request->state == FT_REQUEST_COMPLETE)
        ft_recv_ended(self, request, 0);
    return MPI_SUCCESS;
}

/* The receive's outcome is not recorded. */
static void note_spared(struct ft_rank *self)
{
    self->recorder->spared = ++all_of(self)->spared;
    if (!self->spbc->contents->site)
        ft_contents_believe(self, FT_CONTENTS_SOME);
}

void ft_recv_note(struct ft_rank *self, const struct ft_request *request, int cancelled)
{
    if (ft_unlikely(self->spbc->identified))
        ft_trusted_ended(self, request, cancelled);
    if (cancelled)
        ft_determinant_cancel_note(self, request->site, request->outcome);
    else if (request->cancelling ||
             (ft_is_wild(request->peer, request->tag) && !ft_recv_trusted(request)))
        ft_determinant_receive_note(self, request->site, request->outcome,
                                    request->status.MPI_SOURCE, request->status.MPI_TAG);
    else if (ft_recv_trusted(request))
        note_spared(self);
}

/* The program cancels a receive that has ended already, because a drain has taken its message, say.
 * That came first by chance, and has to be so again. If the image had it as ended, the life before
 * has recorded that behind the image, and nobody else will ask. */
static void came_first(struct ft_rank *self, struct ft_request *request)
{
    const MPI_Status *status = &request->status;
    int noted = request->given || request->cancelling ||
                (ft_is_wild(request->peer, request->tag) && !ft_recv_trusted(request));
    int source, tag;

    request->cancelling = 1;
    if (!noted && request->outcome &&
        ft_determinant_receive_again(self, request->outcome, &source, &tag) == FT_POST_UNKNOWN)
        ft_determinant_receive_note(self, request->site, request->outcome, status->MPI_SOURCE,
                                    status->MPI_TAG);
    held_turn(self); /* that may have been the last outcome that was known */
}

int ft_recv_cancel(struct ft_rank *self, struct ft_request *request)
{
    if (request->state != FT_REQUEST_ACTIVE) {
        came_first(self, request);
        return MPI_SUCCESS;
    }
    if (request->given && request->advance != never_wanted) /* likewise, in the life before */
        return MPI_SUCCESS;
    request->cancelling = 1;
    if (request->kept) /* its message has come, and its end is recorded now */
        return MPI_SUCCESS;
    if (!request->advance)
        return PMPI_Cancel(&request->real);
    if (request->advance == held_wanted) {
        DL_DELETE(self->requests->held, request);
        held_tell(self);
    }
    cancel_now(self, request);
    return MPI_SUCCESS;
}

/* A receive with a number that was pending when the image was taken. The unknown outcome of one
 * that is being cancelled may be chosen now. */
static void pending_again(struct ft_rank *self, struct ft_request *request)
{
    enum ft_determinant_post how =
        ft_determinant_receive_again(self, request->outcome, &request->peer, &request->tag);

    request->given = how != FT_POST_UNKNOWN;
    if (how == FT_POST_NAMED) {
        request->cancelling = 0;
        check_order(self, request);
    }
    if (how != FT_POST_NEVER && !must_hold(self, request, how))
        return;
    ft_active_delete(request);
    if (request->cancelling)
        cancel_now(self, request);
    else if (how == FT_POST_NEVER)
        give_up(self, request);
    else
        hold(self, request);
}

/* One that the image held back already. Its outcome may be known now. */
static void held_again(struct ft_rank *self, struct ft_request *request)
{
    enum ft_determinant_post how = FT_POST_UNKNOWN;

    if (request->outcome)
        how = ft_determinant_receive_again(self, request->outcome, &request->peer, &request->tag);
    request->given = how == FT_POST_NAMED;
    if (request->given)
        check_order(self, request);
    if (how != FT_POST_NEVER)
        return;
    DL_DELETE(self->requests->held, request);
    await_cancel(request);
}

void ft_held_learn(struct ft_rank *self)
{
    struct ft_request *request, *next;

    DL_FOREACH_SAFE (self->requests->held, request, next)
        if (!request->given)
            held_again(self, request);
    if (self->requests->held)
        ft_held_post(self);
}

/* Those that the image holds back already were posted behind all that are active. */
void ft_held_rebuild(struct ft_rank *self)
{
    struct ft_requests *requests = self->requests;
    struct ft_request *request, *next, *behind;

    if (!ft_determinants_replay(all_of(self)) && !self->spbc->identified)
        return;
    DL_FOREACH_SAFE (requests->held, request, next)
        held_again(self, request);
    behind = requests->held;
    requests->held = NULL;
    FT_ACTIVE_FOREACH_SAFE (requests, request, next) {
        if (request->kind != FT_REQUEST_RECV || request->matched || request->given)
            continue;
        if (request->outcome) {
            pending_again(self, request);
        } else if (is_behind_held(self, request)) {
            ft_active_delete(request);
            hold(self, request);
        }
    }
    DL_CONCAT(requests->held, behind);
}

int ft_poll_again(struct ft_rank *self, int *flag)
{
    ft_follow_await(self, FT_CLOCKS, 1);
    if (ft_likely(!ft_determinant_poll(self, flag)))
        return 0;
    return turn(self, *flag);
}

static void must_find(const struct ft_rank *self, int waits, int found)
{
    if (waits && !found)
        ft_differs(self, "a poll that found nothing stood here, and now a call that waits");
}

int ft_probe_again(struct ft_rank *self, int waits, int *flag, int *source, int *tag)
{
    int from = *source, with = *tag;

    ft_follow_await(self, FT_CLOCKS, 1);
    if (ft_likely(!ft_determinant_probe(self, flag, source, tag)))
        return 0;
    must_find(self, waits, *flag);
    if (*flag &&
        ((from != MPI_ANY_SOURCE && from != *source) || (with != MPI_ANY_TAG && with != *tag)))
        ft_differs(self, "a probe here found a message that this one does not ask for");
    return turn(self, *flag);
}

int ft_choice_again(struct ft_rank *self, int waits, int *count, int *index, int room)
{
    ft_follow_await(self, FT_CLOCKS, 1);
    if (ft_likely(!ft_determinant_choice(self, count, index, room)))
        return 0;
    must_find(self, waits, *count);
    return turn(self, *count);
}

int ft_value_again(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes)
{
    ft_follow_await(self, FT_CLOCKS, 0);
    if (ft_likely(!ft_determinant_value(self, kind, data, bytes)))
        return 0;
    return turn(self, 1);
}

int ft_clock_again(struct ft_rank *self, enum ft_clock clock, int64_t *moment)
{
    ft_follow_await(self, clock, self->recorder->where == FT_WHERE_CALL);
    if (ft_likely(!ft_reading_again(self, clock, moment)))
        return 0;
    return turn(self, 1);
}
