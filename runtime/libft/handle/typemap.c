/* The type map of a datatype, from how it was made: each combiner is a list of places where its
 * part is repeated (MPI 4.0, sections 5.1.2 to 5.1.4). */
#include "handle/typemap.h"
#include "handle/handles.h"

struct part { /* what is repeated */
    struct ft_typemap map;
    int dense; /* 1: elements side by side have no gap */
};

static void run_add(struct ft_typemap *map, int64_t at, int64_t bytes)
{
    struct ft_run *last = map->count ? &map->run[map->count - 1] : NULL;

    if (bytes <= 0)
        return;
    if (last && last->at + last->bytes == at) {
        last->bytes += bytes;
    } else {
        if (map->count == map->room) {
            map->room = 2 * map->room + 8;
            map->run = ft_image_realloc(map->run, (size_t)map->room * sizeof(*map->run));
        }
        map->run[map->count++] = (struct ft_run){at, bytes, map->bytes};
    }
    map->bytes += bytes;
}

static void repeat(struct ft_typemap *map, const struct part *part, int64_t count, int64_t at)
{
    const struct ft_typemap *old = &part->map;

    if (part->dense) {
        run_add(map, at + old->run[0].at, count * old->bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; r < old->count; r++)
            run_add(map, at + i * old->extent + old->run[r].at, old->run[r].bytes);
}

static void part_make(struct ft_rank *self, MPI_Datatype type, struct part *part)
{
    ft_typemap_make(self, type, &part->map);
    part->dense = part->map.count == 1 && part->map.bytes == part->map.extent;
}

/* One part, blocks of one length at one distance: i and a are what get_contents tells. */
static void fill_vector(struct ft_typemap *map, const struct part *part, int combiner, const int *i,
                        const MPI_Aint *a)
{
    int64_t stride =
        combiner == MPI_COMBINER_HVECTOR ? (int64_t)a[0] : (int64_t)i[2] * part->map.extent;

    for (int block = 0; block < i[0]; block++)
        repeat(map, part, i[1], block * stride);
}

/* One part, blocks at places of their own. */
static void fill_blocks(struct ft_typemap *map, const struct part *part, int combiner, const int *i,
                        const MPI_Aint *a)
{
    for (int block = 0; block < i[0]; block++) {
        int64_t extent = part->map.extent;

        switch (combiner) {
        case MPI_COMBINER_INDEXED:
            repeat(map, part, i[1 + block], i[1 + i[0] + block] * extent);
            break;
        case MPI_COMBINER_HINDEXED:
            repeat(map, part, i[1 + block], (int64_t)a[block]);
            break;
        case MPI_COMBINER_INDEXED_BLOCK:
            repeat(map, part, i[1], i[2 + block] * extent);
            break;
        default:
            repeat(map, part, i[1], (int64_t)a[block]);
            break;
        }
    }
}

static void fill_struct(struct ft_rank *self, struct ft_typemap *map, const struct ft_type *type)
{
    for (int block = 0; block < type->parts; block++) {
        struct part part;

        part_make(self, type->part[block], &part);
        repeat(map, &part, type->integer[1 + block], (int64_t)type->address[block]);
        ft_typemap_free(&part.map);
    }
}

/* A dimension of an array: the process has `length` elements from `first` on, and again each
 * `period` elements, below `end`. */
struct dimension {
    int64_t first, length, period, end;
    int64_t stride; /* bytes from one element to the next */
};

/* dimension[0] changes slowest. */
static void fill_array(struct ft_typemap *map, const struct part *part, int n,
                       const struct dimension *dimension, int64_t at)
{
    for (int64_t start = dimension->first; start < dimension->end; start += dimension->period) {
        int64_t length = dimension->end - start;

        length = length < dimension->length ? length : dimension->length;
        if (n == 1) {
            repeat(map, part, length, at + start * dimension->stride);
            continue;
        }
        for (int64_t i = 0; i < length; i++)
            fill_array(map, part, n - 1, dimension + 1, at + (start + i) * dimension->stride);
    }
}

/* Sets the strides of n dimensions of these sizes; place[d]: of the program's dimension d. */
static void strides_set(struct dimension *dimension, int n, const int *sizes, int order,
                        int64_t extent)
{
    for (int place = n - 1; place >= 0; place--) {
        int d = order == MPI_ORDER_C ? place : n - 1 - place;

        dimension[place].stride = extent;
        extent *= sizes[d];
    }
}

static void fill_subarray(struct ft_typemap *map, const struct part *part, const int *i)
{
    int n = i[0], order = i[1 + 3 * n];
    struct dimension *dimension = ft_image_alloc((size_t)n * sizeof(*dimension));

    for (int place = 0; place < n; place++) {
        int d = order == MPI_ORDER_C ? place : n - 1 - place;
        int64_t length = i[1 + n + d], start = i[1 + 2 * n + d];

        dimension[place] = (struct dimension){start, length, length + 1, start + length, 0};
    }
    strides_set(dimension, n, i + 1, order, part->map.extent);
    fill_array(map, part, n, dimension, 0);
    ft_image_free(dimension);
}

/* The share of process number `mine` of `processes` in `size` elements. */
static struct dimension share(int64_t size, int distribution, int argument, int processes, int mine)
{
    struct dimension all = {0, size, size + 1, size, 0};
    int64_t block = argument;

    if (distribution == MPI_DISTRIBUTE_NONE || size == 0)
        return all;
    if (distribution == MPI_DISTRIBUTE_CYCLIC) {
        block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
        return (struct dimension){mine * block, block, processes * block, size, 0};
    }
    if (argument == MPI_DISTRIBUTE_DFLT_DARG)
        block = (size + processes - 1) / processes;
    return (struct dimension){mine * block, block, size + 1, size, 0};
}

/* i: size, rank, n, then arrays of n each: sizes, distributions, arguments, processes; order. The
 * processes stand in row-major order, whatever that of the array is. */
static void fill_darray(struct ft_typemap *map, const struct part *part, const int *i)
{
    int n = i[2], order = i[3 + 4 * n], rank = i[1];
    const int *sizes = i + 3, *processes = i + 3 + 3 * n;
    struct dimension *dimension = ft_image_alloc((size_t)n * sizeof(*dimension));

    for (int d = n - 1; d >= 0; d--) {
        int place = order == MPI_ORDER_C ? d : n - 1 - d;

        dimension[place] =
            share(sizes[d], i[3 + n + d], i[3 + 2 * n + d], processes[d], rank % processes[d]);
        rank /= processes[d];
    }
    strides_set(dimension, n, sizes, order, part->map.extent);
    fill_array(map, part, n, dimension, 0);
    ft_image_free(dimension);
}

/* Taken for bytes without a gap, as ROMIO takes them: MPI_SHORT_INT alone has one in front of its
 * last byte. */
static void fill_basic(struct ft_typemap *map, MPI_Datatype real)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(real, &size);
    run_add(map, 0, (int64_t)size);
}

