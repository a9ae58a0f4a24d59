/* The page (page.h). Ranks are ordered by cluster, so that a cluster is a square on the diagonal of
 * the map, and what is logged lies outside of all squares. */
#include "ftcluster/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "html/html.h"

enum {
    CELLS_MOST = 128,
    SIDE = 640,
    LABEL = 40,
    CURVE_WIDTH = 640,
    CURVE_HEIGHT = 200,
    MARGIN = 70
};

static const char style[] =
    "<style>.map{max-width:46rem}.in{fill:var(--work)}.log{fill:var(--recovery)}"
    ".cluster{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".dot{fill:var(--checkpoint)}.chosen{stroke:var(--ink);stroke-width:2}"
    ".most{stroke:var(--recovery);stroke-dasharray:5 3}"
    ".end{text-anchor:end}.bi{background:var(--work)}.bl{background:var(--recovery)}"
    "tr.this{font-weight:bold}</style>\n";

struct map {
    const struct ft_profile *profile;
    const struct ft_partition *chosen;
    int group, cells;     /* ranks in a row or column; rows */
    int *order, *place;   /* [ranks] the rank at a place; the place of a rank */
    double *all, *logged; /* [cells * cells] bytes a second */
};

static void map_free(struct map *map)
{
    free(map->order);
    free(map->place);
    free(map->all);
    free(map->logged);
}

/* Clusters in turn, and the ranks of each in turn. 0; -1: no memory. */
static int order_fill(struct map *map)
{
    int ranks = map->profile->ranks,
        *next = calloc((size_t)map->chosen->clusters + 1, sizeof *next);

    if (!next)
        return -1;
    for (int rank = 0; rank < ranks; rank++)
        next[map->chosen->of[rank] + 1]++;
    for (int i = 0; i < map->chosen->clusters; i++)
        next[i + 1] += next[i];
    for (int rank = 0; rank < ranks; rank++) {
        int place = next[map->chosen->of[rank]]++;

        map->order[place] = rank;
        map->place[rank] = place;
    }
    free(next);
    return 0;
}

static int map_make(struct map *map, const struct ft_profile *profile,
                    const struct ft_partition *chosen)
{
    size_t ranks = (size_t)profile->ranks;

    *map = (struct map){.profile = profile, .chosen = chosen};
    map->group = (profile->ranks + CELLS_MOST - 1) / CELLS_MOST;
    map->cells = (profile->ranks + map->group - 1) / map->group;
    size_t cells = (size_t)map->cells * (size_t)map->cells;
    map->order = calloc(ranks, sizeof *map->order);
    map->place = calloc(ranks, sizeof *map->place);
    map->all = calloc(cells, sizeof *map->all);
    map->logged = calloc(cells, sizeof *map->logged);
    if (!map->order || !map->place || !map->all || !map->logged || order_fill(map) != 0)
        return -1;
    for (size_t i = 0; i < profile->count; i++) {
        const struct ft_profile_edge *edge = &profile->edge[i];
        size_t cell = (size_t)(map->place[edge->from] / map->group) * (size_t)map->cells +
                      (size_t)(map->place[edge->to] / map->group);
        double rate = (double)edge->bytes / profile->seconds;

        map->all[cell] += rate;
        if (chosen->of[edge->from] != chosen->of[edge->to])
            map->logged[cell] += rate;
    }
    return 0;
}

/* "rank 3", "ranks 3, 5 and 2 more" */
static void put_ranks(FILE *out, const struct map *map, int cell)
{
    int first = cell * map->group, count = map->group;

    if (first + count > map->profile->ranks)
        count = map->profile->ranks - first;
    if (count == 1)
        fprintf(out, "rank %d", map->order[first]);
    else if (count == 2)
        fprintf(out, "ranks %d and %d", map->order[first], map->order[first + 1]);
    else
        fprintf(out, "ranks %d, %d and %d more", map->order[first], map->order[first + 1],
                count - 2);
}

