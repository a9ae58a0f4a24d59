/* Streams on a simulated machine (sim.h). Every rank executes its part of one list of messages,
 * with non-blocking receives that complete in any order; clusters are rolled back at any moment;
 * every receive must get the message that the list says. */
#include "stream/sim_keep.h"

#include <errno.h>
#include <sys/stat.h>

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
            if (hearing || !setjmp(panic_place)) {
                ft_streams_forget(act(i));
                ft_streams_rebuild(act(i));
                assert_valid(i);
            }
        }
    hearing = 0;
    panic_expected = expected;
}

static void epoch_change(int cluster)
{
    net_lost();
    cluster_go_back(cluster);
    for (int i = 0; i < RANKS; i++) {
        struct actor *actor = actor_of(i);

        actor->recorder.log_held = 1; /* not what the image had */
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
        list_tag[i] = rand() % TAGS + (rand() % 8 ? i / 40 * TAGS : 0); /* some are used again */
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
    if (rand() % 150 == 0)
        cluster_keep(rand() % CLUSTERS);
    if (rand() % 200 == 0 && rollbacks < 20)
        epoch_change(rand() % CLUSTERS);
}

/* All has been received: after some checkpoints nobody rolls back to before that, all logs are
 * empty, all streams are retired, and all know it. */
static void check_all_forgotten(void)
{
    for (int i = 0; i < 8 * CLUSTERS; i++)
        cluster_keep(i % CLUSTERS);
    for (int i = 0; i < RANKS; i++) {
        struct ft_streams *streams = actor_of(i)->spbc.streams;

        assert_int_equal(actor_of(i)->recorder.log_held, 0);
        assert_int_equal(streams->memory, 0);
        assert_int_equal(streams->out.count, 0);
        assert_int_equal(streams->in.count, 0);
        for (int k = 0; k < RANKS; k++)
            assert_int_equal(streams->peer[k].stones, 0);
    }
    assert_int_equal(files_count(), 0);
}

static void any_rollback_any_time(void **state)
{
    int total = 0, again = 0, files = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 60; seed++) {
        int turns = 0;

        srand(seed);
        log_limit = seed % 2 ? 0 : 200 + seed * 20;
        all_start();
        list_make();
        while (!all_done()) {
            assert_true(++turns < 200000);
            turn(seed);
        }
        for (int i = 0; i < RANKS; i++)
            assert_int_equal(actor_of(i)->comm.held, 0);
        files += files_count();
        check_all_forgotten();
        total += rollbacks;
        again += replays;
    }
    assert_true(total > 100);
    assert_true(again > 2000);
    assert_true(files > 100);
    log_limit = 0;
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
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 3);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1);
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

/* A sender that rolled back leaves out what the receiver has. */
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
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 3);
    epoch_change(0);
    act(0);
    for (uint64_t i = 1; i <= 4; i++)
        actor_send(3, 1, i);
    assert_int_equal(net_count, 2);
    assert_int_equal(net[0].content, 2);
    assert_int_equal(net[1].content, 4);
}

/* Messages that a receiver has for good leave the log, whatever else stays; damage drops
 * nothing. */
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
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 1);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 2);
    ft_stream_received(&receiver->rank, &receiver->comm, 0, 1, 4);
    assert_int_equal(ft_streams_write(&receiver->rank, fd), 0);
    bytes = pread(fd, saved, sizeof saved, 0);
    assert_int_equal(bytes, 8 * (3 + RANKS + 4 + 1));
    assert_int_equal(ftruncate(fd, bytes - 8), 0);
    assert_int_equal(ft_streams_drop(act(0), 3, fd), -EBADMSG);
    assert_int_equal(sender->recorder.log_held, 5 * sizeof(uint64_t));
    assert_int_equal(pwrite(fd, saved, (size_t)bytes, 0), bytes);
    assert_int_equal(ft_streams_drop(act(0), 3, fd), 0);
    assert_int_equal(sender->recorder.log_held, 2 * sizeof(uint64_t));
    assert_int_equal(sender->recorder.log_dropped, 3 * sizeof(uint64_t));
    assert_int_equal(sender->recorder.logged, 5 * sizeof(uint64_t));
    assert_int_equal(sender->spbc.streams->peer[3].first->number, 3);
    assert_int_equal(sender->spbc.streams->peer[3].end->number, 5);
    close(fd);
}

/* Rank 0 sends `count` messages of stream (3, tag) beyond the limit. */
static void send_many(uint64_t count)
{
    srand(1);
    log_limit = 1000;
    all_start();
    act(0);
    for (uint64_t i = 1; i <= count; i++)
        actor_send(3, 1 + (int)(i % 2), i);
}

