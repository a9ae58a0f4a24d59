/* Idea: one document, rendered once for each place that asked for it. The sources come from the
 * disk as far as they are those that were analysed, with the annotation that belongs to them. */
#include "ftcc/answer.h"
#include "analysis/report/report.h"
#include "ftcc/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

typedef void rendering(const json_t *document, const struct an_report_options *options, FILE *out);

static void json_render(const json_t *document, const struct an_report_options *options, FILE *out)
{
    (void)options;
    json_dumpf(document, out, JSON_INDENT(2));
    fputc('\n', out);
}

static rendering *rendering_of(const char *path)
{
    static const struct {
        const char *ending;
        rendering *render;
    } kinds[] = {{".txt", an_report_text},
                 {".json", json_render},
                 {".sarif", an_report_sarif},
                 {".html", an_report_html}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot, kinds[i].ending) == 0)
            return kinds[i].render;
    return an_report_text;
}

static bool is_special(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A new file beside `path`, or `path` itself when that is a link, a device or a pipe. */
static FILE *report_open(const char *path, char **temporary)
{
    *temporary = NULL;
    if (is_special(path))
        return fopen(path, "we");
    if (asprintf(temporary, "%s.XXXXXX", path) < 0)
        abort();
    int file = mkostemp(*temporary, O_CLOEXEC);
    if (file < 0)
        return NULL;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
    return fdopen(file, "w");
}

static bool report_close(FILE *out, const char *path, const char *temporary)
{
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    if (good && temporary)
        good = rename(temporary, path) == 0;
    if (!good && temporary)
        unlink(temporary);
    return good;
}

static bool report_write(const json_t *document, const struct an_report_options *options,
                         const char *path)
{
    char *temporary;
    FILE *out = report_open(path, &temporary);
    if (out)
        rendering_of(path)(document, options, out);
    bool good = out && report_close(out, path, temporary);
    if (!good)
        fprintf(stderr, "ftcc: error: cannot write the report %s: %s\n", path, strerror(errno));
    free(temporary);
    return good;
}

bool cc_answer_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "ftcc: error: cannot write to standard output: %s\n", strerror(errno));
    return false;
}

static bool report_print(const json_t *document, struct an_report_options options)
{
    struct winsize size;
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    if (isatty(STDOUT_FILENO)) {
        options.color = terminal && strcmp(terminal, "dumb") != 0 && !(plain && *plain);
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
            options.width = size.ws_col;
    }
    an_report_text(document, &options, stdout);
    return cc_answer_flush();
}

static bool verified_merge(json_t *document, const char *path)
{
    char *problem = path ? an_report_merge(document, path) : NULL;
    if (!problem)
        return true;
    fprintf(stderr, "ftcc: error: %s: %s\n", path, problem);
    free(problem);
    return false;
}

bool cc_answer_wanted(const struct cc_options *options)
{
    return options->report || options->strict || utarray_len(&options->reports) > 0;
}

bool cc_answer_report(const struct an_judgement *judgement, const struct cc_options *options,
                      const char *name)
{
    if (!options->report && utarray_len(&options->reports) == 0)
        return true;
    struct cc_sources *sources = cc_sources_create(judgement);
    struct an_report_options asked = {
        .name = name, .files = cc_sources_files(sources), .file_count = cc_sources_count(sources)};
    json_t *document = an_report_json(judgement, &asked);
    bool good = verified_merge(document, options->verified);
    if (options->report)
        good = report_print(document, asked) && good;
    for (char **path = NULL; (path = utarray_next(&options->reports, path));)
        good = report_write(document, &asked, *path) && good;
    json_decref(document);
    cc_sources_destroy(sources);
    return good;
}

static void hole_print(const struct an_hole *hole)
{
    fprintf(stderr, "ftcc: error: %s", hole->file ? hole->file : "");
    if (hole->line)
        fprintf(stderr, ":%u", hole->line);
    if (hole->name)
        fprintf(stderr, ": %s", hole->name);
    fprintf(stderr, ": %s\n", hole->text);
}

bool cc_answer_strict(const struct an_judgement *judgement, const struct cc_options *options,
                      bool part)
{
    const struct an_hole *hole;
    unsigned count = 0;
    if (!options->strict)
        return true;
    LL_FOREACH (judgement->holes, hole)
        if (!part || hole->kind != AN_HOLE_CALLEE) {
            hole_print(hole);
            count++;
        }
    if (count)
        fprintf(stderr, "ftcc: error: the analysis is incomplete in %u place%s (--ft-strict)\n",
                count, count == 1 ? "" : "s");
    return count == 0;
}
