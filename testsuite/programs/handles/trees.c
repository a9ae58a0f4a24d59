/* trees: datatypes of every constructor, whose parts the program has freed, in two epochs: what a
 * message of them carries, their bounds, their decoding, names, attributes, pack and unpack. */
#include <stddef.h>
#include "epoch.h"

static int rank, size;

#define BYTES 4096
static unsigned char out[BYTES], in[BYTES];

static unsigned hash(const unsigned char *bytes, int count)
{
    unsigned value = 5381;

    for (int i = 0; i < count; i++)
        value = value * 33 + bytes[i];
    return value;
}

static void decode(const char *what, MPI_Datatype type, int depth)
{
    int integers, addresses, types, combiner, integer[64];
    MPI_Aint address[64];
    MPI_Datatype part[16];
    unsigned sum = 0;

    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    printf("%d %s %*scombiner %d (%d %d %d)\n", rank, what, depth, "", combiner, integers, addresses,
           types);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    MPI_Type_get_contents(type, 64, 64, 16, integer, address, part);
    for (int i = 0; i < integers; i++)
        sum = sum * 31 + (unsigned)integer[i];
    for (int i = 0; i < addresses; i++)
        sum = sum * 31 + (unsigned)address[i];
    printf("%d %s %*scontents %u\n", rank, what, depth, "", sum);
    for (int i = 0; i < types; i++) {
        int a, b, c, kind;

        decode(what, part[i], depth + 1);
        MPI_Type_get_envelope(part[i], &a, &b, &c, &kind);
        if (kind != MPI_COMBINER_NAMED)
            MPI_Type_free(&part[i]);
    }
}

/* Sends one of `type` around the ring and tells what arrived. */
static void tell(const char *what, MPI_Datatype type)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Status status;
    int bytes, count, elements, position = 0, packed;
    char name[MPI_MAX_OBJECT_NAME];
    static unsigned char pack[BYTES];

    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_size(type, &bytes);
    MPI_Type_get_name(type, name, &count);
    memset(in, 0, BYTES);
    for (int i = 0; i < BYTES; i++)
        out[i] = (unsigned char)(i * 7 + rank);
    MPI_Sendrecv(out + 512, 1, type, (rank + 1) % size, 3, in + 512, 1, type,
                 (rank + size - 1) % size, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    printf("%d %s extent %ld %ld true %ld %ld size %d name '%s' count %d elements %d got %u\n", rank,
           what, lb, extent, true_lb, true_extent, bytes, name, count, elements, hash(in, BYTES));
    MPI_Pack_size(1, type, MPI_COMM_WORLD, &packed);
    MPI_Pack(out + 512, 1, type, pack, BYTES, &position, MPI_COMM_WORLD);
    memset(in, 0, BYTES);
    count = position;
    position = 0;
    MPI_Unpack(pack, count, &position, in + 512, 1, type, MPI_COMM_WORLD);
    printf("%d %s pack %d of %d got %u\n", rank, what, count, packed, hash(in, BYTES));
    decode(what, type, 0);
}

static void commit_free(MPI_Datatype *type, MPI_Datatype *part)
{
    MPI_Type_commit(type);
    MPI_Type_free(part);
    CHECK(*part == MPI_DATATYPE_NULL);
}

