/* chorus: collectives drawn from a seed. In each step all ranks of a communicator begin the same
 * one: blocking or not, in place or not, short or long, of any datatype, with even or uneven
 * blocks, on a communicator of any shape. Those that do not block stay open over many steps, each
 * rank ends them in an order of its own, and communicators are freed beneath them.
 *
 * Each contribution depends on all that its rank has received, so a wrong element anywhere changes
 * the end.
 *
 * arguments: [steps 300] [seed 1]
 *
 * ranks: 4
 * test: 300 1
 * soak: 1000 2
 * pace: 1500
 * kill: 1@hook:100
 * kill: 3@MPI_Iallreduce:6:exit
 * kill: 0@hook:180 2@hook:240
 */
#include "collective.h"
#include "draw.h"
#include "finish.h"
#include "program.h"

enum { OPEN = 10, MOST = COLLECTIVE_MOST };

enum shape { WORLD, HALVES, REVERSED, SIDES, GRID, GRAPH, ALONE, PART, SHAPES };

struct voice {                 /* a communicator */
    MPI_Comm comm;             /* MPI_COMM_NULL at those who are no members */
    int rank, size, others;    /* others: of the group that data comes from and goes to */
    int inter, side, sides[2]; /* sides: their sizes */
    int neighbours, in, out, sources[MOST], dests[MOST];
};

enum kind { BITS, NUMBER, PLACE, CHAIN, GAPS, KINDS };

struct element {
    MPI_Datatype type;
    MPI_Op op;
    int extent;
};

struct portion { /* what a rank gives or gets */
    char *data;
    int total;
    struct blocks blocks;
};

struct song { /* a collective */
    const struct voice *voice;
    const struct element *element;
    enum call call;
    int open, blocking, in_place, count, root, is_root, share; /* share: with the root */
    uint64_t id, salt;
    MPI_Request request;
    struct portion in, out;
};

static struct voice voices[SHAPES];
static struct song songs[OPEN];
static struct element elements[KINDS];
static uint64_t state, counted;

/* ---- Datatypes ---- */

/* Composition of maps x -> a x + b: not commutative. */
static void chain(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const uint64_t *first = in;
    uint64_t *then = inout;

    (void)type;
    for (int i = 0; i < *length; i++, first += 2, then += 2) {
        then[1] += then[0] * first[1];
        then[0] *= first[0];
    }
}

static void add_apart(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((uint64_t *)inout)[3 * i] += ((uint64_t *)in)[3 * i];
}

static void elements_make(void)
{
    elements[BITS] = (struct element){MPI_UINT64_T, MPI_BXOR, 8};
    elements[NUMBER] = (struct element){MPI_DOUBLE, MPI_SUM, 8};
    elements[PLACE] = (struct element){MPI_DOUBLE_INT, MPI_MAXLOC, 16};
    elements[CHAIN].extent = 16;
    MPI_Type_contiguous(2, MPI_UINT64_T, &elements[CHAIN].type);
    MPI_Op_create(chain, 0, &elements[CHAIN].op);
    elements[GAPS].extent = 24;
    MPI_Type_create_resized(MPI_UINT64_T, 0, 24, &elements[GAPS].type);
    MPI_Op_create(add_apart, 1, &elements[GAPS].op);
    for (int kind = CHAIN; kind <= GAPS; kind++)
        MPI_Type_commit(&elements[kind].type);
}

static void elements_free(void)
{
    for (int kind = CHAIN; kind <= GAPS; kind++) {
        MPI_Type_free(&elements[kind].type);
        MPI_Op_free(&elements[kind].op);
    }
}

static void element_set(const struct element *element, char *at, uint64_t value)
{
    double number = (double)(value >> 20) / 3.0;
    int place = (int)(value % 1000);

    if (element == &elements[NUMBER] || element == &elements[PLACE])
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &value, sizeof value);
    if (element == &elements[PLACE])
        memcpy(at + sizeof number, &place, sizeof place);
    if (element == &elements[CHAIN])
        memcpy(at + sizeof value, &seed, sizeof seed);
}

/* ---- Communicators ---- */

