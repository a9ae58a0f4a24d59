/* rehearse_plan: which deaths are tried. A rank dies in the middle of its calls of a kind, where
 * most that a program does is under way. A cluster fails at its first rank's most frequent call. */
#include "rehearse/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include "console/say.h"
#include "options/clusters.h"
#include "store/store.h"

static json_t *plan_death(const char *kind, int rank, const char *call, json_int_t times)
{
    return json_pack("{s:s, s:i, s:s, s:I, s:I}", "kind", kind, "rank", rank, "call", call,
                     "occurrence", (times + 1) / 2, "times", times);
}

static const char *most_frequent(const json_t *calls)
{
    const char *name, *best = NULL;
    json_int_t most = 0;
    json_t *count;

    json_object_foreach ((json_t *)(uintptr_t)calls, name, count) {
        if (json_integer_value(count) > most) {
            most = json_integer_value(count);
            best = name;
        }
    }
    return best;
}

/* The list of clusters by rank, the caller's; *count of them. NULL after a message. */
static int32_t *clusters_of(const struct ft_options *options, int *count)
{
    const char *word = options->clusters ? options->clusters : "node";
    int32_t *of = calloc((size_t)options->size, sizeof(*of));
    char why[FT_STORE_WHY] = "no memory";

    *count = of ? ft_clusters_read(word, options->size, of, why, sizeof(why)) : -1;
    if (*count >= 0)
        return of;
    ft_say("%s", why);
    free(of);
    return NULL;
}

int ft_rehearse_clusters(const struct ft_options *options)
{
    int count;
    int32_t *of = clusters_of(options, &count);

    free(of);
    return of ? count : -1;
}

static void plan_cluster(json_t *plan, const int32_t *of, int size, int cluster,
                         const json_t *calls)
{
    int rank = 0;

    while (rank < size && of[rank] != cluster)
        rank++;
    const json_t *made = json_array_get(calls, (size_t)rank);
    const char *call = most_frequent(made);
    json_t *run =
        call ? plan_death("cluster", rank, call, json_integer_value(json_object_get(made, call)))
             : NULL;

    if (!run)
        return;
    json_object_set_new(run, "cluster", json_integer(cluster));
    json_array_append_new(plan, run);
}

json_t *ft_rehearse_plan(const struct ft_options *options, const json_t *calls)
{
    json_t *plan = json_array(), *made, *count;
    size_t rank;
    const char *call;
    int clusters;
    int32_t *of = clusters_of(options, &clusters);

    if (!of)
        return NULL;
    json_array_foreach (calls, rank, made) {
        json_object_foreach (made, call, count)
            json_array_append_new(plan,
                                  plan_death("death", (int)rank, call, json_integer_value(count)));
    }
    for (int i = 0; clusters > 1 && i < clusters; i++)
        plan_cluster(plan, of, options->size, i, calls);
    free(of);
    return plan;
}
