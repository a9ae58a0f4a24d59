/* Any bytes as a profile for ftcluster. An accepted one names existing ranks, each pair once, in
 * order; and when it is small, it is divided into as many clusters as one asks for. */
#include "ftcluster/partition.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <string.h>

enum { WHY = 512, SMALL = 12 };

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void check(const struct ft_profile *profile)
{
    assert(profile->ranks >= 1 && profile->seconds > 0);
    for (size_t i = 0; i < profile->count; i++) {
        const struct ft_profile_edge *edge = &profile->edge[i];
        assert(edge->from >= 0 && edge->from < profile->ranks);
        assert(edge->to >= 0 && edge->to < profile->ranks);
        assert(edge->messages <= INT64_MAX && edge->bytes <= INT64_MAX);
        assert(i == 0 || edge[-1].from < edge->from ||
               (edge[-1].from == edge->from && edge[-1].to < edge->to));
    }
}

static void divide(const struct ft_profile *profile)
{
    struct ft_partition partition = {0};
    char why[WHY] = "";
    int clusters = (profile->ranks + 1) / 2, seen = 0;
    if (ft_partition_make(profile, clusters, 1, FT_MINIMIZE_MAX, &partition, why) != 0) {
        assert(why[0] != '\0' && partition.of == NULL);
        return;
    }
    for (int rank = 0; rank < profile->ranks; rank++) {
        assert(partition.of[rank] >= 0 && partition.of[rank] <= seen);
        seen += partition.of[rank] == seen;
    }
    assert(seen == clusters && partition.clusters == clusters);
    assert(partition.total >= partition.largest && partition.largest >= 0);
    ft_partition_free(&partition);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct ft_profile profile = {0};
    char why[WHY] = "";
    if (ft_profile_read(fuzz_file(bytes, length), &profile, why) != 0) {
        assert(why[0] != '\0' && profile.edge == NULL);
        return 0;
    }
    check(&profile);
    if (profile.ranks <= SMALL)
        divide(&profile);
    ft_profile_free(&profile);
    return 0;
}