/* Messages beyond the limit lie in files, and are resent from there, in order. */
static void log_beyond_the_limit(void **state)
{
    struct actor *sender = actor_of(0);

    (void)state;
    send_many(200);
    assert_true(sender->spbc.streams->memory <= log_limit);
    assert_true(sender->recorder.log_spilled >= 150 * sizeof(uint64_t));
    assert_true(files_count() > 3);
    assert_int_equal(warnings, 0);
    net_count = 0;
    all_rebuild(-1);
    act(0);
    for (uint64_t i = 201; i <= 300; i++) { /* go behind, and into files of their own */
        actor_send(3, 1 + (int)(i % 2), i);
        if (i % 10 == 0)
            ft_streams_progress(act(0));
    }
    assert_true(sender->spbc.streams->memory <= log_limit);
    while (sender->spbc.replaying)
        ft_streams_progress(act(0));
    assert_int_equal(net_count, 300);
    for (int i = 0; i < 300; i++)
        assert_int_equal(net[i].content, i + 1);
    log_limit = 0;
}

/* A receiver that wants the last message of the fifth window first waits for it once. From then on
 * so many more may go, or the queue of a program that does so in each step would never end. */
static void late_ones_are_waited_for_once(void **state)
{
    (void)state;
    all_start();
    act(0);
    for (int i = 1; i <= 20 * SIM_WINDOW; i++)
        actor_send(3, i, (uint64_t)i);
    net_lost();
    all_rebuild(-1);
    act(0);
    met = MET_NONE;
    ft_streams_progress(act(0));
    assert_int_equal(flying[0][3], 0);
    assert_int_equal(plain[0][3], SIM_WINDOW);
    for (grown = 0; grown < 5; grown++)
        ft_streams_progress(act(0));
    assert_int_equal(flying[0][3], 5 * SIM_WINDOW);
    met = MET_LAST;
    ft_streams_progress(act(0));
    assert_int_equal(flying[0][3], 5 * SIM_WINDOW - 1 + SIM_WINDOW);
    met = MET_ANY;
    while (actor_of(0)->spbc.replaying)
        ft_streams_progress(act(0));
    assert_int_equal(net_count, 20 * SIM_WINDOW);
}

/* ftrun is asked once, for the cluster that receives, until the log was shortened. */
static void checkpoints_are_asked_for(void **state)
{
    (void)state;
    send_many(20);
    assert_int_equal(requests, 0);
    actor_send(3, 1, 21);
    assert_int_equal(requests, 1);
    for (uint64_t i = 22; i <= 100; i++)
        actor_send(3, 1, i);
    assert_int_equal(requests, 1);
    assert_int_equal(requested[2], 1);
    assert_int_equal(requested[1], 0);
    ft_streams_settle(act(0), 0, -1);
    for (uint64_t i = 101; i <= 200; i++)
        actor_send(1 + 1, 1, i);
    assert_int_equal(requests, 2);
    assert_int_equal(requested[1] + requested[2] > 1, 1);
    log_limit = 0;
}

/* Sends what is in a file, to which somebody has done something, again. */
static void expect_unread(int (*change)(const char *path), const char *reason)
{
    char path[FT_WIRE_PATH + 8];

    send_many(200);
    snprintf(path, sizeof path, "%s/0", ft_life.boot.log);
    assert_int_equal(change(path), 0);
    all_rebuild(-1);
    panic_expected = 1;
    if (setjmp(panic_place) == 0) {
        ft_streams_progress(act(0));
        panic_expected = 0;
    }
    assert_true(panic_expected);
    assert_non_null(strstr(panicked, reason));
    panic_expected = 0;
    log_limit = 0;
}

static int cut(const char *path)
{
    return truncate(path, 100);
}

static int replace(const char *path)
{
    return unlink(path) || mkdir(path, 0700);
}

/* A file that is not as it was written is never sent from. */
static void file_is_damaged(void **state)
{
    (void)state;
    expect_unread(cut, "is missing or damaged");
}

static void file_is_missing(void **state)
{
    (void)state;
    expect_unread(unlink, "is missing or damaged");
}

static void file_cannot_be_read(void **state)
{
    char path[FT_WIRE_PATH + 8];

    (void)state;
    expect_unread(replace, "cannot be read");
    snprintf(path, sizeof path, "%s/0", ft_life.boot.log);
    assert_int_equal(rmdir(path), 0);
}

/* Without room nothing is lost. */

