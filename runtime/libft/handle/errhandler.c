/* Error handlers, and what the program added to the error codes.
 *
 * The library always returns its errors to the runtime (MPI_ERRORS_RETURN on every real
 * communicator); the program's handlers are called here. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
#include <utlist.h>
#include "handle/failure.h"
#include "handle/handles.h"

static struct ft_errhandler *errhandler_find(struct ft_rank *self, MPI_Errhandler handle)
{
    return ft_table_find(&self->handles->errhandlers, ft_handle_bits(handle));
}

MPI_Errhandler ft_errhandler_create(struct ft_rank *self, MPI_Comm_errhandler_function *function)
{
    struct ft_errhandler *handler = ft_image_alloc(sizeof(*handler));

    handler->function = function;
    handler->refs = 1;
    return handler->handle =
               ft_handle_of(MPI_Errhandler, ft_table_add(&self->handles->errhandlers, handler));
}

static int errhandler_is_predefined(MPI_Errhandler handle)
{
    return handle == MPI_ERRORS_ARE_FATAL || handle == MPI_ERRORS_RETURN ||
           handle == MPI_ERRORS_ABORT;
}

int ft_errhandler_known(struct ft_rank *self, MPI_Errhandler handle)
{
    return errhandler_is_predefined(handle) || errhandler_find(self, handle);
}

void ft_errhandler_hold(struct ft_rank *self, MPI_Errhandler handle)
{
    struct ft_errhandler *handler = errhandler_find(self, handle);

    if (handler)
        handler->refs++;
}

void ft_errhandler_release(struct ft_rank *self, MPI_Errhandler handle)
{
    struct ft_errhandler *handler = errhandler_find(self, handle);

    if (!handler || --handler->refs)
        return;
    ft_table_remove(&self->handles->errhandlers, ft_handle_bits(handle));
    ft_image_free(handler);
}

/* ftrun ends all ranks, as soon as it knows that no death was the cause; its end of the socket goes
 * with it. */
static void await_end(void)
{
    struct pollfd control = {.fd = ft_life.control};

    while (poll(&control, 1, -1) < 0 && errno == EINTR)
        ;
}

_Noreturn void ft_abort(struct ft_rank *self, int code)
{
    struct ft_wire_number number = {code};

    (void)self;
    fflush(NULL);
    ft_wire_send(ft_life.control, FT_WIRE_ABORT, &number, sizeof(number), NULL, 0, -1);
    await_end();
    _exit(code);
}

static _Noreturn void error_fatal(struct ft_rank *self, const struct ft_comm *comm, int code,
                                  const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (ft_failure_text(code))
        snprintf(text, sizeof(text), "%s", ft_failure_text(code));
    else if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof(text), "error code %d", code);
    fprintf(stderr, "Abort(%d) on node %d (rank %d in comm %d): Fatal error in %s: %s\n", code,
            self->rank, comm->rank,
            comm->handle == MPI_COMM_WORLD ? 0 : (int)ft_handle_bits(comm->handle), call, text);
    ft_abort(self, code);
}

/* Between nodes a transport fails when the other node is lost, with an error like any other. The
 * program hears of it when ftrun knows that nobody has died; if somebody has, this process ends
 * here, or rolls back. */
void ft_error_await(int code)
{
    int class = MPI_SUCCESS;

    PMPI_Error_class(code, &class);
    if (!ft_life.boot.nodes ||
        (class != MPI_ERR_OTHER && class != MPI_ERR_INTERN && class != MPIX_ERR_PROC_FAILED))
        return;
    ft_ask(FT_WIRE_DOUBT);
}

static int error_handle(struct ft_rank *self, MPI_Errhandler errhandler, const struct ft_comm *on,
                        void *object, int code, const char *call)
{
    struct ft_errhandler *handler = errhandler_find(self, errhandler);
    struct ft_upcall upcall;

    ft_error_await(code);
    if (!handler && errhandler != MPI_ERRORS_RETURN)
        error_fatal(self, on, code, call);
    if (!handler)
        return code;
    handler->refs++;
    upcall = ft_upcall_begin(self);
    handler->function(object, &code, NULL);
    ft_upcall_end(self, upcall);
    ft_errhandler_release(self, handler->handle);
    return code;
}

int ft_error_handle(struct ft_rank *self, MPI_Errhandler errhandler, void *object, int code,
                    const char *call)
{
    return error_handle(self, errhandler, &self->handles->world, object, code, call);
}

/* With --ulfm an error of a completion call meets the handler of the request's communicator, as in
 * Open MPI: a program that handles failures has set it there. It is given the request's own error.
 */
static int failure_met(struct ft_rank *self, struct ft_comm **comm, int code)
{
    if (!*comm && (code == MPI_ERR_IN_STATUS || ft_failure_text(code)))
        *comm = ft_ulfm_of(self)->blamed;
    if (*comm && code == MPI_ERR_IN_STATUS)
        return ft_ulfm_of(self)->blamed_code;
    return ft_failure_code(self, *comm, code);
}

int ft_error_meet(struct ft_rank *self, struct ft_comm *comm, int code, const char *call)
{
    int in_status = ft_ulfm_of(self) && code == MPI_ERR_IN_STATUS, met;
    struct ft_comm *on;
    MPI_Comm handle;

    if (ft_ulfm_of(self))
        code = failure_met(self, &comm, code);
    on = comm && comm->errhandler != MPI_ERRHANDLER_NULL ? comm : &self->handles->world;
    handle = on->handle;
    met = error_handle(self, on->errhandler, on, &handle, code, call);
    return in_status ? MPI_ERR_IN_STATUS : met;
}

int ft_error_pass(int code, const char *call)
{
    struct ft_rank *self = ft_self;

    if (!self || self->mpi_state != 1 || ft_depth != 1)
        return code;
    return ft_error_meet(self, NULL, code, call);
}

void ft_error_added(struct ft_rank *self, enum ft_error_add what, int given, int made,
                    const char *text)
{
    struct ft_added *added = ft_image_alloc(sizeof(*added));

    *added = (struct ft_added){.what = what, .given = given, .made = made};
    added->text = ft_image_string(text);
    DL_APPEND(self->handles->added, added);
}

/* The library numbers classes and codes in the order in which they are added and deleted: the same
 * as before. */
void ft_error_add_again(const struct ft_added *added)
{
    int made = added->made;

    switch (added->what) {
    case FT_ERROR_CLASS:
        ft_must(PMPI_Add_error_class(&made), "PMPI_Add_error_class");
        break;
    case FT_ERROR_CODE:
        ft_must(PMPI_Add_error_code(added->given, &made), "PMPI_Add_error_code");
        break;
    case FT_ERROR_STRING:
        ft_must(PMPI_Add_error_string(added->given, added->text), "PMPI_Add_error_string");
        break;
    case FT_ERROR_NO_CLASS:
        ft_must(PMPIX_Delete_error_class(added->given), "PMPIX_Delete_error_class");
        break;
    case FT_ERROR_NO_CODE:
        ft_must(PMPIX_Delete_error_code(added->given), "PMPIX_Delete_error_code");
        break;
    case FT_ERROR_NO_STRING:
        ft_must(PMPIX_Delete_error_string(added->given), "PMPIX_Delete_error_string");
        break;
    }
    if (made != added->made)
        ft_panic("the MPI library numbers an added error %d, not %d as before", made, added->made);
}
