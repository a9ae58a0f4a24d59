/* Plots and their page (page.h). gnuplot draws. Its commands and the data stay in the
 * folder, so that a user can change the plots and draw them again. */
#include "ftsim/page.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "html/html.h"

static const struct {
    const char *name, *title, *label;
    bool orders; /* the axis is logarithmic */
} plots[] = {
    {"time", "Time to completion", "hours", true},
    {"useful", "Useful share of the time", "percent", false},
    {"socket-hours", "Socket hours", "socket hours", true},
    {"spares", "Spares in use at a time, at most in a run", "nodes", false},
};
enum { PLOTS = sizeof(plots) / sizeof(plots[0]) };

static FILE *create(const char *folder, const char *name, char *why, size_t size)
{
    char path[SIM_PATH + 64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    if (!file)
        snprintf(why, size, "%s: %s", path, strerror(errno));
    return file;
}

static int finish(FILE *file, const char *name, char *why, size_t size)
{
    bool failed = ferror(file);

    if (fclose(file) == 0 && !failed)
        return 0;
    snprintf(why, size, "%s: %s", name, strerror(errno));
    return -1;
}

/* A mean, and the ends of its 95 % interval: three columns. The lower one is at least
 * half of the mean: a logarithmic axis has no 0. */
static void write_mean(FILE *file, double mean, double half)
{
    fprintf(file, " %g %g %g", mean, fmax(mean - half, mean / 2), mean + half);
}

static void write_line(FILE *file, const struct sim_job *job, const struct sim_sample *sample)
{
    double share = sample->time.half / sample->time.mean;
    double useful = 100 * sim_sample_efficiency(job, sample);
    double socket_hours = sim_sample_socket_hours(job, sample);

    fprintf(file, "%.0f", job->nodes);
    write_mean(file, sample->time.mean / SIM_HOUR, sample->time.half / SIM_HOUR);
    write_mean(file, useful, useful * share);
    write_mean(file, socket_hours, socket_hours * share);
    write_mean(file, sample->spares.mean, sample->spares.half);
    fputs("\n", file);
}

/* A block of lines for each protection. Two blank lines stand between blocks, and gnuplot selects
 * one by `index`. */
static int write_data(const char *folder, const struct sim_point *points, int count, char *why,
                      size_t size)
{
    FILE *file = create(folder, "data.txt", why, size);

    if (!file)
        return -1;
    fputs("# nodes, then mean, low and high of: hours, useful percent, socket hours, spares\n",
          file);
    for (int i = 0; i < points[0].count; i++) {
        fprintf(file, "# %s\n", sim_protection_name(points[0].samples[i].protection));
        for (int j = 0; j < count; j++) {
            const struct sim_sample *sample = &points[j].samples[i];

            if (2 * sample->unfinished <= sample->runs)
                write_line(file, &points[j].job, sample);
        }
        fputs("\n\n", file);
    }
    return finish(file, "data.txt", why, size);
}

static void write_plot(FILE *file, const struct sim_point *point, int plot)
{
    fprintf(file, "set output '%s.svg'\nset ylabel '%s'\nset logscale x\nset autoscale y\n%s",
            plots[plot].name, plots[plot].label,
            plots[plot].orders ? "set logscale y\n" : "unset logscale y\nset yrange [0:*]\n");
    fputs("plot ", file);
    for (int i = 0; i < point->count; i++) {
        const char *name = sim_protection_name(point->samples[i].protection);
        int mean = 2 + 3 * plot;

        fprintf(file,
                "'data.txt' index %d using 1:%d:%d with filledcurves fs transparent solid 0.2 "
                "noborder lt %d notitle, ",
                i, mean + 1, mean + 2, i + 1);
        fprintf(file, "'data.txt' index %d using 1:%d with linespoints lt %d title '%s'%s", i, mean,
                i + 1, name, i + 1 < point->count ? ", " : "\n");
    }
}

static int write_commands(const char *folder, const struct sim_point *point, char *why, size_t size)
{
    FILE *file = create(folder, "plots.gp", why, size);

    if (!file)
        return -1;
    fputs("set terminal svg size 720,480 dynamic background 'white' font 'sans-serif,13'\n"
          "set colorsequence podo\nset datafile missing 'nan'\nset key below\nset grid\nset "
          "autoscale xfix\nset "
          "xlabel 'nodes'\n",
          file);
    for (int i = 0; i < PLOTS; i++)
        write_plot(file, point, i);
    return finish(file, "plots.gp", why, size);
}

static int draw(const char *folder, char *why, size_t size)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        if (!chdir(folder))
            execlp("gnuplot", "gnuplot", "plots.gp", (char *)NULL);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    snprintf(why, size, "%s",
             WIFEXITED(status) && WEXITSTATUS(status) == 127
                 ? "gnuplot is not in PATH (package gnuplot-nox)"
                 : "gnuplot failed; its commands are in plots.gp");
    return -1;
}

