/* The calls that test, and MPI_Request_get_status. Errors: as in p2p_wait.c. */
#include "pmpi/p2p_many.h"
#include "request/again.h"
#include "request/general.h"
#include "request/repeat.h"
#include "request/usual.h"
#include "trace/trace.h"

static void request_look(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(self->trace != NULL) && ft_trace_skips(self))
        return;
    ft_running_turn(self);
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_poll(self, request);
    if (request->partner && request->partner->state == FT_REQUEST_ACTIVE)
        ft_request_poll(self, request->partner);
}

/* At a proved site. */
static int request_test_proved(struct ft_rank *self, struct ft_request *request)
{
    uint64_t name = ft_repeat_name(request);
    int flag;

    if (ft_repeat_flag(self, name, &flag)) {
        if (flag) {
            p2p_wait(self, request);
            ft_repeat_found(self, name, 0, 0);
        }
        return flag;
    }
    request_look(self, request);
    flag = !ft_request_pending(request);
    ft_repeat_flag_note(self, name, flag);
    return flag;
}

/* With a verification, or --protocol spbc: the answer is written down, or given again. */
__attribute__((noinline)) static int request_test_watched(struct ft_rank *self,
                                                          struct ft_request *request)
{
    int flag;

    if (self->spbc && ft_repeat_belief(self) == FT_BELIEF_TRAIL)
        return request_test_proved(self, request);
    if (self->spbc && ft_poll_again(self, &flag)) {
        if (flag)
            p2p_wait(self, request);
        return flag;
    }
    request_look(self, request);
    flag = !ft_request_pending(request);
    if (self->trace)
        ft_trace_choice(self, flag, 0, 0);
    if (self->spbc)
        ft_determinant_poll_note(self, flag);
    return flag;
}

/* Is it complete? */
static inline int request_test(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(ft_rank_watched(self)))
        return request_test_watched(self, request);
    request_look(self, request);
    return !ft_request_pending(request);
}

/* The same with a receive of the usual kind (usual.h), which is taken if it is. Answers 0 where
 * somebody else has to be asked, or told, first. */
static inline int test_usual(struct ft_rank *self, struct ft_request *request, MPI_Request *handle,
                             int *flag, MPI_Status *status)
{
    uint64_t name;
    int code;

    if (!ft_receive_is_usual(request) || ft_unlikely(!ft_usual_fits(self)) ||
        (self->spbc &&
         ft_unlikely(ft_determinants_replay(self->spbc->determinants) || ft_trail_repeats(self))))
        return 0;
    ft_running_turn(self);
    name = ft_repeat_name(request);
    code = PMPI_Test(&request->real, flag, status);
    if (ft_unlikely(code != MPI_SUCCESS) || ft_unlikely(*flag && ft_life.torn)) {
        ft_receive_end(self, request, status, code);
        return 0;
    }
    if (*flag)
        ft_receive_take(self, request, handle);
    if (self->spbc && ft_repeat_belief(self) == FT_BELIEF_TRAIL)
        ft_repeat_flag_note(self, name, *flag);
    else if (self->spbc)
        ft_determinant_poll_note(self, *flag);
    ft_poll_end(self, *flag);
    return 1;
}

FT_EXPORT int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    P2P_ENTER_POLL(MPI_Test, (handle, flag, status));
    struct ft_request *request = ft_request_find(self, *handle);
    int code;

    if (ft_unlikely(!request))
        P2P_LEAVE(NULL, PMPI_Test(handle, flag, status), MPI_Test);
    if (test_usual(self, request, handle, flag, status))
        return ft_leave(self, MPI_SUCCESS);
    *flag = request_test(self, request);
    if (!*flag) {
        ft_poll_end(self, 0);
        return ft_leave(self, MPI_SUCCESS);
    }
    code = ft_request_take(self, request, handle, status);
    P2P_LEAVE(NULL, code, MPI_Test);
}

static int status_general(struct ft_rank *self, const struct ft_request *request,
                          MPI_Status *status)
{
    MPI_Status found;
    int code = ft_general_query(self, request, &found);

    if (status != MPI_STATUS_IGNORE)
        ft_status_copy(status, &found);
    return code;
}

FT_EXPORT int MPI_Request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    P2P_ENTER_POLL(MPI_Request_get_status, (handle, flag, status));
    struct ft_request *request = ft_request_find(self, handle);

    if (!request)
        P2P_LEAVE(NULL, PMPI_Request_get_status(handle, flag, status), MPI_Request_get_status);
    *flag = request_test(self, request);
    if (*flag && request->kind == FT_REQUEST_GENERAL)
        P2P_LEAVE(NULL, status_general(self, request, status), MPI_Request_get_status);
    if (*flag && status != MPI_STATUS_IGNORE) {
        ft_status_empty(status);
        if (request->kind == FT_REQUEST_RECV && request->state == FT_REQUEST_COMPLETE)
            ft_status_copy(status, &request->status);
    }
    P2P_LEAVE(NULL, *flag ? ft_request_result(request) : MPI_SUCCESS, MPI_Request_get_status);
}

