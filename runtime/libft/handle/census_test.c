/* Censuses and tombstones on a simulated machine: ranks in arenas of memory make and free
 * thousands of communicators, clusters take checkpoints and roll back at random moments, also
 * while some members have come to the end of a making and others have not. Held against: what
 * one rank brings into its list all members do, never too many at a time, everybody comes to the
 * end, and then no tombstone stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "handle/handles.h"

enum { RANKS = 4, CLUSTERS = 2, BIRTHS = 2600, LIVES = 5, KEPT = 2, MOST = 1100 };
enum { ARENA = 48 << 20, WORDS = 64 };

struct actor { /* at the beginning of each arena */
    size_t used;
    struct ft_rank rank;
    struct ft_recorder recorder;
    struct ft_handles handles;
    int at;                      /* birth that it comes to */
    struct ft_comm *birth;       /* under way */
    struct ft_comm *live[LIVES]; /* by number of birth */
};

struct image {
    char *arena; /* what was used of it */
    uint64_t word[WORDS];
    uint64_t words;
};

static char *arena[RANKS];
static struct image kept[CLUSTERS][KEPT][RANKS]; /* oldest first */
static int kept_count[CLUSTERS];
static int arrived[BIRTHS][2], agreed[BIRTHS][2]; /* bits of ranks; numbers; by color */
static int makers[BIRTHS][2];                     /* ranks inside of the making, in this epoch */
static int entered, ended;                        /* the making, in this turn */
static _Thread_local int acting;

static pthread_barrier_t meeting;
static const void *given[RANKS];
static int given_ints[RANKS];

struct ft_life ft_life;

static struct actor *actor_of(int rank)
{
    return (struct actor *)arena[rank];
}

void *ft_image_alloc(size_t bytes)
{
    struct actor *actor = actor_of(acting);
    char *block = arena[acting] + actor->used;

    actor->used += (bytes + 15) & ~(size_t)15;
    assert_true(actor->used < ARENA);
    return memset(block, 0, bytes);
}

void ft_image_free(void *block)
{
    (void)block;
}

void ft_panic(const char *format, ...)
{
    fail_msg("panic: %s", format);
    abort();
}

void ft_must(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fail_msg("%s", what);
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    (void)payload;
    (void)tail;
    return socket + (int)(length + tail_length) + fd < (int)type ? 0 : -1;
}

int PMPI_Error_class(int code, int *class)
{
    *class = code;
    return MPI_SUCCESS;
}

static void all_give(const void *mine, int ints)
{
    given[acting] = mine;
    given_ints[acting] = ints;
    pthread_barrier_wait(&meeting);
}

int PMPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int each,
                   MPI_Datatype all_type, MPI_Comm comm)
{
    (void)type;
    (void)all_type;
    (void)comm;
    all_give(mine, count);
    for (int i = 0; i < RANKS; i++)
        memcpy((int *)all + i * each, given[i], (size_t)each * sizeof(int));
    pthread_barrier_wait(&meeting);
    return MPI_SUCCESS;
}

int PMPI_Allgatherv(const void *mine, int count, MPI_Datatype type, void *all, const int *counts,
                    const int *places, MPI_Datatype all_type, MPI_Comm comm)
{
    (void)type;
    (void)all_type;
    (void)comm;
    all_give(mine, count);
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(counts[i], given_ints[i]);
        memcpy((int *)all + places[i], given[i], (size_t)counts[i] * sizeof(int));
    }
    pthread_barrier_wait(&meeting);
    return MPI_SUCCESS;
}

/* Communicator k is of all ranks, of all but one, or one of two halves. */
static int color_of(int k, int rank)
{
    if (k % 3 == 0)
        return 0;
    if (k % 3 == 1)
        return rank == k / 3 % RANKS ? -1 : 0;
    return rank % 2;
}

static int members_of(int k, int color)
{
    int members = 0;

    for (int i = 0; i < RANKS; i++)
        members |= (color_of(k, i) == color) << i;
    return members;
}

void ft_comm_identify(struct ft_rank *self, const struct ft_comm *parent, uint64_t clock,
                      struct ft_comm *comm)
{
    (void)parent;
    comm->id = 100 + clock * 2 + (uint64_t)color_of((int)clock, self->rank);
}

void ft_comm_discard(struct ft_comm *comm)
{
    (void)comm;
}

void ft_comm_destroy(struct ft_rank *self, struct ft_comm *comm)
{
    DL_DELETE(self->handles->comm, comm);
    ft_comm_bury(self, comm);
}