static void voice_settle(struct voice *voice)
{
    MPI_Comm_rank(voice->comm, &voice->rank);
    MPI_Comm_size(voice->comm, &voice->size);
    MPI_Comm_test_inter(voice->comm, &voice->inter);
    voice->others = voice->size;
    if (voice->inter)
        MPI_Comm_remote_size(voice->comm, &voice->others);
    voice->sides[voice->side] = voice->size;
    voice->sides[!voice->side] = voice->others;
}

static void make_sides(struct voice *voice, int lowest)
{
    MPI_Comm local;

    voice->side = rank >= lowest;
    MPI_Comm_split(MPI_COMM_WORLD, voice->side, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, voice->side ? 0 : lowest, 3, &voice->comm);
    MPI_Comm_free(&local);
}

static void make_grid(struct voice *voice, int periodic)
{
    int dims[2] = {0, 0}, periods[2] = {periodic, 1}, n = 0;

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &voice->comm);
    for (int d = 0; d < 2; d++, n += 2)
        MPI_Cart_shift(voice->comm, d, 1, &voice->sources[n], &voice->sources[n + 1]);
    memcpy(voice->dests, voice->sources, sizeof voice->dests);
    voice->in = voice->out = n;
    voice->neighbours = 1;
}

static void make_graph(struct voice *voice, int one, int other)
{
    int by[2] = {one, other};

    voice->in = voice->out = 2;
    for (int i = 0; i < 2; i++) {
        voice->dests[i] = (rank + by[i]) % size;
        voice->sources[i] = (rank + size - by[i] % size) % size;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, voice->sources, MPI_UNWEIGHTED, 2,
                                   voice->dests, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &voice->comm);
    voice->neighbours = 1;
}

/* All but `left_out`, who does not take part. */
static void make_part(struct voice *voice, int left_out)
{
    MPI_Group world, part;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &left_out, &part);
    if (rank != left_out)
        MPI_Comm_create_group(MPI_COMM_WORLD, part, left_out, &voice->comm);
    MPI_Group_free(&world);
    MPI_Group_free(&part);
}

static void voice_make(enum shape shape)
{
    struct voice *voice = &voices[shape];
    int one = draw(size - 1), other = draw(size);

    memset(voice, 0, sizeof *voice);
    voice->comm = MPI_COMM_NULL;
    switch (shape) {
    case HALVES:
        MPI_Comm_split(MPI_COMM_WORLD, (int)(mix(seed ^ (uint64_t)(rank + one)) % 2), rank,
                       &voice->comm);
        break;
    case REVERSED:
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &voice->comm);
        break;
    case SIDES:
        make_sides(voice, 1 + one);
        break;
    case GRID:
        make_grid(voice, other % 2);
        break;
    case GRAPH:
        make_graph(voice, one, other);
        break;
    case ALONE:
        MPI_Comm_dup(MPI_COMM_SELF, &voice->comm);
        break;
    case PART:
        make_part(voice, other);
        break;
    default:
        voice->comm = MPI_COMM_WORLD;
    }
    if (voice->comm != MPI_COMM_NULL)
        voice_settle(voice);
}

static void voice_again(void)
{
    enum shape shape = (enum shape)(1 + draw(SHAPES - 1));

    if (voices[shape].comm != MPI_COMM_NULL)
        MPI_Comm_free(&voices[shape].comm);
    voice_make(shape);
}

/* ---- Buffers ---- */

static int draw_count(void)
{
    switch (draw(8)) {
    case 0:
        return 0;
    case 1:
        return draw(6) ? draw(300) : 3000;
    case 2:
        return draw(300);
    default:
        return 1 + draw(20);
    }
}

/* Elements that `from` sends to `to`; `even`: to all as many. */
static int block_count(const struct song *song, int from, int to, int even)
{
    if (even)
        return song->count;
    if (song->in_place && from > to)
        return block_count(song, to, from, even);
    return (int)(mix(song->salt + (uint64_t)(from * 64 + to)) % (uint64_t)(song->count + 1));
}