static void all_wait(struct ft_rank *self, int count, const MPI_Request handles[])
{
    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (request)
            p2p_wait(self, request);
    }
}

/* One number for all of them. */
static uint64_t all_name(struct ft_rank *self, int count, const MPI_Request handles[])
{
    uint64_t name = 0;

    for (int i = 0; i < count; i++)
        name = ft_trail_mix(name, ft_repeat_name(ft_request_find(self, handles[i])));
    return name;
}

/* Are all of them complete? At a proved site. */
static int all_test_proved(struct ft_rank *self, int count, const MPI_Request handles[])
{
    uint64_t name = ft_trail_repeats(self) ? all_name(self, count, handles) : 0;
    int flag;

    if (ft_repeat_flag(self, name, &flag)) {
        if (flag) {
            all_wait(self, count, handles);
            ft_repeat_found(self, name, 0, 0);
        }
        return flag;
    }
    p2p_many_poll(self, count, handles);
    flag = p2p_many_ended(self, count, handles);
    ft_repeat_flag_note(self, flag ? all_name(self, count, handles) : 0, flag);
    return flag;
}

/* Are all of them complete? */
static int all_test(struct ft_rank *self, int count, const MPI_Request handles[])
{
    int flag;

    if (ft_unlikely(self->spbc != NULL) && ft_repeat_belief(self) == FT_BELIEF_TRAIL)
        return all_test_proved(self, count, handles);
    if (ft_unlikely(self->spbc != NULL) && ft_poll_again(self, &flag)) {
        if (flag)
            all_wait(self, count, handles);
        return flag;
    }
    p2p_many_poll(self, count, handles);
    flag = p2p_many_ended(self, count, handles);
    if (ft_unlikely(self->trace != NULL))
        ft_trace_choice(self, flag, 0, 0);
    if (ft_unlikely(self->spbc != NULL))
        ft_determinant_poll_note(self, flag);
    return flag;
}

static int test_all(struct ft_rank *self, int count, MPI_Request handles[], int *flag,
                    MPI_Status statuses[])
{
    int failed = 0;

    *flag = all_test(self, count, handles);
    ft_poll_end(self, *flag);
    for (int i = 0; *flag && i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (!request && statuses != MPI_STATUSES_IGNORE)
            ft_status_empty(&statuses[i]);
        p2p_many_take(self, request, &handles[i], statuses, i, &failed);
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

FT_EXPORT int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    P2P_ENTER_POLL(MPI_Testall, (count, handles, flag, statuses));
    int code = p2p_many_check(self, count, handles);

    if (code == MPI_SUCCESS)
        code = test_all(self, count, handles, flag, statuses);
    P2P_LEAVE(NULL, code, MPI_Testall);
}

FT_EXPORT int MPI_Testany(int count, MPI_Request handles[], int *index, int *flag,
                          MPI_Status *status)
{
    P2P_ENTER_POLL(MPI_Testany, (count, handles, index, flag, status));
    int code = p2p_many_check(self, count, handles);

    if (code != MPI_SUCCESS)
        P2P_LEAVE(NULL, code, MPI_Testany);
    if (ft_unlikely(self->spbc != NULL)) {
        *flag = !p2p_any_started(self, count, handles);
        code = p2p_any_recorded(self, 0, count, handles, index, status);
        *flag |= *index != MPI_UNDEFINED;
    } else {
        if (ft_unlikely(self->trace != NULL) || !p2p_many_ready(self, count, handles))
            p2p_many_poll(self, count, handles);
        code = p2p_any_take(self, count, handles, index, status);
        *flag = *index != MPI_UNDEFINED || p2p_many_ended(self, count, handles);
    }
    ft_poll_end(self, *flag);
    P2P_LEAVE(NULL, code, MPI_Testany);
}

FT_EXPORT int MPI_Testsome(int count, MPI_Request handles[], int *found, int indices[],
                           MPI_Status statuses[])
{
    P2P_ENTER_POLL(MPI_Testsome, (count, handles, found, indices, statuses));
    int code = p2p_many_check(self, count, handles);

    if (code == MPI_SUCCESS && ft_unlikely(self->spbc != NULL)) {
        code = p2p_some_recorded(self, 0, count, handles, found, indices, statuses);
    } else if (code == MPI_SUCCESS) {
        p2p_many_poll(self, count, handles);
        code = p2p_some_take(self, count, handles, found, indices, statuses);
    }
    ft_poll_end(self, code != MPI_SUCCESS || *found);
    P2P_LEAVE(NULL, code, MPI_Testsome);
}
