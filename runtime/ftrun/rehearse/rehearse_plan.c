/* rehearse_plan: which deaths are tried. A rank dies in the middle of its calls of a kind, where
 * most that a program does is under way. A cluster fails twice, by its first rank. In the
 * middle: what it resends meets ranks that have not got it yet, so that a wrong number goes on.
 * And as late as the rank can die: all that comes after a death is not done again, and what is
 * said of a cluster's failures is said of all that it does. */
#include "rehearse/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include "console/say.h"
#include "options/clusters.h"
#include "options/fields.h"
#include "store/store.h"

static json_t *plan_death(const char *kind, int rank, const char *call, json_int_t occurrence,
                          json_int_t times)
{
    return json_pack("{s:s, s:i, s:s, s:I, s:I}", "kind", kind, "rank", rank, "call", call,
                     "occurrence", occurrence, "times", times);
}

/* A death at MPI_Init comes before anything that could be done again. */
static int is_work(const char *call)
{
    return strcmp(call, "MPI_Init") && strcmp(call, "MPI_Init_thread") &&
           strcmp(call, "MPI_Finalize");
}

static const char *most_frequent(const json_t *calls)
{
    const char *name, *best = NULL;
    json_int_t most = 0;
    json_t *count;

    json_object_foreach ((json_t *)(uintptr_t)calls, name, count) {
        if (is_work(name) && json_integer_value(count) > most) {
            most = json_integer_value(count);
            best = name;
        }
    }
    return best;
}

/* The call behind which there is least to be done. Nobody leaves MPI_Finalize before all are in
 * it: a rank that dies there leaves nobody behind who could not roll back. */
static const char *last_call(const json_t *calls)
{
    return json_object_get(calls, "MPI_Finalize") ? "MPI_Finalize" : most_frequent(calls);
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

/* A failure of a cluster at the end, or in the middle, if its first rank makes such a call. */
static void plan_failure(json_t *plan, int rank, int cluster, const json_t *made, int end)
{
    const char *call = end ? last_call(made) : most_frequent(made);
    json_int_t times = call ? json_integer_value(json_object_get(made, call)) : 0;
    json_t *run =
        call ? plan_death("cluster", rank, call, end ? times : (times + 1) / 2, times) : NULL;

    if (!run)
        return;
    json_object_set_new(run, "cluster", json_integer(cluster));
    json_object_set_new(run, "moment", json_string(end ? "end" : "middle"));
    json_array_append_new(plan, run);
}

static void plan_cluster(json_t *plan, const int32_t *of, int size, int cluster,
                         const json_t *calls)
{
    int rank = 0;

    while (rank < size && of[rank] != cluster)
        rank++;
    plan_failure(plan, rank, cluster, json_array_get(calls, (size_t)rank), 0);
    plan_failure(plan, rank, cluster, json_array_get(calls, (size_t)rank), 1);
}

/* Notes for each run how many ranks the dying rank's cluster has: the run counts clusters that
 * are joined meanwhile as one, but their ranks are not fewer. */
static void note_members(json_t *plan, const int32_t *of, int size)
{
    json_t *run;
    size_t i;

    json_array_foreach (plan, i, run) {
        int32_t cluster = of[ft_field_number(run, "rank")], members = 0;

        for (int rank = 0; rank < size; rank++)
            members += of[rank] == cluster;
        json_object_set_new(run, "members", json_integer(members));
    }
}

json_t *ft_rehearse_plan(const struct ft_options *options, const json_t *calls)
{
    json_t *plan = json_array(), *made, *count;
    json_int_t times;
    size_t rank;
    const char *call;
    int clusters;
    int32_t *of = clusters_of(options, &clusters);

    if (!of)
        return NULL;
    json_array_foreach (calls, rank, made) {
        json_object_foreach (made, call, count) {
            times = json_integer_value(count);
            json_array_append_new(plan,
                                  plan_death("death", (int)rank, call, (times + 1) / 2, times));
        }
    }
    for (int i = 0; clusters > 1 && i < clusters; i++)
        plan_cluster(plan, of, options->size, i, calls);
    note_members(plan, of, options->size);
    free(of);
    return plan;
}