/* Places the blocks, one element apart, where they may be apart. */
static void portion_place(const struct song *song, struct portion *portion, int count, int even)
{
    struct blocks *blocks = &portion->blocks;
    int extent = song->element->extent;

    portion->total = 0;
    for (int i = 0; i < count; i++) {
        int at = song->salt % 2 && !even ? count - 1 - i : i;

        blocks->displs[at] = portion->total;
        blocks->places[at] = (MPI_Aint)portion->total * extent;
        blocks->bytes[at] = portion->total * extent;
        blocks->types[at] = song->element->type;
        portion->total += blocks->counts[at] + !even;
    }
}

static void portion_fill(const struct song *song, struct portion *portion, uint64_t with)
{
    int extent = song->element->extent;

    portion->data = calloc((size_t)portion->total + 1, (size_t)extent);
    for (int i = 0; i < portion->total; i++)
        element_set(song->element, portion->data + (long)i * extent, mix(with + (uint64_t)i));
}

static int is_neighbours(const struct song *song)
{
    return song->call >= NEIGHBOR_ALLGATHER;
}

static int is_even(const struct song *song)
{
    switch (song->call) {
    case GATHERV:
    case SCATTERV:
    case ALLGATHERV:
    case ALLTOALLV:
    case ALLTOALLW:
    case REDUCE_SCATTER:
    case NEIGHBOR_ALLGATHERV:
    case NEIGHBOR_ALLTOALLV:
    case NEIGHBOR_ALLTOALLW:
        return 0;
    default:
        return 1;
    }
}

/* Whether what a rank gives is the same for all. */
static int is_spread(const struct song *song)
{
    return song->call == ALLGATHERV || song->call == NEIGHBOR_ALLGATHERV;
}

/* Numbers tell the ranks of both sides apart. */
static int number_of(const struct voice *voice, int side, int who)
{
    return voice->inter && side ? who + MOST : who;
}

static void song_lay(struct song *song)
{
    const struct voice *voice = song->voice;
    int even = is_even(song), gives = voice->others, gets = voice->others;
    int me = number_of(voice, voice->side, voice->rank), across = number_of(voice, !voice->side, 0);

    if (is_neighbours(song)) {
        gives = voice->out;
        gets = voice->in;
    }
    for (int i = 0; i < gives; i++) {
        int to = is_neighbours(song) ? voice->dests[i] : i + across;

        song->in.blocks.counts[i] = block_count(song, me, is_spread(song) ? me : to, even);
        if (song->call == REDUCE_SCATTER)
            song->in.blocks.counts[i] = block_count(song, to, to, even);
    }
    for (int i = 0; i < gets; i++) {
        int from = is_neighbours(song) ? voice->sources[i] : i + across;
        int same = is_spread(song) || song->call == REDUCE_SCATTER;

        song->out.blocks.counts[i] = block_count(song, from, same ? from : me, even);
    }
    portion_place(song, &song->in, gives, even);
    portion_place(song, &song->out, gets, even);
    portion_fill(song, &song->in, state);
    portion_fill(song, &song->out, state ^ seed);
}

/* ---- Songs ---- */

static int is_scatter(enum call call)
{
    return call == SCATTER || call == SCATTERV;
}

static void sing(struct song *song)
{
    const struct voice *voice = song->voice;
    int rooted = collective_has_root(song->call);
    struct collective made = {.call = song->call,
                              .blocking = song->blocking,
                              .count = song->count,
                              .mine = rooted ? song->share : song->in.blocks.counts[0],
                              .root = song->root,
                              .comm = voice->comm,
                              .type = song->element->type,
                              .op = song->element->op,
                              .give = song->in.data,
                              .get = song->out.data,
                              .in = &song->in.blocks,
                              .out = &song->out.blocks,
                              .request = &song->request};

    if (song->in_place && (!rooted || song->is_root) && !is_neighbours(song))
        *(is_scatter(song->call) ? &made.get : &made.give) = MPI_IN_PLACE;
    collective_make(&made);
}