void ft_comm_hint_real(struct ft_rank *self, const struct ft_comm *comm)
{
    (void)self;
    (void)comm;
}

void ft_topology_free(struct ft_topology *topology)
{
    (void)topology;
}

void ft_table_replace(struct ft_table *table, uint32_t bits, void *object)
{
    (void)table;
    (void)bits;
    (void)object;
}

void ft_table_remove(struct ft_table *table, uint32_t bits)
{
    (void)table;
    (void)bits;
}

int ft_making_runs(const struct ft_comm *comm)
{
    return comm->number == -1;
}

/* The members come to the end one by one, when all have begun. */
int ft_making_turn(struct ft_rank *self, struct ft_comm *comm, int *code)
{
    int k = actor_of(self->rank)->at, color = color_of(k, self->rank);

    *code = MPI_SUCCESS;
    entered = 1;
    ended = makers[k][color] == members_of(k, color);
    makers[k][color] |= 1 << self->rank;
    return ended && comm->size > 0;
}

static void actor_start(int rank)
{
    struct actor *actor = actor_of(rank);

    memset(actor, 0, sizeof *actor);
    actor->used = (sizeof *actor + 15) & ~(size_t)15;
    actor->rank.handles = &actor->handles;
    actor->rank.recorder = &actor->recorder;
    actor->rank.rank = rank;
    actor->rank.size = RANKS;
    actor->handles.number_next = FT_LANE_FIRST / 2;
}

static void conceive(struct actor *actor, int color)
{
    struct ft_birth birth = {.clock = (uint64_t)actor->at, .number = agreed[actor->at][color]};
    struct ft_comm none = {0};

    birth.lane = 2 * birth.number;
    birth.local = birth.world = ft_image_alloc(RANKS * sizeof(int));
    for (int i = 0; i < RANKS; i++)
        if (color_of(actor->at, i) == color)
            birth.local[birth.size++] = i;
    birth.peers = birth.size;
    ft_number_take(&actor->rank, birth.number);
    actor->birth = ft_comm_conceive(&actor->rank, &none, &birth);
}

/* All members have said their proposal, in this life or an earlier one. */
static void arrive(struct actor *actor, int color)
{
    int members = members_of(actor->at, color), *number = &agreed[actor->at][color];

    if (!(arrived[actor->at][color] & 1 << actor->rank.rank) &&
        *number < ft_number_propose(&actor->rank))
        *number = ft_number_propose(&actor->rank);
    arrived[actor->at][color] |= 1 << actor->rank.rank;
    if (arrived[actor->at][color] == members)
        conceive(actor, color);
}

static void live_free(struct actor *actor, struct ft_comm **live)
{
    struct ft_comm *comm = *live;

    if (!comm)
        return;
    comm->handle = MPI_COMM_NULL;
    ft_number_take(&actor->rank, comm->number);
    ft_comm_destroy(&actor->rank, comm);
    *live = NULL;
}

static void go_on(struct actor *actor)
{
    actor->birth = NULL;
    actor->at++;
    if (actor->at == BIRTHS)
        for (int i = 0; i < LIVES; i++)
            live_free(actor, &actor->live[i]);
    else
        live_free(actor, &actor->live[actor->at % LIVES]);
}

/* One turn of one rank. Answers 1 when it asks for another epoch. */
static int turn(int rank)
{
    struct actor *actor = actor_of(rank);
    int color, code;

    acting = rank;
    if (actor->at == BIRTHS)
        return 0;
    color = color_of(actor->at, rank);
    if (color < 0) {
        go_on(actor);
        return 0;
    }
    if (!actor->birth)
        arrive(actor, color);
    if (!actor->birth)
        return 0;
    entered = 0;
    if (!ft_comm_bear(&actor->rank, &actor->birth, &code))
        return !entered;
    assert_int_equal(code, MPI_SUCCESS);
    actor->birth->handle = 1 + actor->at;
    actor->live[actor->at % LIVES] = actor->birth;
    go_on(actor);
    return 0;
}

static struct ft_comm *find(struct ft_comm *list, uint64_t id)
{
    struct ft_comm *comm;

    DL_SEARCH_SCALAR(list, comm, id, id);
    return comm;
}

static void check_lists(void)
{
    for (int rank = 0; rank < RANKS; rank++) {
        struct ft_comm *comm;
        int count = 0;

        DL_FOREACH (actor_of(rank)->handles.comm, comm) {
            count++;
            for (int i = 0; i < comm->size; i++)
                assert_non_null(find(actor_of(comm->local[i])->handles.comm, comm->id));
        }
        assert_true(count < MOST);
    }
}