static void constructors(void)
{
    int lengths[3] = {1, 2, 3}, offsets[3] = {0, 4, 9}, sizes[2] = {6, 8}, subsizes[2] = {2, 3};
    int starts[2] = {1, 2}, distribute[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {2, 2};
    MPI_Aint places[3] = {0, 40, 104};
    MPI_Datatype pair, type[16], parts[3] = {MPI_INT, MPI_DATATYPE_NULL, MPI_DOUBLE_INT};
    const char *names[16] = {"contiguous", "vector", "hvector", "indexed", "hindexed",
                             "indexed_block", "hindexed_block", "struct", "subarray", "darray",
                             "resized", "dup", "f90", "deep", "zero", "plain"};
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_contiguous(3, pair, &type[0]);
    MPI_Type_vector(3, 2, 4, pair, &type[1]);
    MPI_Type_create_hvector(3, 2, 40, pair, &type[2]);
    MPI_Type_indexed(3, lengths, offsets, pair, &type[3]);
    MPI_Type_create_hindexed(3, lengths, places, pair, &type[4]);
    MPI_Type_create_indexed_block(3, 2, offsets, pair, &type[5]);
    MPI_Type_create_hindexed_block(3, 2, places, pair, &type[6]);
    parts[1] = pair;
    MPI_Type_create_struct(3, lengths, places, parts, &type[7]);
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, pair, &type[8]);
    MPI_Type_create_darray(4, rank % 4, 2, sizes, distribute, arguments, grid, MPI_ORDER_FORTRAN,
                           MPI_DOUBLE, &type[9]);
    MPI_Type_create_resized(pair, -4, 32, &type[10]);
    MPI_Type_dup(type[7], &type[11]);
    MPI_Type_create_f90_real(6, 30, &type[12]);
    MPI_Type_contiguous(1, pair, &type[13]);
    for (int i = 0; i < 20; i++) {
        MPI_Datatype next;

        MPI_Type_create_resized(type[13], 0, 16 + i, &next);
        MPI_Type_free(&type[13]);
        type[13] = next;
    }
    MPI_Type_contiguous(0, pair, &type[14]);
    MPI_Type_contiguous(1, MPI_DOUBLE, &type[15]);
    commit_free(&type[0], &pair);
    for (int i = 1; i < 16; i++)
        if (i != 12)
            MPI_Type_commit(&type[i]);
    MPI_Type_set_name(type[3], "three blocks");
    MPI_Type_set_name(MPI_INT, "a number");
    MPI_Type_free(&type[7]);
    EPOCHS {
        for (int i = 0; i < 16; i++)
            if (type[i] != MPI_DATATYPE_NULL)
                tell(names[i], type[i]);
        MPI_Type_get_name(MPI_INT, name, &length);
        printf("%d '%s' %d\n", rank, name, length);
    }
    for (int i = 0; i < 16; i++)
        if (type[i] != MPI_DATATYPE_NULL && i != 12)
            MPI_Type_free(&type[i]);
}

static int copies, drops;

static int copy(MPI_Datatype type, int key, void *extra, void *value, void *made, int *flag)
{
    int bytes;

    (void)key;
    MPI_Type_size(type, &bytes);
    copies += bytes + *(int *)extra;
    *(void **)made = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Datatype type, int key, void *value, void *extra)
{
    int bytes;

    (void)key, (void)value;
    MPI_Type_size(type, &bytes);
    drops += bytes + *(int *)extra;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    static int extra = 100;
    static char text[8];
    int key, null, found;
    MPI_Datatype type, made;
    char *value;

    MPI_Type_create_keyval(copy, drop, &key, &extra);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &null, NULL);
    MPI_Type_contiguous(5, MPI_INT, &type);
    MPI_Type_set_attr(type, key, text);
    MPI_Type_set_attr(type, null, text);
    MPI_Type_set_attr(MPI_INT, key, text + 4);
    EPOCHS {
        MPI_Type_dup(type, &made);
        MPI_Type_get_attr(made, key, &value, &found);
        printf("%d attribute %d %ld copies %d\n", rank, found, (long)(value - text), copies);
        MPI_Type_get_attr(made, null, &value, &found);
        MPI_Type_free(&made);
        printf("%d null %d drops %d\n", rank, found, drops);
        MPI_Type_get_attr(MPI_INT, key, &value, &found);
        printf("%d int %d %ld\n", rank, found, (long)(value - text));
    }
    MPI_Type_delete_attr(type, key);
    MPI_Type_free(&type);
    MPI_Type_delete_attr(MPI_INT, key);
    MPI_Type_free_keyval(&key);
    MPI_Type_free_keyval(&null);
    printf("%d at the end drops %d key %d\n", rank, drops, key == MPI_KEYVAL_INVALID);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 65536);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    constructors();
    attributes();
    for (int i = 0; i < 100000; i++) {
        MPI_Datatype type;

        MPI_Type_vector(3, 2, 4, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&type);
    }
    MPI_Finalize();
    return 0;
}
