/* Any bytes as the FILE of `ftrun --trust`. An accepted one names no pattern twice. */
#include "options/trust.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct ft_trust *trust = NULL;
    char why[256] = "";
    int code = ft_trust_read(fuzz_file(bytes, length), &trust, why, sizeof why);
    if (code != 0) {
        assert(code == -EBADMSG && why[0] != '\0' && !trust);
        return 0;
    }
    for (size_t i = 0; i < trust->count; i++) {
        assert(trust->pattern[i].result <= FT_TRUST_CONTRADICTED);
        for (size_t k = 0; k < i; k++)
            assert(trust->pattern[i].id != trust->pattern[k].id);
    }
    free(trust);
    return 0;
}