static void gone(struct ft_rank *self, const struct ft_comm *comm)
{
    (void)self;
    assert_true(ft_comm_is_past(comm));
}

static void *census(void *argument)
{
    acting = (int)(intptr_t)argument;
    ft_census_take(&actor_of(acting)->rank);
    ft_tombs_drop(&actor_of(acting)->rank, gone);
    return NULL;
}

static void epoch_begin(void)
{
    pthread_t thread[RANKS];

    memset(makers, 0, sizeof makers);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, census, (void *)(intptr_t)i), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(thread[i], NULL);
    check_lists();
}

static void cluster_go_back(int cluster)
{
    for (int rank = cluster; rank < RANKS; rank += CLUSTERS) {
        const struct image *image = &kept[cluster][kept_count[cluster] - 1][rank];

        memcpy(arena[rank], image->arena, ((const struct actor *)image->arena)->used);
    }
    epoch_begin();
}

static void put(void *to, uint64_t word)
{
    struct image *image = to;

    assert_true(image->words < WORDS);
    image->word[image->words++] = word;
}

/* As a rank that takes its image does before (checkpoint/take.c). */
static void tombs_drop(struct ft_rank *self)
{
    ft_tombs_begin(self);
    for (int i = 0; i < RANKS; i++) {
        const struct image *image = &kept[i % CLUSTERS][0][i];

        if (kept_count[i % CLUSTERS])
            assert_int_equal(ft_tombs_hear(self, i, image->word, image->words), 0);
    }
    ft_tombs_drop(self, gone);
}

static void checkpoint(int cluster)
{
    int count = kept_count[cluster];

    for (int rank = cluster; rank < RANKS; rank += CLUSTERS) {
        struct actor *actor = actor_of(rank);
        struct image image = {.arena = malloc(ARENA)};

        acting = rank;
        tombs_drop(&actor->rank);
        memcpy(image.arena, arena[rank], actor->used);
        ft_census_write(&actor->rank, put, &image);
        assert_int_equal(image.words, ft_census_words(&actor->rank));
        if (count == KEPT) {
            free(kept[cluster][0][rank].arena);
            kept[cluster][0][rank] = kept[cluster][1][rank];
        }
        kept[cluster][count == KEPT ? KEPT - 1 : count][rank] = image;
    }
    kept_count[cluster] += count < KEPT;
}

static int is_over(void)
{
    for (int i = 0; i < RANKS; i++)
        if (actor_of(i)->at < BIRTHS)
            return 0;
    return 1;
}

static void check_tombs(void)
{
    for (int i = 0; i < 2 * KEPT + 2; i++)
        checkpoint(i % CLUSTERS);
    for (int rank = 0; rank < RANKS; rank++) {
        tombs_drop(&actor_of(rank)->rank);
        assert_null(actor_of(rank)->handles.past);
        assert_null(actor_of(rank)->handles.comm);
    }
}

/* often: turns between two checkpoints; 0: none but the first. */
static void run(unsigned seed, int often, int deaths)
{
    int regroups = 0;

    srand(seed);
    memset(arrived, 0, sizeof arrived);
    memset(agreed, 0, sizeof agreed);
    memset(makers, 0, sizeof makers);
    memset(kept_count, 0, sizeof kept_count);
    for (int i = 0; i < RANKS; i++)
        actor_start(i);
    for (int i = 0; i < CLUSTERS; i++)
        checkpoint(i);
    while (!is_over() || deaths > 0) {
        if (turn(rand() % RANKS)) {
            epoch_begin();
            regroups++;
        }
        if (often && rand() % often == 0)
            checkpoint(rand() % CLUSTERS);
        if (deaths > 0 && (rand() % 20000 == 0 || is_over())) {
            cluster_go_back(rand() % CLUSTERS);
            deaths--;
        }
    }
    assert_true(often || regroups);
    check_tombs();
    for (int i = 0; i < CLUSTERS; i++)
        for (int k = 0; k < kept_count[i]; k++)
            for (int rank = i; rank < RANKS; rank += CLUSTERS)
                free(kept[i][k][rank].arena);
}

static void with_checkpoints(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 3; seed++)
        run(seed, 500, 8);
}

static void without_checkpoints(void **state)
{
    (void)state;
    run(7, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_checkpoints),
        cmocka_unit_test(without_checkpoints),
    };
    int code;

    for (int i = 0; i < RANKS; i++)
        arena[i] = aligned_alloc(64, ARENA);
    pthread_barrier_init(&meeting, NULL, RANKS);
    code = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < RANKS; i++)
        free(arena[i]);
    return code;
}
