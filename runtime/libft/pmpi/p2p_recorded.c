/* Which of many requests is complete is decided by time: with --protocol spbc the choice is
 * recorded, or a mark of the trail (repeat.h), and made again in a life that begins with an older
 * image. In an iteration of a trusted pattern a choice that is proved is made anew. Where no
 * request is active there is no choice, and no record. An image may be taken in the middle of a
 * wait, so each turn of it looks first whether the choice is known by now. */
#include "pmpi/p2p_many.h"
#include "request/again.h"
#include "request/repeat.h"
#include "stream/contents.h"

int p2p_any_started(struct ft_rank *self, int count, const MPI_Request handles[])
{
    for (int i = 0; i < count; i++) {
        const struct ft_request *request = ft_request_find(self, handles[i]);

        if (request && request->state != FT_REQUEST_INACTIVE)
            return 1;
    }
    return 0;
}

/* A request that was chosen in the life before completes in this one. */
static void chosen_wait(struct ft_rank *self, int count, const MPI_Request handles[], int found,
                        const int indices[])
{
    for (int i = 0; i < found; i++) {
        struct ft_request *request =
            indices[i] < count ? ft_request_find(self, handles[indices[i]]) : NULL;

        if (!request || request->state == FT_REQUEST_INACTIVE)
            ft_differs(self, "a request of this call was complete, and is not active now");
        p2p_wait(self, request);
    }
}

/* At most `room` that are ready. */
static int find_ready(struct ft_rank *self, int count, const MPI_Request handles[], int indices[],
                      int room)
{
    int found = 0;

    for (int i = 0; i < count && found < room; i++) {
        const struct ft_request *request = ft_request_find(self, handles[i]);

        if (request && ft_request_ready(request))
            indices[found++] = i;
    }
    return found;
}

/* Likewise; asks the library when none is. */
static int find(struct ft_rank *self, int count, const MPI_Request handles[], int indices[],
                int room)
{
    int found = find_ready(self, count, handles, indices, room);

    if (found)
        return found;
    p2p_many_poll(self, count, handles);
    return find_ready(self, count, handles, indices, room);
}

/* Says the next mark that the request at `i` was complete? */
static int is_next(struct ft_rank *self, const MPI_Request handles[], int i)
{
    return ft_repeat_is_next(self, ft_repeat_name(ft_request_find(self, handles[i])), i, 0);
}

static void found_note(struct ft_rank *self, const MPI_Request handles[], int i)
{
    ft_repeat_found(self, ft_repeat_name(ft_request_find(self, handles[i])), i, 0);
}

/* A choice at a proved site that was made in the life before: request by request, as the marks say.
 */
static int choose_again(struct ft_rank *self, int count, const MPI_Request handles[], int indices[],
                        int room)
{
    int found = 0, i;

    while (found < room && ft_trail_repeats(self)) {
        for (i = 0; i < count && !is_next(self, handles, i); i++)
            continue;
        if (i == count)
            break;
        chosen_wait(self, count, handles, 1, &i);
        found_note(self, handles, i);
        indices[found++] = i;
    }
    return found;
}

/* A choice at a proved site that is made now. */
static int choose_now(struct ft_rank *self, int count, const MPI_Request handles[], int indices[],
                      int room)
{
    int found = find(self, count, handles, indices, room);

    for (int i = 0; i < found; i++)
        found_note(self, handles, indices[i]);
    if (!found)
        ft_determinant_pass(self);
    return found;
}

static int choose_proved(struct ft_rank *self, int waits, int count, const MPI_Request handles[],
                         int indices[], int room)
{
    unsigned polls = 0;
    int found;

    for (;;) {
        enum ft_repeat how = ft_repeat_look(self);

        if (how == FT_REPEAT_NOTHING)
            found = 0;
        else if (how == FT_REPEAT_ASK)
            found = choose_now(self, count, handles, indices, room);
        else if (!(found = choose_again(self, count, handles, indices, room)))
            ft_repeat_nothing(self);
        if (found || !waits)
            return found;
        ft_wait_pause(self, &polls);
    }
}

/* Answers how many; 0 only when it does not wait. */
static int choose(struct ft_rank *self, int waits, int count, const MPI_Request handles[],
                  int indices[], int room)
{
    enum ft_belief belief = ft_repeat_belief(self);
    int anew = belief == FT_BELIEF_ANEW && waits, found;
    unsigned polls = 0;

    if (belief == FT_BELIEF_TRAIL)
        return choose_proved(self, waits, count, handles, indices, room);
    for (;;) {
        if (!anew && ft_choice_again(self, waits, &found, indices, room)) {
            chosen_wait(self, count, handles, found, indices);
            return found;
        }
        found = find(self, count, handles, indices, room);
        if (found || !waits)
            break;
        ft_wait_pause(self, &polls);
    }
    if (anew)
        ft_contents_believe(self, self->mark);
    else
        ft_determinant_choice_note(self, found, indices);
    return found;
}

int p2p_any_recorded(struct ft_rank *self, int waits, int count, MPI_Request handles[], int *index,
                     MPI_Status *status)
{
    int at;

    if (!p2p_any_started(self, count, handles))
        return p2p_any_take(self, count, handles, index, status);
    *index = MPI_UNDEFINED;
    if (choose(self, waits, count, handles, &at, 1) == 0)
        return MPI_SUCCESS;
    *index = at;
    return ft_request_take(self, ft_request_find(self, handles[at]), &handles[at], status);
}

int p2p_some_recorded(struct ft_rank *self, int waits, int count, MPI_Request handles[], int *found,
                      int indices[], MPI_Status statuses[])
{
    int failed = 0;

    if (!p2p_any_started(self, count, handles))
        return p2p_some_take(self, count, handles, found, indices, statuses);
    *found = choose(self, waits, count, handles, indices, count);
    for (int i = 0; i < *found; i++)
        p2p_many_take(self, ft_request_find(self, handles[indices[i]]), &handles[indices[i]],
                      statuses, i, &failed);
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}
