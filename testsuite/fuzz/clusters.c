/* Any bytes as the FILE of `ftrun --clusters`. The first byte says how many ranks the job has.
 * An accepted file puts each rank into one cluster and leaves none empty; a refused one gets a
 * message.
 */
#include "options/clusters.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { RANKS = 256 };

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void check(const int32_t *of, int size, int count)
{
    int members[RANKS] = {0};
    assert(count >= 1 && count <= size);
    for (int rank = 0; rank < size; rank++) {
        assert(of[rank] >= 0 && of[rank] < count);
        members[of[rank]]++;
    }
    for (int cluster = 0; cluster < count; cluster++)
        assert(members[cluster] > 0);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    int32_t of[RANKS];
    char why[128] = "";
    if (length == 0)
        return 0;
    int size = 1 + bytes[0];
    int count = ft_clusters_read(fuzz_file(bytes + 1, length - 1), size, of, why, sizeof why);
    if (count == -EINVAL)
        assert(strncmp(why, "--clusters: ", 12) == 0);
    else
        check(of, size, count);
    return 0;
}
