#include "files/undo_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/record.h"
#include "files/undo_stub.h"

static char store[RANKS][96];
static struct ft_rank rank[RANKS];
static struct ft_recorder recorder[RANKS];
static struct ft_undo_party party[RANKS];
static uint64_t cuts[RANKS][16]; /* moments of checkpoints, by number; 0: there is none */
struct ft_undo_share share;

int ranks_setup(void **state)
{
    (void)state;
    closefrom(3); /* what is inherited, a log of ctest for one, would be a file of all ranks */
    if (work_make("undo_ranks") != 0)
        return -1;
    for (int r = 0; r < RANKS; r++) {
        snprintf(store[r], sizeof store[r], "%s/rank-%d", work, r);
        mkdir(store[r], 0700);
        rank[r].recorder = &recorder[r];
        ft_files_start(&rank[r]);
    }
    memset(cuts, 0, sizeof cuts);
    ft_life.boot.clusters = RANKS;
    stay();
    return 0;
}

int ranks_teardown(void **state)
{
    (void)state;
    return work_remove();
}

const char *ranks_store(int r)
{
    return store[r];
}

void act_as(int r)
{
    ft_self = r < 0 ? NULL : &rank[r];
    ft_depth = r < 0;
    if (r >= 0)
        strcpy(ft_life.boot.undo, store[r]);
}

void put(int r, const char *path, const char *mode, const char *text)
{
    act_as(r);
    FILE *stream = fopen(path, mode);

    if (!stream) {
        perror(path);
        abort();
    }
    fputs(text, stream);
    fclose(stream);
    act_as(-1);
}

void append(int r, const char *path)
{
    put(r, path, "a", "line\n");
}

void look(int r, const char *path)
{
    act_as(r);
    access(path, F_OK);
    act_as(-1);
}

uint64_t checkpoint(int r, uint32_t number)
{
    uint64_t cut = stub_now();

    act_as(r);
    ft_depth = 1;
    ft_files_hold(&rank[r]);
    if (ft_files_save(&rank[r], number) != 0)
        abort();
    act_as(-1);
    cuts[r][number] = cut;
    return cut;
}

void stay(void)
{
    for (int r = 0; r < RANKS; r++)
        party[r].number = FT_UNDO_STAYS;
}

void go_back(int r, int number, uint64_t cut)
{
    party[r].number = number;
    party[r].cut = cut;
}

static uint64_t end_of(const void *context, uint32_t interval)
{
    const uint64_t *cut = context;

    for (uint32_t number = interval; number < 16; number++)
        if (cut[number] != 0)
            return cut[number];
    return UINT64_MAX;
}

int share_of(void)
{
    static const char *folder[RANKS];

    for (int r = 0; r < RANKS; r++) {
        folder[r] = store[r];
        party[r].folders = &folder[r];
        party[r].count = 1;
        party[r].end = end_of;
        party[r].context = cuts[r];
        if (party[r].number == FT_UNDO_STAYS)
            party[r].cut = stub_now();
    }
    return ft_undo_shared(party, RANKS, &share);
}
