/* Error handlers, and what the program added to the error codes.
 *
 * The library always returns its errors to the runtime (MPI_ERRORS_RETURN on every real
 * communicator); the program's handlers are called here. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
#include <utlist.h>
#include "handle/handles.h"

static struct ft_errhandler *errhandler_find(struct ft_rank *self, MPI_Errhandler handle)
{
    return ft_table_find(&self->handles->errhandlers, handle);
}

MPI_Errhandler ft_errhandler_create(struct ft_rank *self, MPI_Comm_errhandler_function *function)
{
    struct ft_errhandler *handler = ft_image_alloc(sizeof(*handler));

    handler->function = function;
    handler->refs = 1;
    return handler->handle = ft_table_add(&self->handles->errhandlers, handler);
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
    ft_table_remove(&self->handles->errhandlers, handle);
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

    if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
        snprintf(text, sizeof(text), "error code %d", code);
    fprintf(stderr, "Abort(%d) on node %d (rank %d in comm %d): Fatal error in %s: %s\n", code,
            self->rank, comm->rank, comm->handle == MPI_COMM_WORLD ? 0 : comm->handle, call, text);
    ft_abort(self, code);
}

int ft_error_meet(struct ft_rank *self, struct ft_comm *comm, int code, const char *call)
{
    int has = comm && comm->errhandler != MPI_ERRHANDLER_NULL;
    struct ft_comm *on = has ? comm : &self->handles->world;
    struct ft_errhandler *handler = errhandler_find(self, on->errhandler);
    MPI_Comm handle = on->handle;
    struct ft_upcall upcall;

    if (!handler && on->errhandler != MPI_ERRORS_RETURN)
        error_fatal(self, on, code, call);
    if (!handler)
        return code;
    handler->refs++;
    upcall = ft_upcall_begin(self);
    handler->function(&handle, &code, NULL);
    ft_upcall_end(self, upcall);
    ft_errhandler_release(self, handler->handle);
    return code;
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

/* The library numbers classes and codes in the order they are added: the same as before. */
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
    }
    if (made != added->made)
        ft_panic("the MPI library numbers an added error %d, not %d as before", made, added->made);
}
