/* The page (picture.h): SVG in HTML, drawn in units of a thousandth of the run. Colours follow the
 * reader's scheme, kinds also differ by pattern, and each span has a title, so that nothing is told
 * by colour alone. */
#include "ftview/picture.h"
#include <math.h>
#include <string.h>
#include "html/html.h"

enum { WIDTH = 1000, ROWS_MOST = 200, LABEL = 70 };

/* Widens the drawing; without JavaScript the buttons are not there. */
static const char script[] =
    "(function(){var s=document.querySelector('#rows "
    "svg'),z=1,b=document.querySelector('.zoom');b.hidden=false;"
    "function set(f){z=Math.max(1,Math.min(64,z*f));s.style.width=100*z+'%'}"
    "b.children[0].onclick=function(){set(2)};b.children[1].onclick=function(){set(.5)};})();";

/* Rows are groups of consecutive ranks when there are more ranks than rows. */
static int group_size(const struct ft_story *story)
{
    return (story->ranks + ROWS_MOST - 1) / ROWS_MOST;
}

static double x_of(const struct ft_story *story, double time)
{
    return story->end > 0 ? WIDTH * time / story->end : 0;
}

const char *ft_picture_sentence(const struct ft_story *story, const struct ft_death *death,
                                char *text)
{
    char to[64], back[64];

    if (death->checkpoint < 0)
        snprintf(to, sizeof(to), "the beginning");
    else
        snprintf(to, sizeof(to), "checkpoint %d", death->checkpoint);
    snprintf(back, sizeof(back), death->back == story->ranks ? "all ranks" : "%d of %d ranks",
             death->back, story->ranks);
    if (death->back == 0)
        snprintf(text, FT_SENTENCE, "%.2f s: rank %d died (%s)", death->time, death->rank,
                 death->how);
    else
        snprintf(text, FT_SENTENCE,
                 "%.2f s: rank %d died (%s); %s rolled back to %s, %.2f rank-seconds of work were "
                 "lost; all were back after %.2f s",
                 death->time, death->rank, death->how, back, to, death->lost, death->recovery);
    return text;
}

static void put_summary(FILE *out, const struct ft_story *story)
{
    double all = 0;

    for (int i = 0; i < FT_SPAN_KINDS; i++)
        all += story->total[i];
    fprintf(out, "<p>%d rank%s, %.2f s, %zu failure%s, %zu checkpoint%s", story->ranks,
            story->ranks == 1 ? "" : "s", story->end, story->death_count,
            story->death_count == 1 ? "" : "s", story->commit_count,
            story->commit_count == 1 ? "" : "s");
    if (story->code >= 0)
        fprintf(out, ", exit code %d", story->code);
    fprintf(out,
            ".</p>\n<h2>What it cost</h2>\n<svg viewBox=\"0 0 %d 24\" role=img aria-label=\"shares "
            "of the time of all ranks\">",
            WIDTH);
    double x = 0;
    for (int i = 0; i < FT_SPAN_KINDS && all > 0; i++) {
        double width = WIDTH * story->total[i] / all;

        fprintf(out,
                "<rect class=k%d x=%.2f y=0 width=%.2f height=24><title>%s: %.1f %%</title></rect>",
                i, x, width, ft_span_name((enum ft_span_kind)i), 100 * story->total[i] / all);
        x += width;
    }
    fputs("</svg>\n<table><tr><th>of all ranks together<th>seconds<th>share</tr>\n", out);
    for (int i = 0; i < FT_SPAN_KINDS; i++)
        fprintf(out, "<tr><td class=key><span class=b%d></span>%s<td>%.2f<td>%.1f %%</tr>\n", i,
                ft_span_name((enum ft_span_kind)i), story->total[i],
                all > 0 ? 100 * story->total[i] / all : 0);
    fputs("</table>\n", out);
}

static void put_span(FILE *out, const struct ft_story *story, const struct ft_span *span, int rank,
                     double y, double height, double opacity)
{
    double x = x_of(story, span->from), width = x_of(story, span->to) - x;

    if (width <= 0)
        return;
    fprintf(out, "<rect class=k%d x=%.2f y=%.1f width=%.2f height=%.1f", (int)span->kind, x, y,
            fmax(width, 0.3), height);
    if (opacity < 1)
        fprintf(out, " opacity=%.3f", opacity);
    fprintf(out, "><title>rank %d: %s", rank, ft_span_name(span->kind));
    if (span->checkpoint >= 0)
        fprintf(out, " %d", span->checkpoint);
    fprintf(out, ", %.3f to %.3f s</title></rect>\n", span->from, span->to);
}

/* A step of 1, 2 or 5 times a power of ten that gives about eight lines. */
static double grid_step(double end)
{
    double step = pow(10, floor(log10(fmax(end, 1e-6) / 8)));

    return end / step > 40 ? 5 * step : end / step > 16 ? 2 * step : step;
}

static void put_grid(FILE *out, const struct ft_story *story, double height)
{
    double step = grid_step(story->end);

    for (double time = 0; time <= story->end && step > 0; time += step)
        fprintf(out,
                "<line class=grid x1=%.2f x2=%.2f y1=0 y2=%.1f /><text x=%.2f y=%.1f>%g s</text>\n",
                x_of(story, time), x_of(story, time), height, x_of(story, time) + 2, height + 11,
                time);
}

