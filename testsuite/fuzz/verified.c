/* Any bytes as what `ftrun --verify` wrote. A refused file leaves the report of the sample as it
 * is; an accepted one can be shown in every form. */
#include "analysis/report/report.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

typedef void renderer(const json_t *document, const struct an_report_options *options, FILE *out);

static json_t *sample(void)
{
    static json_t *document;
    if (document == NULL) {
        document = json_load_file(FT_FUZZ_SAMPLE "/report.json", 0, NULL);
        assert(document != NULL);
        json_object_set_new(json_object_get(document, "program"), "base",
                            json_string(FT_FUZZ_SAMPLE));
    }
    return document;
}

static void show(const json_t *document, renderer *render)
{
    struct an_report_options options = {.width = 80};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    render(document, &options, out);
    fclose(out);
    assert(length > 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    json_t *document = json_deep_copy(sample());
    char *why = an_report_merge(document, fuzz_file(bytes, length));
    if (why != NULL) {
        assert(why[0] != '\0' && json_equal(document, sample()));
    } else {
        show(document, an_report_text);
        show(document, an_report_sarif);
        show(document, an_report_html);
    }
    free(why);
    json_decref(document);
    return 0;
}