static void put_cell(FILE *out, const struct map *map, int row, int column, double strength)
{
    size_t cell = (size_t)row * (size_t)map->cells + (size_t)column;
    double side = (double)SIDE / map->cells;

    fprintf(out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "opacity=\"%.2f\"><title>",
            map->logged[cell] > 0 ? "log" : "in", column * side, row * side, side, side, strength);
    put_ranks(out, map, row);
    fputs(" to ", out);
    put_ranks(out, map, column);
    fprintf(out, ": %.3g MB/s, of which %.3g are logged</title></rect>\n", map->all[cell] / 1e6,
            map->logged[cell] / 1e6);
}

/* The strength of a colour goes by the logarithm: traffic spans powers of ten. */
static void put_cells(FILE *out, const struct map *map)
{
    size_t cells = (size_t)map->cells * (size_t)map->cells;
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < cells; i++) {
        if (map->all[i] > 0)
            least = fmin(least, map->all[i]);
        most = fmax(most, map->all[i]);
    }
    for (size_t i = 0; i < cells; i++) {
        if (map->all[i] > 0)
            put_cell(out, map, (int)(i / (size_t)map->cells), (int)(i % (size_t)map->cells),
                     most > least ? 0.2 + 0.8 * log(map->all[i] / least) / log(most / least) : 1);
    }
}

/* Clusters that are smaller than a cell are not seen. */
static void put_clusters(FILE *out, const struct map *map)
{
    double unit = (double)SIDE / map->cells / map->group;

    for (int from = 0, to; from < map->profile->ranks; from = to) {
        int cluster = map->chosen->of[map->order[from]];

        for (to = from; to < map->profile->ranks && map->chosen->of[map->order[to]] == cluster;)
            to++;
        if (to - from < map->group)
            continue;
        fprintf(out,
                "<rect class=\"cluster\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                "<title>cluster %d: %d ranks</title></rect>\n",
                from * unit, from * unit, (to - from) * unit, (to - from) * unit, cluster,
                to - from);
    }
}

/* As many numbers of ranks at both sides as there is room for. */
static void put_labels(FILE *out, const struct map *map)
{
    int step = (map->cells + 31) / 32;
    double side = (double)SIDE / map->cells;

    for (int cell = 0; cell < map->cells; cell += step) {
        int rank = map->order[cell * map->group];
        double middle = (cell + 0.5) * side;

        fprintf(out,
                "<text class=\"end\" x=\"-5\" y=\"%.2f\">%d</text>"
                "<text x=\"4\" y=\"4\" transform=\"translate(%.2f -4) rotate(-90)\">%d</text>\n",
                middle + 4, rank, middle, rank);
    }
}

static void put_map(FILE *out, const struct map *map)
{
    fprintf(out,
            "<h2>Who sends to whom</h2>\n<p class=\"key\">Rows send, columns receive; the stronger "
            "the colour, the more bytes (logarithmic). <span class=\"bi\"></span>within a cluster"
            "<span class=\"bl\"></span>between clusters, and therefore logged");
    fprintf(out, map->group > 1 ? ". Each cell is %d ranks by %d.</p>\n" : ".</p>\n", map->group,
            map->group);
    fprintf(out,
            "<svg class=\"map\" id=\"map\" viewBox=\"%d %d %d %d\" role=\"img\" "
            "aria-label=\"bytes between ranks\">\n",
            -LABEL, -LABEL, SIDE + LABEL + 2, SIDE + LABEL + 2);
    put_cells(out, map);
    put_clusters(out, map);
    put_labels(out, map);
    fputs("</svg>\n", out);
}

/* ---- The curve ---- */

static double x_of(const struct ft_price *prices, int count, int i)
{
    double last = log2(prices[count - 1].clusters);

    return last > 0 ? CURVE_WIDTH * log2(prices[i].clusters) / last : 0;
}

static double y_of(double rate, double most)
{
    return most > 0 ? CURVE_HEIGHT * (1 - rate / most) : CURVE_HEIGHT;
}

