/* Streams on a simulated machine (sim.h). Every rank executes its part of one list of messages,
 * with non-blocking receives that complete in any order; clusters are rolled back at any moment;
 * every receive must get the message that the list says. */
#include "stream/sim.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static int all_certain(void)
{
    int world, tag;

    for (int rank = 0; rank < RANKS; rank++) {
        struct actor *actor = actor_of(rank);

        for (int i = 0; i < actor->count; i++)
            if (!actor->receive[i].number &&
                ft_stream_uncertain(&actor->rank, &actor->comm, actor->receive[i].source,
                                    actor->receive[i].tag, actor->receive[i].order, &world, &tag))
                return 0;
    }
    return 1;
}

/* The others' logs lose what a rank had received at its only checkpoint. */
static void logs_shorten(int world)
{
    int fd = memfd_create("received", 0);

    assert_true(fd >= 0);
    assert_int_equal(ft_streams_write(act(world), fd), 0);
    for (int i = 0; i < RANKS; i++)
        if (cluster_of[i] != cluster_of[world])
            assert_int_equal(ft_streams_drop(act(i), world, fd), 0);
    close(fd);
}

static void cluster_keep(int cluster)
{
    for (int i = 0; i < RANKS; i++)
        if (cluster_of[i] == cluster)
            memcpy(kept[i], arena[i], ARENA);
    for (int i = 0; i < RANKS; i++)
        if (cluster_of[i] == cluster)
            logs_shorten(i);
}

/* The collective rebuild: once to hear what all say, and, from the same images, with the answers.
 * The first time nobody is told anything, which a log that was shortened cannot be true to. */
static void all_rebuild(int rolled_back)
{
    int expected = panic_expected;
    jmp_buf outer;

    memcpy(&outer, &panic_place, sizeof outer);
    for (hearing = 0; hearing < 2; hearing++)
        for (int i = 0; i < RANKS; i++) {
            ft_life.boot.survivor = cluster_of[i] != rolled_back;
            memcpy(hearing ? arena[i] : before[i], hearing ? before[i] : arena[i], ARENA);
            panic_expected = expected || !hearing;
            if (hearing)
                memcpy(&panic_place, &outer, sizeof outer);
            if (hearing || !setjmp(panic_place))
                ft_streams_rebuild(act(i));
        }
    hearing = 0;
    panic_expected = expected;
}

static void epoch_change(int cluster)
{
    net_count = 0;
    memset(flying, 0, sizeof flying);
    for (int i = 0; i < RANKS; i++) {
        struct actor *actor = actor_of(i);

        if (cluster_of[i] == cluster)
            memcpy(arena[i], kept[i], ARENA);
        for (int k = 0; k < actor->count; k++)
            actor->receive[k].met = -1;
    }
    rollbacks++;
    all_rebuild(cluster);
}

static void list_make(void)
{
    for (int i = 0; i < LIST; i++) {
        do {
            list_source[i] = rand() % RANKS;
            list_dest[i] = rand() % RANKS;
        } while (cluster_of[list_source[i]] == cluster_of[list_dest[i]]);
        list_tag[i] = rand() % TAGS;
    }
    for (int i = 0; i < RANKS * RANKS; i++)
        any_tag[i / RANKS][i % RANKS] = rand() % 6 == 0;
}

static int all_done(void)
{
    for (int i = 0; i < RANKS; i++)
        if (actor_of(i)->position < LIST || actor_of(i)->count || actor_of(i)->spbc.replaying)
            return 0;
    return 1;
}

/* One turn of one rank: `lean` says which of them are fast. */
static void turn(unsigned lean)
{
    int rank = rand() % RANKS;

    for (int i = rand() % ((lean >> rank & 1) ? 40 : 3); i >= 0; i--) {
        actor_step(rank);
        actor_receive(rank);
    }
    if (rand() % 2)
        ft_streams_progress(act(rank));
    if (rand() % 150 == 0 && all_certain())
        cluster_keep(rand() % CLUSTERS);
    if (rand() % 200 == 0 && rollbacks < 20 && all_certain())
        epoch_change(rand() % CLUSTERS);
}

static void any_rollback_any_time(void **state)
{
    int total = 0, again = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 60; seed++) {
        int turns = 0;

        srand(seed);
        all_start();
        list_make();
        while (!all_done()) {
            assert_true(++turns < 200000);
            turn(seed);
        }
        for (int i = 0; i < RANKS; i++)
            assert_int_equal(actor_of(i)->comm.held, 0);
        total += rollbacks;
        again += replays;
    }
    assert_true(total > 100);
    assert_true(again > 2000);
}

/* Two ranks, one stream: what is in flight and what the receiver has are told apart. */
static void prefix_and_beyond(void **state)
{
    struct actor *receiver = actor_of(3);

    (void)state;
    srand(1);
    all_start();
    act(0);
    for (uint64_t i = 1; i <= 4; i++)
        actor_send(3, 1, i);
    act(3);
    for (int i = 1; i <= 4; i++)
        actor_post(0, 1, i);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 3, 3);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1, 1);
    net_count = 0;
    all_rebuild(-1);
    assert_int_equal(actor_of(0)->spbc.replaying, 1);
    act(0);
    actor_send(3, 2, 9); /* goes behind */
    ft_streams_progress(&actor_of(0)->rank);
    assert_int_equal(net_count, 3);
    assert_int_equal(net[0].content, 2);
    assert_int_equal(net[1].content, 4);
    assert_int_equal(net[2].content, 9);
}