static void write_table(FILE *file, const struct sim_point *point)
{
    char text[32];

    fprintf(file,
            "<h3>%.0f nodes</h3>\n<table><tr><th>protection<th>time<th>useful<th>socket "
            "hours<th>failures"
            "<th>restarts<th>interval</tr>\n",
            point->job.nodes);
    for (int i = 0; i < point->count; i++) {
        const struct sim_sample *sample = &point->samples[i];

        fprintf(file, "<tr><td>%s<td>%s", sim_protection_name(sample->protection),
                2 * sample->unfinished > sample->runs ? "does not finish"
                                                      : sim_duration(sample->time.mean, text));
        if (2 * sample->unfinished <= sample->runs)
            fprintf(file, "<td>%.1f %%<td>%.4g<td>%.1f<td>%.1f<td>%s",
                    100 * sim_sample_efficiency(&point->job, sample),
                    sim_sample_socket_hours(&point->job, sample), sample->failures.mean,
                    sample->restarts.mean, sim_duration(sample->interval, text));
        fputs("</tr>\n", file);
    }
    fputs("</table>\n", file);
}

/* Copies the plot into the page, from its <svg> on. */
static int write_drawing(FILE *page, const char *folder, int plot, char *why, size_t size)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    int drawn = 0;
    FILE *drawing;

    snprintf(path, sizeof(path), "%s/%s.svg", folder, plots[plot].name);
    drawing = fopen(path, "re");
    if (!drawing) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    fprintf(page, "<h2>%s</h2>\n<div role=img aria-label=\"%s by nodes\">\n", plots[plot].title,
            plots[plot].title);
    while (getline(&line, &room, drawing) > 0) {
        drawn |= !strncmp(line, "<svg", 4);
        if (drawn)
            fputs(line, page);
    }
    fputs("</div>\n", page);
    free(line);
    fclose(drawing);
    return 0;
}

static int write_page(const char *folder, const struct sim_point *points, int count, char *why,
                      size_t size)
{
    FILE *file = create(folder, "index.html", why, size);

    if (!file)
        return -1;
    ft_html_begin(file, "ftsim", "body{max-width:48rem}svg text{fill:#222;font-size:inherit}");
    for (int i = 0; i < PLOTS; i++)
        if (write_drawing(file, folder, i, why, size)) {
            fclose(file);
            return -1;
        }
    fputs("<h2>Numbers</h2>\n", file);
    for (int i = 0; i < count; i++)
        write_table(file, &points[i]);
    fputs("</body></html>\n", file);
    return finish(file, "index.html", why, size);
}

int sim_page_write(const char *folder, const struct sim_point *points, int count, char *why,
                   size_t size)
{
    if (mkdir(folder, 0777) && errno != EEXIST) {
        snprintf(why, size, "%s: %s", folder, strerror(errno));
        return -1;
    }
    return write_data(folder, points, count, why, size) ||
                   write_commands(folder, points, why, size) || draw(folder, why, size) ||
                   write_page(folder, points, count, why, size)
               ? -1
               : 0;
}