static void put_grid(FILE *out, const struct ft_price *prices, int count, double most)
{
    for (int i = 0; i <= 4; i++) {
        double y = CURVE_HEIGHT * i / 4.;

        fprintf(out,
                "<line class=\"grid\" x1=\"0\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\" />"
                "<text class=\"end\" x=\"-6\" y=\"%.2f\">%.3g</text>\n",
                CURVE_WIDTH, y, y, y + 4, most * (4 - i) / 4 / 1e6);
    }
    for (int i = 0; i < count; i++)
        fprintf(out, "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                x_of(prices, count, i), CURVE_HEIGHT + 16, prices[i].clusters);
    fprintf(out,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">clusters</text>"
            "<text x=\"%d\" y=\"-8\">MB/s</text>\n",
            CURVE_WIDTH / 2, CURVE_HEIGHT + 32, -MARGIN + 30);
}

static void put_line(FILE *out, const struct ft_price *prices, int count, double most, int of_one)
{
    fprintf(out, "<path class=\"line%s\" d=\"", of_one ? " most" : "");
    for (int i = 0; i < count; i++)
        fprintf(out, "%c%.2f %.2f", i ? 'L' : 'M', x_of(prices, count, i),
                y_of(of_one ? prices[i].largest : prices[i].total, most));
    fputs("\" />\n", out);
}

static void put_curve(FILE *out, const struct ft_price *prices, int count, int chosen)
{
    double most = 0;

    for (int i = 0; i < count; i++)
        most = fmax(most, prices[i].total);
    fprintf(
        out,
        "<h2>What is logged</h2>\n<p>Bytes logged each second by all ranks, by number of clusters; "
        "dashed: by the rank that logs most.</p>\n"
        "<svg class=\"map\" id=\"curve\" viewBox=\"%d -24 %d %d\" role=\"img\" "
        "aria-label=\"bytes logged by number of clusters\">\n",
        -MARGIN, CURVE_WIDTH + MARGIN + 20, CURVE_HEIGHT + 64);
    put_grid(out, prices, count, most);
    put_line(out, prices, count, most, 0);
    put_line(out, prices, count, most, 1);
    for (int i = 0; i < count; i++)
        fprintf(out,
                "<circle class=\"dot%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"4\"><title>%d clusters: %.3g "
                "MB/s</title></circle>\n",
                prices[i].clusters == chosen ? " chosen" : "", x_of(prices, count, i),
                y_of(prices[i].total, most), prices[i].clusters, prices[i].total / 1e6);
    fputs("</svg>\n", out);
}

static void put_table(FILE *out, const struct ft_price *prices, int count, int chosen)
{
    fputs("<table id=\"prices\"><tr><th>clusters</th><th>rolled back</th><th>logged, MB/s</th>"
          "<th>most of a rank</th></tr>\n",
          out);
    for (int i = 0; i < count; i++)
        fprintf(out, "<tr%s><td>%d</td><td>%.1f %%</td><td>%.3f</td><td>%.3f</td></tr>\n",
                prices[i].clusters == chosen ? " class=\"this\"" : "", prices[i].clusters,
                100 * prices[i].share, prices[i].total / 1e6, prices[i].largest / 1e6);
    fputs("</table>\n", out);
}

int ft_cluster_page(FILE *out, const char *title, const struct ft_profile *profile,
                    const struct ft_partition *chosen, const struct ft_price *prices, int count)
{
    struct map map;
    int code = map_make(&map, profile, chosen);

    if (code) {
        errno = ENOMEM;
    } else {
        ft_html_begin(out, title, "");
        fputs(style, out);
        fprintf(out,
                "<p>%d rank%s, %.2f s, %d cluster%s; one failure takes back %.1f %% of the "
                "ranks, and %.3g MB are logged each second.</p>\n",
                profile->ranks, profile->ranks == 1 ? "" : "s", profile->seconds, chosen->clusters,
                chosen->clusters == 1 ? "" : "s", 100 * chosen->share, chosen->total / 1e6);
        put_map(out, &map);
        put_curve(out, prices, count, chosen->clusters);
        put_table(out, prices, count, chosen->clusters);
        fputs("</body></html>\n", out);
        code = ferror(out) ? -1 : 0;
    }
    map_free(&map);
    return code;
}
