/* Operations. The library calls a user function with nothing that tells which operation it serves,
 * and it must show the program's handle of the datatype; so the function of live operations gets
 * one of FT_FUNCTIONS C functions below, which knows its index and looks the rest up in the image.
 */
#include <utlist.h>
#include "handle/handles.h"

static void op_call(int index, void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct ft_rank *self = ft_self;
    MPI_Datatype shown = ft_type_virtual(self, *type);
    struct ft_upcall upcall = ft_callback_begin(self);

    self->handles->function[index].call(in, inout, count, &shown);
    ft_callback_end(self, upcall);
}

#define CALL(n)                                                                                    \
    static void call_##n(void *in, void *inout, int *count, MPI_Datatype *type)                    \
    {                                                                                              \
        op_call(0x##n, in, inout, count, type);                                                    \
    }
#define NAME(n) call_##n,
#define TIMES_16(X, n)                                                                             \
    X(n##0)                                                                                        \
    X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) X(n##a) X(n##b)        \
        X(n##c) X(n##d) X(n##e) X(n##f)
#define TIMES_64(X, n) TIMES_16(X, n##0) TIMES_16(X, n##1) TIMES_16(X, n##2) TIMES_16(X, n##3)
#define TIMES_128(X, n)                                                                            \
    TIMES_64(X, n)                                                                                 \
    TIMES_16(X, n##4) TIMES_16(X, n##5) TIMES_16(X, n##6) TIMES_16(X, n##7)
#define TIMES_256(X, n)                                                                            \
    TIMES_128(X, n)                                                                                \
    TIMES_16(X, n##8)                                                                              \
    TIMES_16(X, n##9) TIMES_16(X, n##a) TIMES_16(X, n##b) TIMES_16(X, n##c) TIMES_16(X, n##d)      \
        TIMES_16(X, n##e) TIMES_16(X, n##f)
#define TIMES_1024(X) TIMES_256(X, 0) TIMES_256(X, 1) TIMES_256(X, 2) TIMES_256(X, 3)

TIMES_1024(CALL)
static MPI_User_function *const calls[FT_FUNCTIONS] = {TIMES_1024(NAME)};

MPI_Op ft_op_find(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, handle);

    return op ? op->real : handle;
}

int ft_op_make(struct ft_op *op)
{
    return PMPI_Op_create(calls[op->function], op->commute, &op->real);
}

/* The entry of a function, which has one operation more from now on. */
static int function_take(struct ft_handles *handles, MPI_User_function *call)
{
    struct ft_function *function = handles->function;
    int unused = -1, at;

    for (at = FT_FUNCTIONS - 1; at >= 0; at--) {
        if (function[at].ops && function[at].call == call)
            break;
        if (!function[at].ops)
            unused = at;
    }
    if (at < 0)
        at = unused;
    if (at < 0)
        ft_panic("live operations of more than %d functions: free some with MPI_Op_free",
                 FT_FUNCTIONS);
    function[at].call = call;
    function[at].ops++;
    return at;
}

int ft_op_create(struct ft_rank *self, MPI_User_function *function, int commute, MPI_Op *handle)
{
    struct ft_handles *handles = self->handles;
    struct ft_op *op = ft_image_alloc(sizeof(*op));
    int code;

    *op = (struct ft_op){.commute = commute, .refs = 1};
    op->function = function_take(handles, function);
    code = ft_op_make(op);
    if (code != MPI_SUCCESS) {
        handles->function[op->function].ops--;
        ft_image_free(op);
        return code;
    }
    DL_APPEND(handles->op, op);
    *handle = op->handle = ft_table_add(&handles->ops, op);
    return MPI_SUCCESS;
}

void ft_op_hold(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, handle);

    if (op)
        op->refs++;
}

void ft_op_release(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, handle);

    if (!op || --op->refs)
        return;
    ft_must(PMPI_Op_free(&op->real), "PMPI_Op_free");
    ft_table_remove(&self->handles->ops, handle);
    DL_DELETE(self->handles->op, op);
    self->handles->function[op->function].ops--;
    ft_image_free(op);
}
