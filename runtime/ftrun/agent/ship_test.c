/* Any outcomes that a rank records, and counts up, are in ftrun's copy after each look, and none of
 * a look is there before it is complete. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "agent/agent.h"
#include "console/say.h"
#include "protocol/logged.h"

enum { LOOKS = 400, STEPS = 40, ROOM = 65536 };

static struct ft_determinant copy[ROOM]; /* what ftrun has */
static uint32_t copy_marks[ROOM];
static uint64_t copied, marked; /* of the last complete look */
static uint64_t made;           /* the value of MADE */

static struct ft_recorder *recorder; /* and its rings */
static struct ft_determinant *ring;
static uint32_t *trail;
static uint64_t last_of[FT_CLOCKS + 1]; /* 1 + the entry that may be counted up */

static struct ft_agent_rank other; /* on another node, with `paired` */
static struct ft_pair *words;      /* of the rank whose copy leads; NULL: there is one */

void ft_agent_tell(struct ft_agent *agent, enum ft_agent_type type,
                   const struct ft_agent_rank *rank, int64_t value, const void *body, size_t length)
{
    const struct ft_agent_made *all = body;

    (void)agent, (void)rank;
    if (other.paired && type == FT_AGENT_OUTCOMES)
        ft_ship_take(&other, (off_t)(FT_RECORDER_BYTES + value * FT_RECORDER_ENTRY), body, length);
    else if (other.paired && type == FT_AGENT_MADE)
        ft_paired_made(&other, body, length);
    else if (other.paired && type == FT_AGENT_MARKS)
        ft_paired_marks(&other, (uint64_t)value, body, length);
    if (type == FT_AGENT_OUTCOMES) {
        memcpy(copy + value, body, length);
    } else if (type == FT_AGENT_MARKS) {
        memcpy(copy_marks + value, body, length);
    } else if (type == FT_AGENT_MADE) {
        for (uint64_t i = 0; i < all->count; i++)
            copy[all->entry[i].number] = all->entry[i].as;
        copied = all->end;
        marked = all->marks;
        made = (uint64_t)value;
    }
}

void ft_say(const char *format, ...)
{
    (void)format;
}

static void count(struct ft_agent *agent)
{
    agent->logged->of[0].made++;
}

static void append(struct ft_agent *agent)
{
    struct ft_determinant entry = {.number = 1, .a = rand()};
    int order;

    entry.kind = (uint8_t)(1 + rand() % FT_DETERMINANT_PASSED);
    entry.clock = (uint8_t)(rand() % FT_CLOCKS);
    ring[recorder->determinants++] = entry;
    if (words)
        words->determinants = recorder->determinants;
    order = ft_determinant_order(&entry);
    if (order >= 0)
        last_of[order] = recorder->determinants;
    count(agent);
}

static void count_up(struct ft_agent *agent)
{
    int order = rand() % (FT_CLOCKS + 1);

    if (!last_of[order])
        return;
    ring[last_of[order] - 1].number++;
    count(agent);
}

static void record(struct ft_agent *agent)
{
    for (int steps = rand() % STEPS; steps > 0; steps--) {
        trail[recorder->trail++] = (uint32_t)rand();
        if (rand() % 3)
            count_up(agent);
        else
            append(agent);
    }
}

static void begin(struct ft_agent *agent, struct ft_agent_rank *rank)
{
    size_t bytes = FT_RECORDER_BYTES + FT_RECORDER_RINGS_BYTES;

    *agent = (struct ft_agent){.job = {.size = 1, .ring = FT_RECORDER_RINGS_BYTES}};
    assert_int_equal(ft_ship_open(agent), 0);
    *rank = (struct ft_agent_rank){.agent = agent, .recorder_fd = memfd_create("test", 0)};
    assert_int_equal(ftruncate(rank->recorder_fd, (off_t)bytes), 0);
    recorder = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, rank->recorder_fd, 0);
    assert_ptr_not_equal(recorder, MAP_FAILED);
    rank->recorder = recorder;
    ring = (void *)((char *)recorder + FT_RECORDER_BYTES);
    trail = (void *)((char *)ring + FT_RECORDER_RING_BYTES);
    assert_int_equal(ft_ship_rank(rank), 0);
    ft_ship_begin(rank);
    memset(last_of, 0, sizeof(last_of));
    copied = marked = made = 0;
}

static void end(struct ft_agent *agent, struct ft_agent_rank *rank)
{
    munmap(recorder, FT_RECORDER_BYTES + FT_RECORDER_RINGS_BYTES);
    close(rank->recorder_fd);
    close(agent->logged_fd);
    free(rank->shipper);
    free(agent->logs);
}

