/* Operations. The library calls a user function with nothing that tells which operation it serves,
 * and it must show the program's handle of the datatype; so the function of live operations gets
 * one of FT_FUNCTIONS C functions below, which knows its index and looks the rest up in the image.
 */
#include <utlist.h>
#include "handle/handles.h"

static void op_call(int index, void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct ft_rank *self = ft_self;
    const struct ft_op_function *function = &self->handles->function[index].call;
    MPI_Datatype shown = ft_type_virtual(self, *type);
    struct ft_upcall upcall = ft_callback_begin(self);

    if (function->large) {
        MPI_Count large = *count;

        function->large(in, inout, &large, &shown);
    } else {
        function->plain(in, inout, count, &shown);
    }
    ft_callback_end(self, upcall);
}

#define CALL(n)                                                                                    \
    static void call_##n(void *in, void *inout, int *count, MPI_Datatype *type)                    \
    {                                                                                              \
        op_call(0x##n, in, inout, count, type);                                                    \
    }
#define NAME(n) call_##n,
/* clang-format moves one word more at each call of it. */
/* clang-format off */
#define TIMES_4(X, n, a, b, c, d) X(n##a) X(n##b) X(n##c) X(n##d)
#define TIMES_16(X, n) \
    TIMES_4(X, n, 0, 1, 2, 3) TIMES_4(X, n, 4, 5, 6, 7) TIMES_4(X, n, 8, 9, a, b) TIMES_4(X, n, c, d, e, f)
#define TIMES_64(X, n, a, b, c, d) TIMES_16(X, n##a) TIMES_16(X, n##b) TIMES_16(X, n##c) TIMES_16(X, n##d)
#define TIMES_256(X, n) \
    TIMES_64(X, n, 0, 1, 2, 3) TIMES_64(X, n, 4, 5, 6, 7) TIMES_64(X, n, 8, 9, a, b) TIMES_64(X, n, c, d, e, f)
/* clang-format on */
#define TIMES_1024(X) TIMES_256(X, 0) TIMES_256(X, 1) TIMES_256(X, 2) TIMES_256(X, 3)

TIMES_1024(CALL)
static MPI_User_function *const calls[FT_FUNCTIONS] = {TIMES_1024(NAME)};

MPI_Op ft_op_find(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, ft_handle_bits(handle));

    return op ? op->real : ft_handle_unknown(handle, MPI_OP_NULL);
}

int ft_op_make(struct ft_op *op)
{
    return PMPI_Op_create(calls[op->function], op->commute, &op->real);
}

static int is_same(const struct ft_op_function *a, const struct ft_op_function *b)
{
    return a->plain == b->plain && a->large == b->large;
}

/* The entry of a function, which has one operation more from now on. */
static int function_take(struct ft_handles *handles, const struct ft_op_function *call)
{
    struct ft_function *function = handles->function;
    int unused = -1, at;

    for (at = FT_FUNCTIONS - 1; at >= 0; at--) {
        if (function[at].ops && is_same(&function[at].call, call))
            break;
        if (!function[at].ops)
            unused = at;
    }
    if (at < 0)
        at = unused;
    if (at < 0)
        ft_panic("live operations of more than %d functions: free some with MPI_Op_free",
                 FT_FUNCTIONS);
    function[at].call = *call;
    function[at].ops++;
    return at;
}

int ft_op_create(struct ft_rank *self, const struct ft_op_function *function, int commute,
                 MPI_Op *handle)
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
    *handle = op->handle = ft_handle_of(MPI_Op, ft_table_add(&handles->ops, op));
    return MPI_SUCCESS;
}

void ft_op_hold(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, ft_handle_bits(handle));

    if (op)
        op->refs++;
}

void ft_op_release(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, ft_handle_bits(handle));

    if (!op || --op->refs)
        return;
    ft_must(PMPI_Op_free(&op->real), "PMPI_Op_free");
    ft_table_remove(&self->handles->ops, ft_handle_bits(handle));
    DL_DELETE(self->handles->op, op);
    self->handles->function[op->function].ops--;
    ft_image_free(op);
}
