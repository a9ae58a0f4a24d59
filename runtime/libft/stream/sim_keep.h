/* sim_keep: checkpoints on the simulated machine (sim.h), two of each cluster; the folders for the
 * files of logs; and the start of it all. */
#ifndef FT_STREAM_SIM_KEEP_H
#define FT_STREAM_SIM_KEEP_H

#include "stream/sim.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>

static struct { /* the two latest checkpoints of each cluster */
    int count, newest;
    int32_t number[2];
} checkpoint[CLUSTERS];
static _Alignas(64) char kept[2][RANKS][ARENA];
static int received[2][RANKS], stones[2][RANKS]; /* descriptors of what lies beside the images */
static int32_t checkpoints;                      /* taken so far, of all clusters */

/* A clone has not read yet what the log of a rank held when its image was taken. */
static struct {
    int slot, parts; /* of its image; 0 parts: it has read all */
    struct {
        char *pages;
        size_t used;
    } part[ARENA / 4096];
} reader[RANKS];

static char *in_image(int rank, int slot, const char *at)
{
    return kept[slot][rank] + (at - arena[rank]);
}

static int part_add(void *closure, void *pages, size_t bytes, size_t used)
{
    int rank = *(int *)closure, i = reader[rank].parts++;

    reader[rank].part[i].pages = pages;
    reader[rank].part[i].used = used;
    memset(in_image(rank, reader[rank].slot, pages), 0xee, bytes);
    return 0;
}

static void reader_end(int rank)
{
    for (int i = 0; i < reader[rank].parts; i++)
        memcpy(in_image(rank, reader[rank].slot, reader[rank].part[i].pages),
               reader[rank].part[i].pages, reader[rank].part[i].used);
    reader[rank].parts = 0;
}

int ft_apart_is_read(void)
{
    if (rand() % 4 == 0)
        reader_end(acting);
    return reader[acting].parts == 0;
}

/* Files of all logs. */
static int files_count(void)
{
    int count = 0;

    for (int i = 0; i < RANKS; i++) {
        DIR *dir = opendir((act(i), ft_life.boot.log));

        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
            count += entry->d_name[0] != '.';
        closedir(dir);
    }
    return count;
}

static int folders_make(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < RANKS; i++) {
        assert_int_equal(mkdir((act(i), ft_life.boot.log), 0700), 0);
        for (int slot = 0; slot < 2; slot++) {
            received[slot][i] = memfd_create("received", 0);
            stones[slot][i] = memfd_create("stones", 0);
        }
    }
    return 0;
}

static int oldest_slot(int cluster)
{
    return checkpoint[cluster].count == 2 ? !checkpoint[cluster].newest
                                          : checkpoint[cluster].newest;
}

/* -1: none. */
static int32_t oldest(int cluster)
{
    return checkpoint[cluster].count ? checkpoint[cluster].number[oldest_slot(cluster)] : -1;
}

static void beside_write(int rank, int slot)
{
    assert_int_equal(ftruncate(received[slot][rank], 0) | ftruncate(stones[slot][rank], 0), 0);
    lseek(received[slot][rank], 0, SEEK_SET);
    lseek(stones[slot][rank], 0, SEEK_SET);
    assert_int_equal(ft_streams_write(act(rank), received[slot][rank]), 0);
    assert_int_equal(ft_streams_write_stones(act(rank), stones[slot][rank]), 0);
}

static void beside_read(int rank)
{
    for (int i = 0; i < RANKS; i++) {
        int cluster = cluster_of[i], slot = oldest_slot(cluster);

        if (cluster == cluster_of[rank] || oldest(cluster) < 0)
            continue;
        assert_int_equal(ft_streams_drop(act(rank), i, received[slot][i]), 0);
        assert_int_equal(ft_streams_learn(act(rank), i, oldest(cluster), stones[slot][i]), 0);
    }
}

static void assert_valid(int rank)
{
    const char *wrong = ft_streams_wrong(act(rank));

    if (wrong)
        fail_msg("rank %d: %s", rank, wrong);
}

static void cluster_keep(int cluster)
{
    int slot = checkpoint[cluster].count ? !checkpoint[cluster].newest : 0;
    int32_t number = checkpoints++;

    for (int i = 0; i < RANKS; i++) {
        if (cluster_of[i] != cluster)
            continue;
        reader_end(i);
        beside_read(i);
        ft_streams_settle(act(i), number, oldest(cluster));
        assert_valid(i);
        assert_int_equal(ft_streams_sync(act(i)), 0);
        memcpy(kept[slot][i], arena[i], ARENA);
        reader[i].slot = slot;
        assert_int_equal(ft_streams_pages(&actor_of(i)->rank, part_add, &i), 0);
        beside_write(i, slot);
    }
    checkpoint[cluster].newest = slot;
    checkpoint[cluster].number[slot] = number;
    if (checkpoint[cluster].count < 2)
        checkpoint[cluster].count++;
}

/* A checkpoint may turn out to be damaged; then it is the one before it. One that was not complete
 * when the epoch ended would not be there. */
static void cluster_go_back(int cluster)
{
    for (int i = 0; i < RANKS; i++)
        reader_end(i);
    if (checkpoint[cluster].count == 2 && rand() % 4 == 0) {
        checkpoint[cluster].count = 1;
        checkpoint[cluster].newest = !checkpoint[cluster].newest;
    }
    for (int i = 0; i < RANKS; i++)
        if (cluster_of[i] == cluster)
            memcpy(arena[i], kept[checkpoint[cluster].newest][i], ARENA);
}

static void all_start(void)
{
    memset(checkpoint, 0, sizeof checkpoint);
    memset(requested, 0, sizeof requested);
    checkpoints = warnings = requests = 0;
    for (int i = 0; i < RANKS; i++) {
        reader[i].parts = 0;
        actor_start(i);
    }
    for (int i = 0; i < CLUSTERS; i++)
        cluster_keep(i);
    net_lost();
    hearing = rollbacks = replays = grown = 0;
    met = MET_ANY;
    ft_life.boot.survivor = 0;
}

static int folders_remove(void **state)
{
    (void)state;
    log_limit = 1;
    all_start(); /* removes the files */
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(rmdir((act(i), ft_life.boot.log)), 0);
    return rmdir(folder);
}

#endif
