/* ftview: a picture of a run, from the events that ftrun --events wrote. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "ftview/picture.h"

enum { USAGE = 2, WHY = 1280 };

static const char help[] =
    "usage: ftview [options] EVENTS\n"
    "Draws a run of ftrun --events EVENTS: what each rank did, what failures cost.\n"
    "\n"
    "  -o FILE                   the page (EVENTS.html); - is the standard output\n"
    "  --trace                   a trace for Perfetto or chrome://tracing instead\n"
    "                            (EVENTS.json)\n"
    "  --text                    the failures as sentences on standard output instead\n"
    "  --help, --version\n"
    "\n"
    "EVENTS may be -, the standard input; then -o is needed. Exit status: 0; 1 something\n"
    "cannot be read or written; 2 bad usage.\n";

enum form { PAGE, TRACE, TEXT };

struct options {
    enum form form;
    const char *events, *out;
};

/* 0; 1: answered; -1: wrong, and told so. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {{"trace", no_argument, NULL, 't'},
                                          {"text", no_argument, NULL, 'x'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    int key;

    while ((key = getopt_long(argc, argv, "o:h", table, NULL)) != -1) {
        if (key == 'h' || key == 'V') {
            fputs(key == 'h' ? help : "ftview " FT_VERSION "\n", stdout);
            return 1;
        }
        if (key == 'o')
            options->out = optarg;
        else if (key == 't' || key == 'x')
            options->form = key == 't' ? TRACE : TEXT;
        else
            return -1;
    }
    if (argc - optind != 1) {
        fputs("ftview: name one file of events; see ftview --help\n", stderr);
        return -1;
    }
    options->events = argv[optind];
    if (!strcmp(options->events, "-") && !options->out && options->form != TEXT) {
        fputs("ftview: events of the standard input need -o FILE\n", stderr);
        return -1;
    }
    return 0;
}

static int complain(const char *path)
{
    fprintf(stderr, "ftview: %s: %s\n", path, strerror(errno));
    return -1;
}

static int print_sentences(const struct ft_story *story)
{
    char text[FT_SENTENCE];

    for (size_t i = 0; i < story->death_count; i++)
        puts(ft_picture_sentence(story, &story->deaths[i], text));
    return fflush(stdout) ? complain("standard output") : 0;
}

/* A page that cannot be written whole is taken away again. */
static int write_file(const struct options *options, const struct ft_story *story)
{
    char path[4096];

    if ((size_t)snprintf(path, sizeof(path), "%s%s", options->out ? options->out : options->events,
                         options->out             ? ""
                         : options->form == TRACE ? ".json"
                                                  : ".html") >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return complain(options->events);
    }
    FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;
    if (!file)
        return complain(path);
    int code = options->form == TRACE ? ft_picture_trace(file, story)
                                      : ft_picture_page(file, story, options->events);
    if (fflush(file) || (file != stdout && fclose(file)))
        code = -1;
    if (code) {
        complain(path);
        if (file != stdout)
            remove(path);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {.form = PAGE};
    struct ft_story story;
    char why[WHY];
    int code = read_options(argc, argv, &options);

    if (code)
        return code > 0 ? 0 : USAGE;
    if ((code = ft_story_read(options.events, &story, why, sizeof(why))))
        fprintf(stderr, "ftview: %s\n", why);
    else if (options.form == TEXT)
        code = print_sentences(&story);
    else
        code = write_file(&options, &story);
    ft_story_free(&story);
    return code ? 1 : 0;
}
