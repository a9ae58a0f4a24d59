/* Any bytes as a compile_commands.json. An accepted one has entries with a folder, a file and
 * the words of a command; so have the entries of a refused one before its fault. */
#include "ftcc/database.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    UT_array entries;
    cc_database_read(fuzz_file(bytes, length), &entries);
    for (struct cc_entry *entry = NULL; (entry = utarray_next(&entries, entry));) {
        assert(entry->folder && entry->file && utarray_len(&entry->words) > 0);
        for (char **word = NULL; (word = utarray_next(&entry->words, word));)
            assert(*word);
    }
    utarray_done(&entries);
    return 0;
}
