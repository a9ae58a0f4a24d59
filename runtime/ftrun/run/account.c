/* account: what the ranks' recorders have counted, told at the end of a run: determinants by
 * the place of their calls, and calls by their kinds.
 *
 * A place is a return address; the executable lies at the same addresses in all ranks, so entries
 * of several ranks with one address are one site. */
#include <stdio.h>
#include <stdlib.h>
#include "host/site.h"
#include "calls/calls.h"
#include "run/run.h"

static int by_address(const void *first, const void *second)
{
    const struct ft_recorder_site *a = first, *b = second;

    return a->address < b->address ? -1 : a->address > b->address;
}

static int by_count(const void *first, const void *second)
{
    const struct ft_recorder_site *a = first, *b = second;

    return a->count > b->count ? -1 : a->count < b->count;
}

/* All entries of all ranks, unsorted; of both copies, because each of them may have led. Returns
 * how many. */
static size_t copy_sites(const struct ft_run *run, struct ft_recorder_site *all)
{
    size_t count = run->twin && !run->copy ? copy_sites(run->twin, all) : 0;

    for (int i = 0; i < run->size; i++) {
        for (int k = 0; k < FT_RECORDER_SITES; k++) {
            if (run->members[i].recorder->sites[k].address)
                all[count++] = run->members[i].recorder->sites[k];
        }
    }
    return count;
}

/* Adds up those of one address; the greatest first. Returns how many remain. */
static size_t add_up(struct ft_recorder_site *all, size_t count)
{
    size_t kept = 0;

    qsort(all, count, sizeof(*all), by_address);
    for (size_t i = 0; i < count; i++) {
        if (kept && all[kept - 1].address == all[i].address)
            all[kept - 1].count += all[i].count;
        else
            all[kept++] = all[i];
    }
    qsort(all, kept, sizeof(*all), by_count);
    return kept;
}

static uint64_t total_determinants(const struct ft_run *run)
{
    uint64_t total = 0;

    for (int i = 0; i < run->size; i++)
        total += ft_ring_count(&run->members[i]);
    return total;
}

/* Does anybody read events? Names of sites take time. */
static int is_told(const struct ft_run *run)
{
    return run->options.events || run->options.verbose;
}

static void name_site(const struct ft_run *run, uint64_t address, char *place, size_t size)
{
    if (address == FT_RECORDER_LIBC)
        snprintf(place, size, "clocks%s random numbers",
                 run->twin ? ", changes of files and" : " and");
    else if (run->program.part_count) /* of which program, nobody knows */
        snprintf(place, size, "address 0x%llx", (unsigned long long)address);
    else
        ft_site_name(run->program.path, address, place, size);
}

static void emit_sites(const struct ft_run *run, const struct ft_recorder_site *all, size_t count)
{
    char place[FT_STORE_PATH];

    for (size_t i = 0; i < count && is_told(run); i++) {
        name_site(run, all[i].address, place, sizeof(place));
        ft_events_emit(run->events, "determinants", "{s:s, s:I}", "site", place, "count",
                       (json_int_t)all[i].count);
    }
}

/* Receives that needed no record, because ftcc proved their sites. Both copies of a rank make them
 * all; one may have died since. */
static uint64_t total_spared(const struct ft_run *run)
{
    uint64_t total = 0;

    for (int i = 0; i < run->size; i++) {
        uint64_t own = run->members[i].recorder->spared;
        uint64_t other = run->twin ? run->twin->members[i].recorder->spared : 0;

        total += own > other ? own : other;
    }
    return total;
}

/* With two copies of each rank the recorded outcomes are what one copy gives to the other. */
static void say_recorded(const struct ft_run *run, const struct ft_recorder_site *most,
                         size_t count)
{
    char place[FT_STORE_PATH];

    name_site(run, most->address, place, sizeof(place));
    ft_say("%llu determinants%s at %zu site%s, most at %s (%llu)",
           (unsigned long long)total_determinants(run), run->twin ? " for the other copies" : "",
           count, count == 1 ? "" : "s", place, (unsigned long long)most->count);
}

void ft_account_determinants(const struct ft_run *run)
{
    struct ft_recorder_site *all =
        malloc(FT_COPIES * (size_t)run->size * FT_RECORDER_SITES * sizeof(*all));
    size_t count = all ? add_up(all, copy_sites(run, all)) : 0;
    uint64_t spared = total_spared(run);
    int said = run->summary.failures || run->options.verbose;

    emit_sites(run, all, count);
    ft_events_emit(run->events, "recorded", "{s:I, s:I}", "determinants",
                   (json_int_t)total_determinants(run), "spared", (json_int_t)spared);
    if (count && said)
        say_recorded(run, &all[0], count);
    if (spared && said)
        ft_say("%llu receives by wildcard needed no determinant: ftcc proved their sites",
               (unsigned long long)spared);
    free(all);
}

static json_t *calls_of(const struct ft_recorder *recorder)
{
    json_t *calls = json_object();

    for (int i = 0; i < FT_RECORDER_KINDS && recorder->kinds[i].call; i++)
        json_object_set_new(calls, ft_call_name(recorder->kinds[i].call),
                            json_integer((json_int_t)recorder->kinds[i].count));
    return calls;
}

void ft_account_calls(const struct ft_run *run)
{
    for (int i = 0; i < run->size && is_told(run); i++)
        ft_events_emit(run->events, "calls", "{s:i, s:o}", "rank", i, "calls",
                       calls_of(run->members[i].recorder));
}
