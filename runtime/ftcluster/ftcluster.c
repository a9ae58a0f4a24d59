/* ftcluster: from a profile to clusters. Without -k a table of what each number of clusters costs,
 * with it the clusters themselves, in the form that `ftrun --clusters FILE` reads. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftcluster/page.h"
#include "ftcluster/partition.h"

enum { USAGE = 2, WHY = 512, PRICES_MOST = 32 };

static const char help[] =
    "usage: ftcluster [options] PROFILE\n"
    "Divides the ranks of an MPI program into clusters that roll back on their own, such that\n"
    "little is sent, and therefore logged, between them. PROFILE comes from ftrun --profile.\n"
    "\n"
    "  -k CLUSTERS               print these clusters, for ftrun --clusters FILE;\n"
    "                            without -k: a table of numbers of clusters and their price\n"
    "  --ranks-per-node R        ranks 0..R-1, R..2R-1, ... stay together (1)\n"
    "  --minimize total|max      the bytes that all ranks log together (default), or those of\n"
    "                            the rank that logs most\n"
    "  -o FILE                   write to FILE instead of standard output\n"
    "  --html FILE               also write a page: the traffic between ranks with the\n"
    "                            clusters of -k, and what each number of clusters logs\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0; 1 nothing can be read, divided or written; 2 bad usage.\n";

struct options {
    int clusters, per_node;
    enum ft_partition_aim aim;
    const char *out, *html, *profile;
};

static int number(const char *text, int *value)
{
    char *end;
    long read = strtol(text, &end, 10);

    if (end == text || *end || read < 1 || read > 1 << 20)
        return -1;
    *value = (int)read;
    return 0;
}

static int complain(const char *option, const char *text)
{
    fprintf(stderr, "ftcluster: %s %s is not possible; see ftcluster --help\n", option, text);
    return -1;
}

/* 1, or -1: what was asked for could not be written. */
static int written(void)
{
    if (!fflush(stdout))
        return 1;
    fprintf(stderr, "ftcluster: standard output: %s\n", strerror(errno));
    return -1;
}

static int option_read(int key, const char *text, struct options *options)
{
    switch (key) {
    case 'k':
        return number(text, &options->clusters) ? complain("-k", text) : 0;
    case 'r':
        return number(text, &options->per_node) ? complain("--ranks-per-node", text) : 0;
    case 'm':
        options->aim = strcmp(text, "max") ? FT_MINIMIZE_TOTAL : FT_MINIMIZE_MAX;
        return strcmp(text, "max") && strcmp(text, "total") ? complain("--minimize", text) : 0;
    case 'o':
        options->out = text;
        return 0;
    case 'H':
        options->html = text;
        return 0;
    case 'h':
        fputs(help, stdout);
        return written();
    case 'V':
        puts("ftcluster " FT_VERSION);
        return written();
    default:
        return -1;
    }
}