/* A sender that went back leaves out what the receiver has. */
static void suppression(void **state)
{
    struct actor *receiver = actor_of(3);

    (void)state;
    srand(1);
    all_start();
    act(0);
    for (uint64_t i = 1; i <= 3; i++)
        actor_send(3, 1, i);
    act(3);
    for (int i = 1; i <= 3; i++)
        actor_post(0, 1, i);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1, 1);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 3, 3);
    epoch_change(0);
    act(0);
    for (uint64_t i = 1; i <= 4; i++)
        actor_send(3, 1, i);
    assert_int_equal(net_count, 2);
    assert_int_equal(net[0].content, 2);
    assert_int_equal(net[1].content, 4);
}

/* What a receiver has for good leaves the log, whatever else stays; damage drops nothing. */
static void log_is_shortened(void **state)
{
    struct actor *receiver = actor_of(3), *sender = actor_of(0);
    uint64_t saved[64];
    ssize_t bytes;
    int fd = memfd_create("received", 0);

    (void)state;
    srand(1);
    all_start();
    act(0);
    for (uint64_t i = 1; i <= 5; i++)
        actor_send(3, 1, i);
    act(3);
    for (int i = 1; i <= 5; i++)
        actor_post(0, 1, i);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1, 1);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 2, 2);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 4, 4);
    assert_int_equal(ft_streams_write(&receiver->rank, fd), 0);
    bytes = pread(fd, saved, sizeof saved, 0);
    assert_int_equal(bytes, 8 * (2 + 4 + 1));
    assert_int_equal(ftruncate(fd, bytes - 8), 0);
    assert_int_equal(ft_streams_drop(act(0), 3, fd), -EBADMSG);
    assert_int_equal(sender->spbc.streams->held, 5 * sizeof(uint64_t));
    assert_int_equal(pwrite(fd, saved, (size_t)bytes, 0), bytes);
    assert_int_equal(ft_streams_drop(act(0), 3, fd), 0);
    assert_int_equal(sender->spbc.streams->held, 2 * sizeof(uint64_t));
    assert_int_equal(sender->recorder.log_dropped, 3 * sizeof(uint64_t));
    assert_int_equal(sender->recorder.logged, 5 * sizeof(uint64_t));
    assert_int_equal(sender->spbc.streams->peer[3].first->number, 3);
    assert_int_equal(sender->spbc.streams->peer[3].end->number, 5);
    close(fd);
}

static void cancelled_receive(void **state)
{
    struct actor *actor = actor_of(3);
    struct ft_stream *stream;

    (void)state;
    all_start();
    act(3);
    for (int i = 1; i <= 3; i++)
        actor_post(0, 1, i);
    ft_stream_received(&actor->rank, &actor->comm, 0, 1, 2, 2);
    ft_stream_withdrawn(&actor->rank, &actor->comm, 0, 1, 1);
    stream = ft_stream_in(&actor->rank, 77, 0, 1);
    assert_int_equal(stream->have.prefix, 1);
    assert_int_equal(stream->last, 2);
}

static void uncertain_numbers(void **state)
{
    struct actor *actor = actor_of(3);
    int world = -1, tag = -1;

    (void)state;
    all_start();
    act(3);
    actor_post(0, MPI_ANY_TAG, 1);
    actor_post(0, MPI_ANY_TAG, 2);
    assert_true(all_certain());
    ft_stream_received(&actor->rank, &actor->comm, 0, 2, 0, 2);
    assert_true(ft_stream_uncertain(&actor->rank, &actor->comm, 0, MPI_ANY_TAG, 1, &world, &tag));
    assert_int_equal(world, 0);
    assert_int_equal(tag, 2);
    assert_false(ft_stream_uncertain(&actor->rank, &actor->comm, 0, 1, 1, &world, &tag));
    assert_false(ft_stream_uncertain(&actor->rank, &actor->comm, 1, 2, 1, &world, &tag));
    assert_true(
        ft_stream_uncertain(&actor->rank, &actor->comm, MPI_ANY_SOURCE, 2, 1, &world, &tag));
}

static int panics(int rolled_back)
{
    panic_expected = 1;
    if (setjmp(panic_place) == 0) {
        all_rebuild(rolled_back);
        panic_expected = 0;
    }
    hearing = 0;
    return panic_expected;
}

/* The receiver has a second message, and the sender, who was not rolled back, never sent it. */
static void more_than_was_sent(void **state)
{
    struct actor *actor = actor_of(3);

    (void)state;
    all_start();
    act(0);
    actor_send(3, 1, 1);
    act(3);
    for (int i = 1; i <= 2; i++) {
        actor_post(0, 1, i);
        ft_stream_received(&actor->rank, &actor->comm, 0, 1, (uint64_t)i, (uint64_t)i);
    }
    assert_false(panics(0));
    actor_of(0)->spbc.streams->out->known = 0;
    assert_true(panics(2));
}

static void log_with_a_hole(void **state)
{
    (void)state;
    all_start();
    act(0);
    for (uint64_t i = 1; i <= 3; i++)
        actor_send(3, 1, i);
    assert_false(panics(-1));
    actor_of(0)->spbc.streams->peer[3].first->next = NULL;
    assert_true(panics(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rollback_any_time), cmocka_unit_test(prefix_and_beyond),
        cmocka_unit_test(suppression),           cmocka_unit_test(log_is_shortened),
        cmocka_unit_test(cancelled_receive),     cmocka_unit_test(uncertain_numbers),
        cmocka_unit_test(more_than_was_sent),    cmocka_unit_test(log_with_a_hole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
