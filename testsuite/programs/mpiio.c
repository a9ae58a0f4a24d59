/* mpiio: files of MPI-IO that are open over checkpoints and failures: a field that is written
 * through subarrays, a log by the shared pointer in turns and in the order of ranks, a table with
 * strided, non-blocking and split transfers, and files opened and closed in each step. The harness
 * compares the working directory afterwards.
 *
 * arguments: [steps 200]
 *
 * ranks: 4
 * test: 60
 * soak: 200
 * options: --checkpoint-every 8
 * pace: 5000
 * kill: 1@hook:20
 * kill: 0@call:400:exit
 * kill: 2@MPI_File_write_all:30
 * kill: 3@MPI_File_write_ordered:25 3@MPI_File_iwrite_at:40
 */
#include "program.h"

#define SIDE 24

static MPI_File field, log_file, table;
static MPI_Datatype tile, stride;
static int values[SIDE * SIDE];

static MPI_File open_file(const char *name, int amode)
{
    MPI_File file;

    check(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file) == MPI_SUCCESS, name, 0);
    return file;
}

static void files_open(void)
{
    int sizes[2] = {SIDE, SIDE}, parts[2] = {SIDE, SIDE / size},
        starts[2] = {0, rank * (SIDE / size)};
    MPI_Datatype blocks;

    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &tile);
    MPI_Type_commit(&tile);
    MPI_Type_vector(8, 3, 3 * size, MPI_INT, &blocks);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)(24 * (size_t)size * sizeof(int)), &stride);
    MPI_Type_free(&blocks);
    MPI_Type_commit(&stride);
    field = open_file("field", MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_File_set_view(field, 0, MPI_INT, tile, "native", MPI_INFO_NULL);
    log_file = open_file("log", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    table = open_file("table", MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_File_set_view(table, (MPI_Offset)rank * 12, MPI_INT, stride, "native", MPI_INFO_NULL);
}

static void values_fill(long number, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = (int)mix((uint64_t)(number * 1000 + i) * (uint64_t)(rank + 1));
}

static int counted(MPI_Status *status)
{
    int count;

    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

/* The whole field, and the tile again. */
static uint64_t field_step(long number)
{
    int mine = SIDE * SIDE / size;
    MPI_Status status;

    values_fill(number, mine);
    MPI_File_seek(field, 0, MPI_SEEK_SET);
    MPI_File_write_all(field, values, mine, MPI_INT, &status);
    check(counted(&status) == mine, "written", number);
    memset(values, 0, sizeof values);
    MPI_File_read_at(field, 0, values, mine, MPI_INT, &status);
    check(counted(&status) == mine, "read", number);
    return digest((uint64_t)number, values, (size_t)mine * sizeof(int));
}

/* Lines in the order of ranks, and one each in turns. */
static void log_step(long number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "step %ld rank %d\n", number, rank), token = 0;

    MPI_File_write_ordered(log_file, line, length, MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_write_shared(log_file, line, length - (int)(number % 3), MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static uint64_t table_step(long number)
{
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Offset at = (MPI_Offset)(mix((uint64_t)number) % 20) * 3;
    int got[48] = {0};

    values_fill(number + 7, 48);
    MPI_File_iwrite_at(table, at, values, 24, MPI_INT, &request[0]);
    MPI_File_iwrite_at(table, at + 24, values + 24, 24, MPI_INT, &request[1]);
    MPI_Waitall(2, request, status);
    check(counted(&status[0]) == 24 && counted(&status[1]) == 24, "iwrite", number);
    MPI_File_read_at_all_begin(table, at, got, 48, MPI_INT);
    MPI_File_read_at_all_end(table, got, status);
    check(counted(status) == 48, "split", number);
    check(memcmp(got, values, sizeof got) == 0, "table", number);
    return digest(3, got, sizeof got);
}

static uint64_t short_step(long number)
{
    MPI_File file = open_file("short", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_APPEND);
    MPI_Offset bytes = 0;
    char mark = (char)('a' + number % 26);

    MPI_File_write_ordered(file, &mark, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    if (number % 7 == 0)
        MPI_File_set_size(file, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(file, &bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&file);
    return (uint64_t)bytes;
}

int main(int argc, char **argv)
{
    uint64_t value = 1;

    program_start(&argc, &argv);
    files_open();
    for (long number = 1; number <= argument(argc, argv, 1, 200); number++) {
        step(number);
        value = mix(value ^ field_step(number));
        log_step(number);
        value = mix(value ^ table_step(number));
        value = mix(value ^ short_step(number));
    }
    MPI_File_close(&field);
    MPI_File_close(&log_file);
    MPI_File_close(&table);
    MPI_Type_free(&tile);
    MPI_Type_free(&stride);
    return program_end("mpiio", value);
}