/* 0, 1: answered, -1: wrong, said so. */
static int options_read(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {{"ranks-per-node", required_argument, NULL, 'r'},
                                          {"minimize", required_argument, NULL, 'm'},
                                          {"html", required_argument, NULL, 'H'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    int key, code = 0;

    while (code == 0 && (key = getopt_long(argc, argv, "k:o:h", table, NULL)) != -1)
        code = option_read(key, optarg, options);
    if (code != 0)
        return code;
    if (argc - optind != 1) {
        fprintf(stderr, "ftcluster: name one profile; see ftcluster --help\n");
        return -1;
    }
    options->profile = argv[optind];
    return 0;
}

/* "0-3,8": the ranks of a cluster. */
static void ranks_print(FILE *out, const struct ft_partition *partition, int ranks, int cluster)
{
    const char *comma = "";

    for (int rank = 0; rank < ranks; rank++) {
        int last = rank;

        if (partition->of[rank] != cluster)
            continue;
        while (last + 1 < ranks && partition->of[last + 1] == cluster)
            last++;
        if (last > rank)
            fprintf(out, "%s%d-%d", comma, rank, last);
        else
            fprintf(out, "%s%d", comma, rank);
        comma = ",";
        rank = last;
    }
    fputc('\n', out);
}

static int clusters_print(FILE *out, const struct ft_profile *profile,
                          const struct options *options)
{
    struct ft_partition partition = {0};
    char why[WHY];

    if (ft_partition_make(profile, options->clusters, options->per_node, options->aim, &partition,
                          why) != 0) {
        fprintf(stderr, "ftcluster: %s\n", why);
        return 1;
    }
    fprintf(out, "# %d clusters; one failure takes back %.1f %% of the ranks\n", options->clusters,
            100 * partition.share);
    fprintf(out, "# logged: %.3f MB/s by all, at most %.3f MB/s by one (rank %d)\n",
            partition.total / 1e6, partition.largest / 1e6, partition.rank);
    for (int cluster = 0; cluster < partition.clusters; cluster++)
        ranks_print(out, &partition, profile->ranks, cluster);
    ft_partition_free(&partition);
    return 0;
}

/* 0, or 1: such clusters cannot be made, and it was said. */
static int price_make(const struct ft_profile *profile, const struct options *options, int clusters,
                      struct ft_price *price)
{
    struct ft_partition partition = {0};
    char why[WHY];

    if (ft_partition_make(profile, clusters, options->per_node, options->aim, &partition, why)) {
        fprintf(stderr, "ftcluster: %s\n", why);
        return 1;
    }
    *price = (struct ft_price){clusters, partition.share, partition.total, partition.largest};
    ft_partition_free(&partition);
    return 0;
}

/* 1, 2, 4, ..., every node on its own, and in its place the number of -k. */
static int prices_make(const struct ft_profile *profile, const struct options *options,
                       struct ft_price *prices, int *count)
{
    int nodes = (profile->ranks + options->per_node - 1) / options->per_node, code = 0;
    int chosen = options->clusters;

    *count = 0;
    for (int clusters = 1; code == 0 && clusters < nodes; clusters *= 2) {
        if (chosen > clusters / 2 && chosen < clusters)
            code = price_make(profile, options, chosen, &prices[(*count)++]);
        if (code == 0)
            code = price_make(profile, options, clusters, &prices[(*count)++]);
    }
    if (code == 0 && chosen < nodes && *count && chosen > prices[*count - 1].clusters)
        code = price_make(profile, options, chosen, &prices[(*count)++]);
    return code ? code : price_make(profile, options, nodes, &prices[(*count)++]);
}

static int table_print(FILE *out, const struct ft_profile *profile, const struct options *options)
{
    struct ft_price prices[PRICES_MOST];
    int count, code = prices_make(profile, options, prices, &count);

    if (code)
        return code;
    fprintf(out, "%8s  %11s  %14s  %14s  %8s\n", "clusters", "rolled back", "logged, MB/s",
            "most of a rank", "mean");
    for (int i = 0; i < count; i++)
        fprintf(out, "%8d  %9.1f %%  %14.3f  %14.3f  %8.3f\n", prices[i].clusters,
                100 * prices[i].share, prices[i].total / 1e6, prices[i].largest / 1e6,
                prices[i].total / profile->ranks / 1e6);
    return 0;
}

/* Without -k all ranks are one cluster. */
static int page_print(FILE *out, const struct ft_profile *profile, const struct options *options)
{
    struct ft_price prices[PRICES_MOST];
    struct ft_partition chosen = {0};
    char why[WHY];
    int count, code = prices_make(profile, options, prices, &count);

    if (code)
        return code;
    if (ft_partition_make(profile, options->clusters ? options->clusters : 1, options->per_node,
                          options->aim, &chosen, why)) {
        fprintf(stderr, "ftcluster: %s\n", why);
        return 1;
    }
    code = ft_cluster_page(out, options->profile, profile, &chosen, prices, count);
    if (code)
        fprintf(stderr, "ftcluster: %s: %s\n", options->html, strerror(errno));
    ft_partition_free(&chosen);
    return code ? 1 : 0;
}

/* To the file that is asked for, or to stdout. */
static int text_write(const char *path, const char *text)
{
    FILE *out = path ? fopen(path, "w") : stdout;
    int code = out && fputs(text, out) >= 0 && fflush(out) == 0 ? 0 : 1;

    if (code)
        fprintf(stderr, "ftcluster: %s: %s\n", path ? path : "standard output", strerror(errno));
    if (out && path)
        fclose(out);
    return code;
}

typedef int print_fn(FILE *out, const struct ft_profile *profile, const struct options *options);

/* The file is opened last, so that one from before stays when there is nothing to write. */
static int print(print_fn *form, const char *path, const struct ft_profile *profile,
                 const struct options *options)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int code = 1;

    if (out) {
        code = form(out, profile, options);
        if (fclose(out) != 0)
            code = 1;
    }
    if (code == 0)
        code = text_write(path, text);
    free(text);
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {.per_node = 1};
    struct ft_profile profile;
    char why[WHY];
    int code = options_read(argc, argv, &options);

    if (code != 0)
        return code < 0 ? USAGE : 0;
    if (ft_profile_read(options.profile, &profile, why) != 0) {
        fprintf(stderr, "ftcluster: %s\n", why);
        return 1;
    }
    code = print(options.clusters ? clusters_print : table_print, options.out, &profile, &options);
    if (code == 0 && options.html)
        code = print(page_print, options.html, &profile, &options);
    ft_profile_free(&profile);
    return code;
}
