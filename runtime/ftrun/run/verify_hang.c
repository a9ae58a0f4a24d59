/* Ranks that hang at the same place are named together. The recorder tells the rank's state: it
 * polls when it goes on making calls, it waits when it is inside of one, and it computes, or
 * sleeps, when it has come back from the last one. */
#include "run/verify_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include "host/site.h"
#include "run/run.h"
#include "verify/verify.h"

enum { PLACES_MAX = 16 }; /* that are named */

enum doing { ENDED, STARTING, POLLING, WAITING, COMPUTING };

struct place {
    enum doing doing;
    uint32_t call;
    uint64_t site;
};

static struct place place_of(const struct ft_member *member, uint64_t before)
{
    const struct ft_recorder *recorder = member->recorder;
    struct place place = {.call = recorder->call, .site = recorder->site};

    if (member->ended)
        place = (struct place){.doing = ENDED};
    else if (recorder->calls == 0)
        place = (struct place){.doing = STARTING};
    else if (recorder->calls != before)
        place.doing = POLLING;
    else
        place.doing = recorder->where == FT_WHERE_USER ? COMPUTING : WAITING;
    return place;
}

static int is_same(const struct place *a, const struct place *b)
{
    return a->doing == b->doing && a->call == b->call && a->site == b->site;
}

static int is_seen(const struct place *place, int i)
{
    for (int j = 0; j < i; j++)
        if (is_same(&place[j], &place[i]))
            return 1;
    return 0;
}

/* "rank 3", "ranks 0, 2-5": those at the place of `first`, which is the first of them. Answers
 * whether they are several. */
static int print_ranks(const struct place *place, int size, int first, FILE *out)
{
    int count = 0;

    for (int i = first; i < size; i++)
        count += is_same(&place[i], &place[first]);
    fputs(count > 1 ? "ranks" : "rank", out);
    for (int i = first; i < size; i++) {
        int last = i;

        if (!is_same(&place[i], &place[first]))
            continue;
        while (last + 1 < size && is_same(&place[last + 1], &place[first]))
            last++;
        fprintf(out, i == first ? " %d" : ", %d", i);
        if (last > i)
            fprintf(out, "-%d", last);
        i = last;
    }
    return count > 1;
}

static void print_doing(const struct ft_run *run, const struct place *place, int many, FILE *out)
{
    static const char *const words[][2] = {
        [ENDED] = {"has ended", "have ended"},
        [STARTING] = {"has not called MPI yet", "have not called MPI yet"},
        [POLLING] = {"polls with", "poll with"},
        [WAITING] = {"waits in", "wait in"},
        [COMPUTING] = {"has come back from", "have come back from"},
    };
    char name[FT_STORE_PATH];

    fprintf(out, " %s", words[place->doing][many]);
    if (place->doing == ENDED || place->doing == STARTING)
        return;
    ft_site_name(run->program.path, place->site, name, sizeof(name));
    fprintf(out, " %s at %s", ft_verify_call(place->call), name);
    if (place->doing == COMPUTING)
        fputs(" and calls nothing", out);
}

static void print_places(const struct ft_run *run, const struct place *place, FILE *out)
{
    int places = 0;

    for (int i = 0; i < run->size; i++) {
        if (is_seen(place, i))
            continue;
        if (places++ == PLACES_MAX) {
            fputs("; the others elsewhere", out);
            return;
        }
        fputs(i > 0 ? "; " : "", out);
        print_doing(run, &place[i], print_ranks(place, run->size, i, out), out);
    }
}

char *ft_hang_text(const struct ft_run *run, const uint64_t *before)
{
    struct place *place = calloc((size_t)run->size, sizeof(*place));
    char *text = NULL;
    size_t length;
    FILE *out = place ? open_memstream(&text, &length) : NULL;

    if (out) {
        for (int i = 0; i < run->size; i++)
            place[i] =
                place_of(&run->members[i], before ? before[i] : run->members[i].recorder->calls);
        print_places(run, place, out);
        fclose(out);
    }
    free(place);
    return text;
}

char *ft_hang_rank(const struct ft_run *run, int rank)
{
    const struct ft_member *member = &run->members[rank];
    struct place place = place_of(member, member->recorder->calls);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fprintf(out, "rank %d", rank);
    print_doing(run, &place, 0, out);
    fclose(out);
    return text;
}
