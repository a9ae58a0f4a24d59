/* render: a document of a report in any of its formats, for the tests of the renderings.
 *
 *     render [-m VERIFY.json] [-i INSERTIONS.json] [-w WIDTH] [-c] FORMAT DOCUMENT.json BASE
 *
 * FORMAT is json, text, sarif or html. BASE takes the place of the document's program.base, so that
 * a document in the tree names no folder of any machine. INSERTIONS.json is an array of objects
 * with `path` (below BASE) and `insertions`, an array of [offset, text, own_line]. */
#include "analysis/report/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct order {
    const char *merge, *insertions, *format, *document, *base;
    struct an_report_options options;
};

static _Noreturn void die(const char *what, const char *why)
{
    fprintf(stderr, "render: %s: %s\n", what, why);
    exit(1);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *value = json_load_file(path, 0, &error);
    if (value == NULL)
        die(path, error.text);
    return value;
}

static struct an_insertion *insertions_of(const json_t *list)
{
    struct an_insertion *insertions = calloc(json_array_size(list) + 1, sizeof *insertions);
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item) {
        insertions[n].offset = (size_t)json_integer_value(json_array_get(item, 0));
        insertions[n].text = json_string_value(json_array_get(item, 1));
        insertions[n].own_line = json_is_true(json_array_get(item, 2));
    }
    return insertions;
}

static struct an_report_file *files_of(const json_t *list, const char *base)
{
    struct an_report_file *files = calloc(json_array_size(list) + 1, sizeof *files);
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", base, json_string_value(json_object_get(item, "path"))) < 0)
            die("memory", "out");
        const json_t *insertions = json_object_get(item, "insertions");
        files[n] = (struct an_report_file){path, NULL, 0, insertions_of(insertions),
                                           json_array_size(insertions)};
    }
    return files;
}

static void files_destroy(const struct an_report_options *options)
{
    for (size_t n = 0; n < options->file_count; n++) {
        free((void *)options->files[n].path);
        free((void *)options->files[n].insertions);
    }
    free((void *)options->files);
}

static struct order order_read(int argc, char **argv)
{
    struct order order = {0};
    for (int option; (option = getopt(argc, argv, "m:i:w:c")) != -1;) {
        switch (option) {
        case 'm':
            order.merge = optarg;
            break;
        case 'i':
            order.insertions = optarg;
            break;
        case 'w':
            order.options.width = (unsigned)atoi(optarg);
            break;
        case 'c':
            order.options.color = true;
            break;
        default:
            exit(2);
        }
    }
    if (argc - optind != 3)
        die("usage", "render [-m VERIFY] [-i INSERTIONS] [-w WIDTH] [-c] FORMAT DOCUMENT BASE");
    order.format = argv[optind];
    order.document = argv[optind + 1];
    order.base = realpath(argv[optind + 2], NULL);
    if (order.base == NULL)
        die(argv[optind + 2], "no such folder");
    return order;
}

static void render(const json_t *document, const struct order *order)
{
    if (strcmp(order->format, "json") == 0)
        json_dumpf(document, stdout, JSON_INDENT(2));
    else if (strcmp(order->format, "text") == 0)
        an_report_text(document, &order->options, stdout);
    else if (strcmp(order->format, "sarif") == 0)
        an_report_sarif(document, &order->options, stdout);
    else if (strcmp(order->format, "html") == 0)
        an_report_html(document, &order->options, stdout);
    else
        die(order->format, "no such format");
}

int main(int argc, char **argv)
{
    struct order order = order_read(argc, argv);
    json_t *document = load(order.document);
    json_t *insertions = order.insertions != NULL ? load(order.insertions) : json_array();
    order.options.files = files_of(insertions, order.base);
    order.options.file_count = json_array_size(insertions);
    json_object_set_new(json_object_get(document, "program"), "base", json_string(order.base));
    char *message = order.merge != NULL ? an_report_merge(document, order.merge) : NULL;
    if (message != NULL)
        die("merge", message);
    render(document, &order);
    files_destroy(&order.options);
    json_decref(insertions);
    json_decref(document);
    free((void *)order.base);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
