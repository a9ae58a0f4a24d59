/* Predefined handles never change what they mean, so a small table without expiry serves; it is not
 * in the image. */
#include "coll/shape.h"

struct ft_shape ft_shape_known[FT_SHAPES];
MPI_Op ft_op_known = MPI_OP_NULL;
MPI_Datatype ft_op_known_type = MPI_DATATYPE_NULL;

static int is_own(uint32_t bits, enum ft_handle_byte byte)
{
    return bits >> 24 == byte;
}

static struct ft_shape shape_read(struct ft_rank *self, MPI_Datatype type)
{
    struct ft_shape shape = {.type = type, .size = -1};
    MPI_Datatype real = ft_type_real(self, type);
    MPI_Aint lower, true_extent, end;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(real, &shape.size) != MPI_SUCCESS)
        return shape;
    PMPI_Type_get_extent(real, &lower, &shape.extent);
    PMPI_Type_get_true_extent(real, &shape.lower, &true_extent);
    shape.first = lower < shape.lower ? lower : shape.lower;
    end = shape.lower + true_extent;
    if (lower + shape.extent > end)
        end = lower + shape.extent;
    shape.room = end - shape.first;
    shape.plain = !is_own(ft_handle_bits(type), FT_TYPE_BYTE) && shape.extent == shape.size;
    return shape;
}

struct ft_shape ft_shape_ask(struct ft_rank *self, MPI_Datatype type)
{
    struct ft_shape shape = shape_read(self, type);

    if (!is_own(ft_handle_bits(type), FT_TYPE_BYTE) && shape.size >= 0)
        ft_shape_known[ft_handle_number(type) % FT_SHAPES] = shape;
    return shape;
}

int ft_op_ask(struct ft_rank *self, MPI_Op op, MPI_Datatype type)
{
    char in[1], out[1];
    int commutes;

    if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP ||
        PMPI_Op_commutative(ft_op_real(self, op), &commutes) != MPI_SUCCESS ||
        PMPI_Reduce_local(in, out, 0, ft_type_real(self, type), ft_op_real(self, op)) !=
            MPI_SUCCESS)
        return MPI_ERR_OP;
    if (!is_own(ft_handle_bits(op), FT_OP_BYTE) && !is_own(ft_handle_bits(type), FT_TYPE_BYTE)) {
        ft_op_known = op;
        ft_op_known_type = type;
    }
    return MPI_SUCCESS;
}

int ft_op_commutes(struct ft_rank *self, MPI_Op op)
{
    int commutes = 1;

    if (is_own(ft_handle_bits(op), FT_OP_BYTE))
        PMPI_Op_commutative(ft_op_real(self, op), &commutes);
    return commutes;
}
