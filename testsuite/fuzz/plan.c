/* Any bytes as the plan of `ftrun --faults`, for four ranks in two clusters on two nodes, of a program with one point of
 * its own. An accepted plan orders only what the job has; a refused one gets a message. */
#include "faults/faults.h"
#include "points/points.h"
#include "runtime/ft.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <string.h>

enum { RANKS = 4, WHY = 512 };

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void check_order(const struct ft_fault *fault)
{
    const struct ft_wire_fault *order = &fault->order;
    assert(fault->rank >= 0 && fault->rank < RANKS && fault->copy == 0);
    assert(order->point < FT_POINTS && order->kind > 0 && order->kind < FT_FAULT_KINDS);
    assert(order->number >= 1 && order->times >= 1 && order->bit <= 7);
    assert(order->seconds >= 0 && order->seconds <= 86400);
    assert(order->point != FT_POINT_PROGRAM || strcmp(order->name, "OF_PROGRAM") == 0);
}

static void check_clock(const struct ft_fault_clock *clock)
{
    assert(clock->at >= 0 && clock->at < 1e9);
    assert(clock->count >= 1 && clock->count <= RANKS);
    for (int i = 0; i < clock->count; i++)
        assert(clock->ranks[i] >= 0 && clock->ranks[i] < RANKS);
    assert(!clock->random || (clock->shape > 0 && clock->scale > 0));
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    static const int32_t cluster[RANKS] = {0, 0, 1, 1};
    static const char *const node[RANKS] = {"n1", "n1", "n2", "n2"};
    const struct ft_fault_job job = {RANKS, cluster, 2, node, 1, "/proc/self/exe"};
    struct ft_faults faults = {0};
    char why[WHY] = "";
    FT_FAULT("OF_PROGRAM", 0, 0, 0);
    if (ft_faults_read(fuzz_file(bytes, length), &job, &faults, why, sizeof why) != 0) {
        assert(why[0] != '\0');
    } else {
        assert(faults.count + faults.clock_count > 0 && faults.count <= FT_FAULTS_MOST);
        for (size_t i = 0; i < faults.count; i++)
            check_order(&faults.list[i]);
        for (size_t i = 0; i < faults.clock_count; i++)
            check_clock(&faults.clocks[i]);
    }
    ft_faults_free(&faults);
    return 0;
}
