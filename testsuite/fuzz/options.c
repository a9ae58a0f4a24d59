/* Any bytes as the command line of ftcc: the words are separated by newlines. */
#include "ftcc/inputs.h"
#include "ftcc/options.h"
#include "ftcc/response.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* Every word that is not ftcc's own is kept, in its order; a path is never made up. */
static void check(const struct cc_options *options)
{
    unsigned sources = 0;
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        assert(word->text);
        sources += word->kind == CC_SOURCE;
    }
    assert(sources == options->sources && sources <= options->inputs);
    assert(!options->inspect || utarray_len(&options->words) == 1);
}

static void parse(int count, const char *const *words)
{
    struct cc_options options;
    UT_array paths;
    cc_options_parse(count, words, &options);
    check(&options);
    cc_inputs_find(&options, &paths);
    utarray_done(&paths);
    cc_options_release(&options);
}

static void split(const char *line)
{
    UT_array words;
    utarray_init(&words, &ut_str_icd);
    cc_response_split(line, &words);
    utarray_done(&words);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    const char *words[WORDS] = {"ftcc"};
    int count = 1;
    char *text = malloc(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    split(text);
    char *rest = text;
    for (char *word; count < WORDS && (word = strsep(&rest, "\n"));)
        words[count++] = word;
    parse(count, words);
    free(text);
    return 0;
}