static void no_room_for_files(void **state)
{
    char path[FT_WIRE_PATH + 8];

    (void)state;
    send_many(10);
    snprintf(path, sizeof path, "%s.away", ft_life.boot.log);
    assert_int_equal(rename(ft_life.boot.log, path), 0);
    for (uint64_t i = 11; i <= 100; i++)
        actor_send(3, 1 + (int)(i % 2), i);
    assert_int_equal(warnings, 1);
    assert_int_equal(actor_of(0)->recorder.log_held, 100 * sizeof(uint64_t));
    assert_int_equal(rename(path, ft_life.boot.log), 0);
    ft_streams_settle(act(0), 0, -1);
    actor_send(3, 1, 101);
    assert_true(actor_of(0)->spbc.streams->memory <= log_limit);
    assert_int_equal(warnings, 1);
    log_limit = 0;
}

/* Both ends of a stream, after each of so many checkpoints of both clusters. */
static void streams_are_retired(void **state)
{
    struct actor *sender = actor_of(0), *receiver = actor_of(3);

    (void)state;
    all_start();
    for (int round = 0; round < 2; round++) {
        act(0);
        actor_send(3, 1, 7);
        act(3);
        actor_post(0, 1, 7);
        assert_int_equal(sender->spbc.streams->out.count, 1);
        cluster_keep(0);
        cluster_keep(2);
        cluster_keep(2);
        cluster_keep(0); /* it is not received: nothing is forgotten */
        assert_int_equal(sender->spbc.streams->out.count, 1);
        actor_receive(3);
        assert_int_equal(receiver->count, 0);
        cluster_keep(2);
        cluster_keep(2); /* the receiver does not roll back to before it */
        cluster_keep(0);
        assert_int_equal(sender->spbc.streams->out.count, 0);
        assert_int_equal(sender->spbc.streams->peer[3].stones, 1);
        cluster_keep(2); /* the sender may roll back to a checkpoint with the stream */
        assert_int_equal(receiver->spbc.streams->in.count, 1);
        cluster_keep(0);
        cluster_keep(2);
        assert_int_equal(receiver->spbc.streams->in.count, 0);
        cluster_keep(0); /* the receiver may roll back to one where it does not know */
        assert_int_equal(sender->spbc.streams->peer[3].stones, 1);
        cluster_keep(2);
        cluster_keep(0);
        assert_int_equal(sender->spbc.streams->peer[3].stones, 0);
    }
}

/* The sender has retired a stream, sends on it again, and the receiver does not know. */
static void retired_by_one_end(void **state)
{
    (void)state;
    srand(1);
    all_start();
    act(0);
    actor_send(3, 1, 1);
    act(3);
    actor_post(0, 1, 1);
    actor_receive(3);
    cluster_keep(2);
    cluster_keep(2);
    cluster_keep(0);
    assert_int_equal(actor_of(0)->spbc.streams->peer[3].stones, 1);
    act(0);
    actor_send(3, 1, 2);
    act(3);
    actor_post(0, 1, 2);
    actor_receive(3);
    assert_int_equal(actor_of(3)->count, 0);
    all_rebuild(-1);
    assert_int_equal(actor_of(0)->spbc.replaying, 0);
    epoch_change(2); /* to where it had the first one alone */
    assert_int_equal(actor_of(0)->spbc.replaying, 1);
    ft_streams_progress(act(0));
    assert_int_equal(net_count, 1);
    assert_int_equal(net[0].content, 2);
}

/* Behind a rollback a message is resent that the receiver has for good already; and what it has
 * cannot be read at the next checkpoint, which retires the stream: the log must not know it. */
static void retired_unread(void **state)
{
    struct ft_peer *peer;

    (void)state;
    all_start();
    act(0);
    actor_send(3, 1, 1);
    peer = &actor_of(0)->spbc.streams->peer[3];
    peer->first->stream->safe.prefix = 1;
    ft_streams_retire(act(0));
    ft_streams_settle(act(0), 0, -1);
    assert_int_equal(actor_of(0)->spbc.streams->out.count, 0);
    assert_null(peer->first);
    assert_null(ft_streams_wrong(act(0)));
}

/* A message that goes from the log although nothing is resent keeps its place among the others;
 * one that its receiver has does not go at all. */
