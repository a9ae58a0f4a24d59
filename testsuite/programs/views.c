/* views: files of MPI-IO seen through datatypes of all constructors, drawn from the number of the
 * step; written together and alone, from memory with gaps, and read back through other views. The
 * harness compares the files.
 *
 * arguments: [steps 200]
 *
 * ranks: 3
 * test: 60
 * soak: 400
 * options: --checkpoint-every 8
 * pace: 3000
 * kill: 1@hook:25
 * kill: 2@MPI_File_set_view:40:exit
 */
#include "program.h"

#define MOST 4096

static unsigned char bytes[MOST], got[MOST];

static int draw(long number, int place, int below)
{
    return (int)(mix((uint64_t)number * 64 + (uint64_t)place) % (uint64_t)below);
}

static MPI_Datatype array_make(long number, MPI_Datatype part, int order)
{
    int sizes[2] = {3 + draw(number, 1, 4), 3 * (1 + draw(number, 2, 4))};
    int distribution[2] = {MPI_DISTRIBUTE_NONE,
                           number % 2 ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK};
    int block[2] = {MPI_DISTRIBUTE_DFLT_DARG,
                    number % 4 == 1 && sizes[1] >= 6 ? 2 : MPI_DISTRIBUTE_DFLT_DARG};
    int grid[2] = {1, size}, starts[2] = {0, rank * (sizes[1] / 3)},
        parts[2] = {sizes[0], sizes[1] / 3};
    MPI_Datatype type;

    if (number % 4 == 3)
        MPI_Type_create_subarray(2, sizes, parts, starts, order, part, &type);
    else
        MPI_Type_create_darray(size, rank, 2, sizes, distribution, block, grid, order, part, &type);
    return type;
}

/* Each rank has every third slot of `slot` bytes. */
static MPI_Datatype slots_make(long number, MPI_Datatype part, MPI_Aint slot)
{
    int count = 2 + draw(number, 3, 4), lengths[8];
    MPI_Aint places[8];
    MPI_Datatype type, all, parts[8];

    for (int i = 0; i < count; i++) {
        lengths[i] = 1;
        parts[i] = part;
        places[i] = (i * size + rank) * slot;
    }
    if (number % 3 == 0)
        MPI_Type_create_hindexed(count, lengths, places, part, &type);
    else if (number % 3 == 1)
        MPI_Type_create_struct(count, lengths, places, parts, &type);
    else
        MPI_Type_create_hindexed_block(count, 1, places, part, &type);
    MPI_Type_create_resized(type, 0, count * size * slot, &all);
    MPI_Type_free(&type);
    return all;
}

static MPI_Datatype filetype_make(long number, MPI_Datatype part)
{
    MPI_Aint low, extent;
    MPI_Datatype type;

    MPI_Type_get_extent(part, &low, &extent);
    if (number % 2)
        type = array_make(number, part, draw(number, 4, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
    else
        type = slots_make(number, part, extent + draw(number, 5, 3));
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype part_make(long number)
{
    static const MPI_Datatype basic[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_FLOAT_INT};
    MPI_Datatype part, old = basic[draw(number, 6, 5)];

    if (draw(number, 7, 2))
        MPI_Type_vector(2, 1, 2, old, &part);
    else
        MPI_Type_contiguous(1 + draw(number, 8, 5), old, &part);
    MPI_Type_commit(&part);
    return part;
}

/* Memory of every second byte. */
static MPI_Datatype memory_make(int count)
{
    MPI_Datatype type;

    MPI_Type_vector(count, 1, 2, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static uint64_t write_and_read(MPI_File file, long number, int count)
{
    MPI_Datatype memory = memory_make(count);
    MPI_Offset at = 0, byte = 0, end = 0;
    MPI_Status status;
    int done = 0;

    for (int i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)mix((uint64_t)(number * MOST + i) * (uint64_t)(rank + 1));
    switch (number % 4) {
    case 0:
        MPI_File_write_all(file, bytes, 1, memory, &status);
        break;
    case 1:
        MPI_File_write(file, bytes, count, MPI_BYTE, &status);
        break;
    case 2:
        MPI_File_write_at_all(file, 0, bytes, count, MPI_BYTE, &status);
        break;
    default:
        MPI_File_write_at(file, 0, bytes, 1, memory, &status);
        break;
    }
    MPI_Get_count(&status, MPI_BYTE, &done);
    check(done == count, "written", number);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(got, 0, sizeof got);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, got, 1, memory, &status);
    MPI_File_get_position(file, &at);
    MPI_File_get_byte_offset(file, at, &byte);
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &end);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&memory);
    return digest((uint64_t)(at * 1000 + byte * 7 + end), got, sizeof got);
}

static uint64_t view_step(long number)
{
    MPI_Datatype part = part_make(number), filetype = filetype_make(number, part);
    int part_bytes, type_bytes, count;
    uint64_t value;
    char name[32];
    MPI_File file;

    MPI_Type_size(part, &part_bytes);
    MPI_Type_size(filetype, &type_bytes);
    count = type_bytes * (1 + draw(number, 9, 3)) - part_bytes * draw(number, 10, 2);
    snprintf(name, sizeof name, "view.%ld", number % 5);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file,
                      MOST); /* ROMIO writes what it happens to have into holes behind the end */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(file, draw(number, 11, 50), part, filetype, "native", MPI_INFO_NULL);
    value = write_and_read(file, number, count);
    MPI_File_close(&file);
    MPI_Type_free(&filetype);
    MPI_Type_free(&part);
    return value;
}

int main(int argc, char **argv)
{
    uint64_t value = 1;

    program_start(&argc, &argv);
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        value = mix(value ^ view_step(number));
    }
    return program_end("views", value);
}
