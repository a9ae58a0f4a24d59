#include "request/general.h"

#include "calls/calls.h"

struct general { /* in the image; the request's argument */
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    void *extra; /* the program's */
};

/* Nobody but the program ends it. */
static void general_turn(struct ft_rank *self, struct ft_request *request)
{
    (void)self;
    (void)request;
}

static int general_release(struct ft_rank *self, const struct ft_request *request)
{
    const struct general *general = request->argument;
    struct ft_upcall upcall = ft_callback_begin(self);
    int code = general->release(general->extra);

    ft_callback_end(self, upcall);
    return code;
}

static void general_destroy(struct ft_rank *self, struct ft_request *request)
{
    ft_image_free(request->argument);
    request->advance = NULL;
    request->argument = NULL;
    ft_request_destroy(self, request);
}

int ft_general_query(struct ft_rank *self, const struct ft_request *request, MPI_Status *status)
{
    const struct general *general = request->argument;
    struct ft_upcall upcall = ft_callback_begin(self);
    int code;

    ft_status_empty(status);
    code = general->query(general->extra, status);
    ft_callback_end(self, upcall);
    return code;
}

int ft_general_take(struct ft_rank *self, struct ft_request *request, MPI_Request *handle,
                    MPI_Status *status)
{
    MPI_Status found;
    int code = ft_general_query(self, request, &found), freed;

    if (status != MPI_STATUS_IGNORE)
        ft_status_copy(status, &found);
    freed = general_release(self, request);
    general_destroy(self, request);
    *handle = MPI_REQUEST_NULL;
    return code ? code : freed;
}

void ft_general_detach(struct ft_rank *self, struct ft_request *request)
{
    general_release(self, request); /* at once, as MPICH does */
    if (request->state == FT_REQUEST_COMPLETE)
        general_destroy(self, request);
    else
        request->detached = 1;
}

int ft_general_cancel(struct ft_rank *self, const struct ft_request *request)
{
    const struct general *general = request->argument;
    struct ft_upcall upcall = ft_callback_begin(self);
    int code = general->cancel(general->extra, request->state == FT_REQUEST_COMPLETE);

    ft_callback_end(self, upcall);
    return code;
}

static MPI_Request general_start(struct ft_rank *self, const struct general *given)
{
    struct ft_request *request =
        ft_request_create(self, FT_REQUEST_GENERAL, ft_comm_find(self, MPI_COMM_WORLD));
    struct general *general = ft_image_alloc(sizeof *general);

    *general = *given;
    request->argument = general;
    request->advance = general_turn;
    request->code = FT_GENERAL_CODE;
    request->state = FT_REQUEST_ACTIVE;
    return request->handle;
}

FT_EXPORT int MPI_Grequest_start(MPI_Grequest_query_function *query_fn,
                                 MPI_Grequest_free_function *free_fn,
                                 MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                                 MPI_Request *request)
{
    struct ft_rank *self = ft_self;
    const void *site = __builtin_return_address(0);

    if (ft_unlikely(!self))
        return PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request);
    ft_enter(self, FT_CALL_MPI_Grequest_start, site);
    if (ft_fortran_caller(site) != site)
        ft_refuse("MPI_Grequest_start", site,
                  "generalized requests are not carried in Fortran: wait for the operation in the "
                  "program");
    *request = general_start(self, &(struct general){query_fn, free_fn, cancel_fn, extra_state});
    return ft_leave(self, MPI_SUCCESS);
}

FT_EXPORT int MPI_Grequest_complete(MPI_Request handle)
{
    struct ft_rank *self = ft_self;
    struct ft_request *request;

    if (ft_unlikely(!self))
        return PMPI_Grequest_complete(handle);
    ft_enter(self, FT_CALL_MPI_Grequest_complete, __builtin_return_address(0));
    request = ft_request_find(self, handle);
    if (!request || request->kind != FT_REQUEST_GENERAL || request->state != FT_REQUEST_ACTIVE)
        return ft_leave(self, ft_error(self, NULL, MPI_ERR_REQUEST, "MPI_Grequest_complete"));
    request->state = FT_REQUEST_COMPLETE;
    if (request->detached)
        general_destroy(self, request);
    return ft_leave(self, MPI_SUCCESS);
}
