/* picture: --report and --trace-export: the run's events as a page and as a trace, by the code of
 * ftview. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ftview/picture.h"
#include "launch/picture.h"

int ft_picture_open(struct ft_run *run, char *path, size_t size)
{
    int fd = -1;

    if (run->options.events || (!run->options.picture && !run->options.trace_export)) {
        snprintf(path, size, "%s", run->options.events ? run->options.events : "");
        return 0;
    }
    fd = memfd_create("ftrun-events", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    snprintf(path, size, "/proc/self/fd/%d", fd);
    return 0;
}

static void write_file(const char *path, const struct ft_story *story, const char *title)
{
    FILE *file = path ? fopen(path, "we") : NULL;
    int code = !path   ? 0
               : !file ? -1
               : title ? ft_picture_page(file, story, title)
                       : ft_picture_trace(file, story);

    if (file && fclose(file))
        code = -1;
    if (code)
        ft_say("warning: %s: %s", path, strerror(errno));
}

void ft_picture_write(const struct ft_run *run, const char *events)
{
    struct ft_story story;
    char why[512];

    if (!run->options.picture && !run->options.trace_export)
        return;
    if (ft_story_read(events, &story, why, sizeof(why)))
        ft_say("warning: there is no report: %s", why);
    else {
        write_file(run->options.picture, &story, run->program.path);
        write_file(run->options.trace_export, &story, NULL);
    }
    ft_story_free(&story);
}