static void copy_is_what_was_recorded(void **state)
{
    static struct ft_agent agent;
    static struct ft_agent_rank rank;

    (void)state;
    srand(42);
    begin(&agent, &rank);
    recorder->believed = 1;
    for (int i = 0; i < LOOKS; i++) {
        record(&agent);
        ft_ship_all(&agent);
        assert_int_equal(copied, recorder->determinants);
        assert_memory_equal(copy, ring, copied * sizeof(*ring));
        assert_memory_equal(copy_marks, trail, marked * sizeof(*trail));
        assert_int_equal(made, agent.logged->of[0].made);
    }
    end(&agent, &rank);
}

static void marks_go_when_something_is_believed(void **state)
{
    static struct ft_agent agent;
    static struct ft_agent_rank rank;

    (void)state;
    begin(&agent, &rank);
    append(&agent);
    trail[recorder->trail++] = 7;
    ft_ship_all(&agent);
    assert_int_equal(marked, 0);
    recorder->believed = 1;
    trail[recorder->trail++] = 8;
    append(&agent);
    ft_ship_all(&agent);
    assert_int_equal(marked, 2);
    assert_int_equal(copy_marks[1], 8);
    end(&agent, &rank);
}

static void last_change_of_a_dead_process_goes(void **state)
{
    static struct ft_agent agent;
    static struct ft_agent_rank rank;

    (void)state;
    begin(&agent, &rank);
    append(&agent);
    ft_ship_all(&agent);
    ring[recorder->determinants++] = (struct ft_determinant){.kind = FT_DETERMINANT_FLAG};
    ft_ship_all(&agent);
    assert_int_equal(copied, 1);
    ft_ship_begin(&rank);
    assert_int_equal(copied, 2);
    assert_int_equal(copy[1].kind, FT_DETERMINANT_FLAG);
    ft_ship_safe(&rank, made);
    assert_int_equal(agent.logged->of[0].safe, agent.logged->of[0].made);
    end(&agent, &rank);
}

/* A rank of copy 1 that has come to an agent. */
static void begin_other(struct ft_agent *agent)
{
    const size_t bytes = FT_RECORDER_BYTES + FT_RECORDER_RINGS_BYTES;

    *agent = (struct ft_agent){.job = {.size = 1, .ring = FT_RECORDER_RINGS_BYTES, .copy = 1}};
    other = (struct ft_agent_rank){.agent = agent};
    assert_int_equal(ft_ship_open(agent), 0);
    other.recorder_fd = memfd_create("other", 0);
    assert_int_equal(ftruncate(other.recorder_fd, (off_t)bytes), 0);
    other.recorder = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, other.recorder_fd, 0);
    assert_ptr_not_equal(other.recorder, MAP_FAILED);
    assert_int_equal(ft_paired_rank(&other), 0);
    assert_int_equal(ft_ship_rank(&other), 0);
}

/* After each look it has the leader's ring; the lead goes over behind that. */
static void other_copy_has_the_ring(void **state)
{
    static struct ft_agent agent, second;
    static struct ft_agent_rank rank;
    const struct ft_determinant *its;
    struct ft_pair told = {0};

    (void)state;
    srand(43);
    begin(&agent, &rank);
    agent.job.copy = 0;
    assert_int_equal(ft_paired_rank(&rank), 0);
    words = ft_paired_words(&rank);
    begin_other(&second);
    its = (const void *)((const char *)other.recorder + FT_RECORDER_BYTES);
    for (int i = 0; i < LOOKS; i++) {
        record(&agent);
        ft_ship_all(&agent);
        assert_int_equal(ft_paired_words(&other)->determinants, recorder->determinants);
        assert_memory_equal(its, ring, recorder->determinants * sizeof(*ring));
    }
    assert_false(ft_paired_leads(&other));
    ring[words->determinants++] = (struct ft_determinant){.kind = FT_DETERMINANT_FLAG};
    recorder->determinants++;
    ft_ship_end(&rank); /* it had not counted that */
    assert_int_equal(ft_paired_words(&other)->determinants, words->determinants);
    told.leads = 1;
    told.begun = 7;
    ft_paired_take(&other, &told, sizeof(told));
    assert_true(ft_paired_leads(&other));
    assert_int_equal(ft_paired_words(&other)->begun, 7);
    ft_paired_take(&rank, &told, sizeof(told));
    assert_false(ft_paired_leads(&rank));
    words = NULL;
    other.paired = NULL;
    end(&agent, &rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_is_what_was_recorded),
        cmocka_unit_test(marks_go_when_something_is_believed),
        cmocka_unit_test(last_change_of_a_dead_process_goes),
        cmocka_unit_test(other_copy_has_the_ring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