static void sent_from_the_log(void **state)
{
    struct ft_spbc *spbc;

    (void)state;
    all_start();
    spbc = &actor_of(0)->spbc;
    act(0);
    actor_send_by(3, 1, 1, 1);
    actor_send_by(3, 2, 2, 1);
    actor_send(3, 1, 3);
    assert_int_equal(net_count, 0);
    assert_int_equal(spbc->replaying, 1);
    ft_streams_progress(act(0));
    assert_int_equal(net_count, 3);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(net[i].content, i + 1);
    act(3);
    actor_post(0, 1, 1);
    actor_receive(3);
    while (spbc->replaying)
        ft_streams_progress(act(0));
    actor_send_by(3, 1, 4, 1);
    assert_int_equal(spbc->replaying, 1);
    cluster_keep(2);
    epoch_change(0); /* the receiver has the first one */
    act(0);
    actor_send_by(3, 1, 1, 1);
    assert_int_equal(spbc->replaying, 0);
    actor_send_by(3, 2, 2, 1);
    assert_int_equal(spbc->replaying, 1);
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
    ft_stream_received(&actor->rank, &actor->comm, 0, 1, 2);
    ft_stream_withdrawn(&actor->rank, &actor->comm, 0, 1, 1);
    stream = ft_stream_in(&actor->rank, 77, 0, 1);
    assert_int_equal(stream->have.prefix, 1);
    assert_int_equal(stream->last, 2);
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
        ft_stream_received(&actor->rank, &actor->comm, 0, 1, (uint64_t)i);
    }
    assert_false(panics(0));
    actor_of(0)->spbc.streams->out.first->known = 0;
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

/* For a moment something has another value: that is told, and nothing else. */
#define TOLD_AS(type, place, value, what)                                                          \
    do {                                                                                           \
        type before_it = (place);                                                                  \
        (place) = (value);                                                                         \
        assert_non_null(ft_streams_wrong(act(0)));                                                 \
        assert_string_equal(ft_streams_wrong(act(0)), what);                                       \
        (place) = before_it;                                                                       \
        assert_null(ft_streams_wrong(act(0)));                                                     \
    } while (0)
#define TOLD(place, value, what) TOLD_AS(__typeof__(place), place, value, what)

static void what_is_wrong_is_told(void **state)
{
    struct ft_streams *streams;
    struct ft_peer *peer;
    struct ft_stream *stream;
    uint64_t beyond[] = {4, 3};

    (void)state;
    all_start();
    act(0);
    for (uint64_t i = 1; i <= 6; i++)
        actor_send(3, 1, i);
    streams = actor_of(0)->spbc.streams;
    peer = &streams->peer[3];
    stream = peer->first->stream;
    assert_null(ft_streams_wrong(act(0)));
    TOLD(stream->key.tag, 7, "a stream is not found by its key");
    TOLD(streams->in.count, 1, "streams are not counted right");
    TOLD(stream->have.prefix, 1, "a receiver has more than it was known to have");
    TOLD(stream->have, ((struct ft_numbers){1, beyond, 2, 2}), "a set of numbers is not in order");
    TOLD(stream->safe, ((struct ft_numbers){1, beyond, 2, 1}),
         "a set of numbers is longer than its memory");
    TOLD(peer->first->next, NULL, "the log is not counted right");
    TOLD(peer->end, peer->first, "the log is not counted right");
    TOLD(peer->memory, peer->memory - 1, "the log holds more than is counted");
    TOLD(peer->first->next->number, 1, "the log is not in send order");
    TOLD(peer->end->number, 7, "an entry of the log belongs to another stream");
    TOLD_AS(uint64_t, peer->end->bytes, 1 << 20, "an entry of the log is not where its segment is");
    TOLD_AS(uint64_t, peer->end->segment, 99, "an entry of the log is in no segment");
    TOLD(actor_of(0)->recorder.log_held, 0, "the logs are not counted right");
    TOLD(peer->segment->entries, 5, "entries of a segment are not counted right");
    TOLD(peer->segment->number, 5, "a segment of the log has another number");
    TOLD(peer->segment->ready, 5, "a segment of the log is used beyond its end");
    TOLD(streams->segments.mapped, 5, "the log's memory is not counted right");
    TOLD(streams->segments.free, peer->segment, "a free segment of the log is in use");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rollback_any_time),
        cmocka_unit_test(prefix_and_beyond),
        cmocka_unit_test(suppression),
        cmocka_unit_test(log_is_shortened),
        cmocka_unit_test(sent_from_the_log),
        cmocka_unit_test(cancelled_receive),
        cmocka_unit_test(more_than_was_sent),
        cmocka_unit_test(log_with_a_hole),
        cmocka_unit_test(log_beyond_the_limit),
        cmocka_unit_test(late_ones_are_waited_for_once),
        cmocka_unit_test(checkpoints_are_asked_for),
        cmocka_unit_test(file_is_damaged),
        cmocka_unit_test(file_is_missing),
        cmocka_unit_test(file_cannot_be_read),
        cmocka_unit_test(no_room_for_files),
        cmocka_unit_test(streams_are_retired),
        cmocka_unit_test(retired_by_one_end),
        cmocka_unit_test(retired_unread),
        cmocka_unit_test(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
