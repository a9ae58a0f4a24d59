/* ring_test: whatever lies between two moments of a rank, given to ftrun when it has any moment
 * between them, leaves it with the later one; and what does not fit leaves it as it was (--protocol
 * causal). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host/ring.h"
#include "run/run.h"

enum { ROUNDS = 300, MOMENTS = 6, STEPS = 5, CLOCKS = 3, ROOM = MOMENTS * STEPS };

struct snapshot { /* what the rank had at a moment */
    struct ft_cut_moment cut;
    struct ft_determinant entry[ROOM];
    uint32_t mark[ROOM];
};

static struct ft_recorder recorder, own;
static struct ft_determinant ring[ROOM];
static uint32_t trail[ROOM];
static uint64_t made, last_of[FT_CLOCKS + 1]; /* 1 + the entry that may be counted up */
static const struct ft_cut_of of = {&recorder, &recorder.determinants, ring, trail, &made};
static struct snapshot moments[MOMENTS];
static struct ft_run run = {.size = 1};
static struct ft_member member;

void ft_say(const char *format, ...)
{
    fail_msg("%s", format);
}

void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...)
{
    (void)events, (void)event, (void)format;
}

void ft_host_ring_drop(int fd, uint64_t *counter, uint64_t before)
{
    (void)fd, (void)counter, (void)before;
}

void ft_host_ring_drop_marks(int fd, uint64_t *counter, uint64_t before)
{
    (void)fd, (void)counter, (void)before;
}

int ft_options_doubts(const struct ft_options *options)
{
    (void)options;
    return 1;
}

static void record(void)
{
    int order = rand() % (CLOCKS + 1) ? rand() % CLOCKS : FT_CLOCKS;

    trail[recorder.trail++] = (uint32_t)rand();
    if (rand() % 2 && last_of[order]) {
        ring[last_of[order] - 1].number++;
    } else {
        struct ft_determinant entry = {.kind = (uint8_t)(1 + rand() % FT_DETERMINANT_PASSED),
                                       .clock = (uint8_t)(rand() % CLOCKS),
                                       .number = 1,
                                       .a = rand()};

        ring[recorder.determinants++] = entry;
        order = ft_determinant_order(&entry);
        if (order >= 0)
            last_of[order] = recorder.determinants;
    }
    made++;
}

static void live(void)
{
    struct ft_cut_moment begin = {0};

    recorder = (struct ft_recorder){.believed = (uint32_t)(rand() % 2)};
    made = 0;
    memset(ring, 0, sizeof ring);
    memset(last_of, 0, sizeof last_of);
    for (int i = 0; i < MOMENTS; i++) {
        for (int steps = i ? rand() % STEPS : 0; steps > 0; steps--)
            record();
        assert_int_equal(ft_cut_take(&of, i ? &moments[i - 1].cut : &begin, &moments[i].cut), 1);
        memcpy(moments[i].entry, ring, sizeof ring);
        memcpy(moments[i].mark, trail, sizeof trail);
    }
}

/* The changes until moment `to`, as somebody who had `from` was sent it then. */
static void give(int from, int to)
{
    static union {
        struct ft_carried carried;
        char bytes[FT_CARRIED_MOST];
    } message;
    struct ft_cut_of then = {&recorder, &recorder.determinants, moments[to].entry, moments[to].mark,
                             &made};
    struct ft_cut_moment had = moments[from].cut, cut;

    cut = had;
    cut.made = moments[to].cut.made;
    cut.end = moments[to].cut.end;
    cut.marks = moments[to].cut.marks;
    cut.believed = moments[to].cut.believed;
    memcpy(cut.open, moments[to].cut.open, sizeof cut.open);
    assert_int_not_equal(ft_carried_write(&then, &had, &cut, &message.carried), 0);
    ft_ring_carried(&member, &message.carried);
}

static void begin_with(int moment)
{
    member = (struct ft_member){.run = &run,
                                .recorder = &own,
                                .recorder_fd = memfd_create("test", 0),
                                .lost = FT_LOST_NODE};
    assert_true(member.recorder_fd >= 0);
    give(0, moment);
}

static void has(int moment)
{
    struct ft_determinant entry[ROOM];
    uint32_t mark[ROOM];
    const struct snapshot *then = &moments[moment];
    uint64_t end = then->cut.end, marks = then->cut.marks;

    assert_int_equal(member.made, then->cut.made);
    if (!member.made) /* ftrun was told nothing */
        return;
    assert_int_equal(member.logged, end);
    assert_int_equal(pread(member.recorder_fd, entry, sizeof entry, FT_RECORDER_BYTES) >= 0, 1);
    assert_memory_equal(entry, then->entry, end * sizeof *entry);
    if (!then->cut.believed)
        return;
    assert_int_equal(member.marks.end, marks);
    assert_true(pread(member.recorder_fd, mark, sizeof mark,
                      (off_t)(FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES)) >=
                (ssize_t)(marks * sizeof *mark));
    assert_memory_equal(mark, then->mark, marks * sizeof *mark);
}

static void moments_between_lead_to_the_later_one(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int from = rand() % MOMENTS, to = from + rand() % (MOMENTS - from);

        srand((unsigned)round);
        live();
        begin_with(from + rand() % (to - from + 1));
        give(from, to);
        has(to);
        close(member.recorder_fd);
    }
}

static void what_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        srand((unsigned)round);
        live();
        begin_with(2);
        give(0, 1); /* known */
        has(2);
        if (moments[3].cut.made > moments[2].cut.made) {
            give(3, 5); /* a gap lies before it */
            has(2);
        }
        member.lost = FT_LOST_NOTHING; /* the agent tells more */
        give(2, 5);
        has(2);
        close(member.recorder_fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_between_lead_to_the_later_one),
        cmocka_unit_test(what_does_not_fit_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