static void fill(struct ft_rank *self, struct ft_typemap *map, const struct ft_type *type)
{
    struct part part;
    const int *i = type->integer;

    if (type->combiner == MPI_COMBINER_STRUCT) {
        fill_struct(self, map, type);
        return;
    }
    part_make(self, type->part[0], &part);
    switch (type->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
        repeat(map, &part, i[0], 0);
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        fill_vector(map, &part, type->combiner, i, type->address);
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        fill_blocks(map, &part, type->combiner, i, type->address);
        break;
    case MPI_COMBINER_SUBARRAY:
        fill_subarray(map, &part, i);
        break;
    case MPI_COMBINER_DARRAY:
        fill_darray(map, &part, i);
        break;
    default: /* DUP, RESIZED */
        repeat(map, &part, 1, 0);
        break;
    }
    ft_typemap_free(&part.map);
}

void ft_typemap_make(struct ft_rank *self, MPI_Datatype handle, struct ft_typemap *map)
{
    const struct ft_type *type = ft_type_of(self, handle);
    MPI_Count low, extent = 0;

    *map = (struct ft_typemap){0};
    ft_depth++;
    PMPI_Type_get_extent_x(ft_type_real(self, handle), &low, &extent);
    map->extent = (int64_t)extent;
    if (type == NULL || type->parts == 0)
        fill_basic(map, ft_type_real(self, handle));
    else
        fill(self, map, type);
    ft_depth--;
}

void ft_typemap_free(struct ft_typemap *map)
{
    ft_image_free(map->run);
    *map = (struct ft_typemap){0};
}
