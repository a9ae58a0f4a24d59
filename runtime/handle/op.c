/* Operations. The library calls a user function with nothing that tells which operation it serves,
 * and it must show the program's handle of the datatype; so each live operation gets one of FT_OPS
 * C functions below, which knows its index and looks the rest up in the image. */
#include "handle/handles.h"

static void op_call(int index, void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct ft_rank *self = ft_self;
    struct ft_op *op = self->handles->op[index];
    MPI_Datatype shown = ft_type_virtual(self, *type);
    struct ft_upcall upcall = ft_callback_begin(self);

    op->function(in, inout, count, &shown);
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
static MPI_User_function *const calls[FT_OPS] = {TIMES_1024(NAME)};

MPI_Op ft_op_find(struct ft_rank *self, MPI_Op handle)
{
    struct ft_op *op = ft_table_find(&self->handles->ops, handle);

    return op ? op->real : handle;
}

int ft_op_make(struct ft_op *op)
{
    return PMPI_Op_create(calls[op->index], op->commute, &op->real);
}

static int index_unused(const struct ft_handles *handles)
{
    for (int i = 0; i < FT_OPS; i++)
        if (!handles->op[i])
            return i;
    ft_panic("more than %d live user-defined operations: free some with MPI_Op_free", FT_OPS);
}

int ft_op_create(struct ft_rank *self, MPI_User_function *function, int commute, MPI_Op *handle)
{
    struct ft_op *op = ft_image_alloc(sizeof(*op));
    int code;

    *op = (struct ft_op){.function = function, .commute = commute, .refs = 1};
    op->index = index_unused(self->handles);
    code = ft_op_make(op);
    if (code != MPI_SUCCESS) {
        ft_image_free(op);
        return code;
    }
    self->handles->op[op->index] = op;
    *handle = op->handle = ft_table_add(&self->handles->ops, op);
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
    self->handles->op[op->index] = NULL;
    ft_image_free(op);
}