/* Each rank ends those it likes, in the way it likes: the others need not wait for it. */
static void end_some(int share_of)
{
    struct song *chosen[OPEN];
    MPI_Request request[OPEN];
    uint64_t sum = 0;
    int count = 0;

    for (int i = 0; i < OPEN; i++)
        if (songs[i].open && draw_own(share_of) == 0) {
            chosen[count] = &songs[i];
            request[count++] = songs[i].request;
        }
    finish(count, request, draw_own(FINISH_WAYS));
    while (count-- > 0) {
        struct song *song = chosen[count];
        size_t bytes = (size_t)song->out.total * (size_t)song->element->extent;

        sum += mix(song->id ^ digest(1, song->out.data, bytes));
        free(song->in.data);
        free(song->out.data);
        song->open = 0;
    }
    state = mix(state + sum);
}

static struct song *free_song(void)
{
    for (;;) {
        for (int i = 0; i < OPEN; i++)
            if (!songs[i].open)
                return &songs[i];
        end_some(2);
    }
}

/* The ranks of one side of an intercommunicator are the roots of those of the other. */
static void song_root(struct song *song, int side, int root)
{
    const struct voice *voice = song->voice;
    int number = number_of(voice, side, root % (voice->inter ? voice->sides[side] : voice->size));
    int me = number_of(voice, voice->side, voice->rank);

    song->root = number % MOST;
    song->is_root = number == me;
    if (voice->inter && voice->side == side)
        song->root = song->is_root ? MPI_ROOT : MPI_PROC_NULL;
    song->share =
        song->call == GATHERV ? block_count(song, me, number, 0) : block_count(song, number, me, 0);
}

/* Avoids calls that crash natively in MPICH 4.0.2, or deliver other data than was sent: pairs,
 * which have a gap, in long messages. */
static void avoid_defects(struct song *song, enum shape shape)
{
    if (song->call == REDUCE && song->blocking)
        song->in_place = 0;
    if (song->call == BCAST && shape == SIDES)
        song->blocking = 1;
    if (song->element == &elements[PLACE] && (song->call < REDUCE || song->call > EXSCAN))
        song->element = &elements[BITS];
}

static void perform(int blocking)
{
    enum shape shape = (enum shape)draw(SHAPES);
    const struct voice *voice = &voices[shape];
    struct song song = {.voice = voice, .id = ++counted, .open = 1, .blocking = blocking};
    int side = draw(2), root = draw(MOST);
    struct song *kept;

    song.call = (enum call)draw(shape == GRID || shape == GRAPH ? CALLS : NEIGHBOR_ALLGATHER);
    if (shape == SIDES && song.call >= REDUCE_SCATTER)
        song.call = ALLREDUCE;
    song.element = &elements[draw(KINDS)];
    song.in_place = draw(4) == 0 && shape != SIDES;
    avoid_defects(&song, shape);
    song.count = draw_count();
    song.salt = mix(drawn);
    song.request = MPI_REQUEST_NULL;
    if (voice->comm == MPI_COMM_NULL)
        return;
    song_root(&song, side, root);
    song_lay(&song);
    kept = free_song();
    *kept = song;
    sing(kept);
}

static void operation(void)
{
    switch (draw(12)) {
    case 0:
        voice_again();
        break;
    case 1:
        elements_free();
        elements_make();
        break;
    case 2:
    case 3:
        perform(1);
        break;
    case 4:
    case 5:
    case 6:
        end_some(3);
        break;
    default:
        perform(0);
    }
}

int main(int argc, char **argv)
{
    program_start(&argc, &argv);
    check(size > 1 && size <= MOST, "number of ranks", size);
    seed = mix((uint64_t)argument(argc, argv, 2, 1));
    state = mix(seed ^ (uint64_t)rank);
    elements_make();
    for (int shape = 0; shape < SHAPES; shape++)
        voice_make((enum shape)shape);
    for (long number = 1; number <= argument(argc, argv, 1, 300); number++) {
        step(number);
        operation();
    }
    end_some(1);
    for (int shape = 1; shape < SHAPES; shape++)
        if (voices[shape].comm != MPI_COMM_NULL)
            MPI_Comm_free(&voices[shape].comm);
    elements_free();
    return program_end("chorus", state);
}