static void put_rows(FILE *out, const struct ft_story *story)
{
    int group = group_size(story), rows = (story->ranks + group - 1) / group;
    double height = rows > 60 ? 6 : 16, pitch = height + 2;

    fprintf(out,
            "<h2>What happened</h2>\n<p class=zoom hidden><button>wider</button> "
            "<button>narrower</button></p>\n"
            "<div class=scroll id=rows><svg viewBox=\"%d 0 %d %.1f\" preserveAspectRatio=none "
            "style=\"height:%.0fpx\">\n"
            "<defs><pattern id=hatch width=6 height=6 patternUnits=userSpaceOnUse "
            "patternTransform=rotate(45)>"
            "<rect width=6 height=6 fill=\"var(--paper)\" /><rect width=3 height=6 "
            "fill=\"var(--lost)\" /></pattern></defs>\n",
            -LABEL, WIDTH + LABEL, rows * pitch + 16, rows * pitch + 16);
    put_grid(out, story, rows * pitch);
    for (int rank = 0; rank < story->ranks; rank++) {
        const struct ft_row *row = &story->rows[rank];
        double y = rank / group * pitch;

        if (rank % group == 0 && (height > 10 || rank / group % 4 == 0)) {
            fprintf(out,
                    group > 1 ? "<text x=%d y=%.1f>%d-%d</text>\n"
                              : "<text x=%d y=%.1f>rank %d</text>\n",
                    -LABEL, y + (height > 10 ? 12 : 8), rank, rank + group - 1);
        }
        for (size_t i = 0; i < row->count; i++)
            put_span(out, story, &row->spans[i], rank, y, height, 1. / group);
    }
    for (size_t i = 0; i < story->death_count; i++) {
        double x = x_of(story, story->deaths[i].time), y = story->deaths[i].rank / group * pitch;

        fprintf(out,
                "<path class=death d=\"M%.2f %.1fl5 5m0 -5l-5 5\"><title>rank %d died: "
                "%s</title></path>\n",
                x - 2.5, y + height / 2 - 2.5, story->deaths[i].rank, story->deaths[i].how);
    }
    fputs("</svg></div>\n", out);
}

static void put_bytes(FILE *out, const struct ft_story *story)
{
    double all = 0, sum = 0;

    for (size_t i = 0; i < story->commit_count; i++)
        all += story->commits[i].bytes;
    if (all <= 0)
        return;
    fprintf(out,
            "<h2>Checkpoints written: %.3g MB</h2>\n<svg viewBox=\"%d 0 %d 62\" "
            "preserveAspectRatio=none style=\"height:62px\">"
            "<path class=line d=\"M0 60",
            all / 1e6, -LABEL, WIDTH + LABEL);
    for (size_t i = 0; i < story->commit_count; i++) {
        sum += story->commits[i].bytes;
        fprintf(out, "H%.2fV%.2f", x_of(story, story->commits[i].time), 60 - 58 * sum / all);
    }
    fprintf(out, "H%d\" /></svg>\n", WIDTH);
}

static void put_deaths(FILE *out, const struct ft_story *story)
{
    char text[FT_SENTENCE];

    if (story->death_count == 0)
        return;
    fputs("<h2>Failures</h2>\n<ul>\n", out);
    for (size_t i = 0; i < story->death_count; i++)
        fprintf(out, "<li>%s</li>\n", ft_picture_sentence(story, &story->deaths[i], text));
    fputs("</ul>\n", out);
}

int ft_picture_page(FILE *out, const struct ft_story *story, const char *title)
{
    ft_html_begin(out, title, "");
    fputs("<style>.b0{background:var(--start)}.b1{background:var(--work)}.b2{background:repeating-"
          "linear-gradient(45deg,"
          "var(--lost) 0 3px,var(--paper) 3px "
          "6px)}.b3{background:var(--checkpoint)}.b4{background:var(--recovery)}</style>\n",
          out);
    put_summary(out, story);
    put_rows(out, story);
    put_bytes(out, story);
    put_deaths(out, story);
    fprintf(out, "<script>%s</script>\n</body></html>\n", script);
    return ferror(out) ? -1 : 0;
}

int ft_picture_trace(FILE *out, const struct ft_story *story)
{
    const char *comma = "";

    fputs("{\"traceEvents\":[", out);
    for (int rank = 0; rank < story->ranks; rank++) {
        fprintf(out,
                "%s\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,\"args\":{"
                "\"name\":\"rank %d\"}}",
                comma, rank, rank);
        comma = ",";
        for (size_t i = 0; i < story->rows[rank].count; i++) {
            const struct ft_span *span = &story->rows[rank].spans[i];

            fprintf(
                out,
                ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.0f,\"dur\":%.0f}",
                ft_span_name(span->kind), rank, span->from * 1e6, (span->to - span->from) * 1e6);
        }
    }
    for (size_t i = 0; i < story->death_count; i++)
        fprintf(
            out,
            ",\n{\"name\":\"death: %s\",\"ph\":\"i\",\"s\":\"t\",\"pid\":0,\"tid\":%d,\"ts\":%.0f}",
            story->deaths[i].how, story->deaths[i].rank, story->deaths[i].time * 1e6);
    fputs("\n]}\n", out);
    return ferror(out) ? -1 : 0;
}
