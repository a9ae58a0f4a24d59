/* Which of many requests is complete is decided by time: with --protocol spbc the choice is
 * recorded, and made again in a life that begins with an older image. Where no request is active
 * there is no choice, and no record. An image may be taken in the middle of a wait, so each turn of
 * it looks first whether the choice is known by now. */
#include "pmpi/p2p_many.h"
#include "pattern/pattern.h"
#include "request/again.h"
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

/* What was chosen in the life before completes in this one. */
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

/* Answers how many; 0 only when it does not wait. */
static int choose(struct ft_rank *self, int waits, int count, const MPI_Request handles[],
                  int indices[], int room)
{
    int believed = ft_unlikely(self->spbc->noted & FT_NOTED_PLACE) && ft_trust_choice(self->mark);
    unsigned polls = 0;
    int found;

    for (;;) {
        if (!believed && ft_choice_again(self, waits, &found, indices, room)) {
            chosen_wait(self, count, handles, found, indices);
            return found;
        }
        found = find_ready(self, count, handles, indices, room);
        if (!found) {
            p2p_many_poll(self, count, handles);
            found = find_ready(self, count, handles, indices, room);
        }
        if (found || !waits)
            break;
        ft_wait_pause(self, &polls);
    }
    if (believed)
        ft_contents_believe_choice(self);
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
