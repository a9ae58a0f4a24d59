/* turns_stub.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "files/format.h"
#include "putback/turns_stub.h"

struct ft_recorder recorders[RANKS];
struct ft_member members[RANKS];
static struct ft_cluster clusters[RANKS], *listed[RANKS];
static struct ft_manifest oldest[RANKS], *kept[RANKS];
static struct ft_manifest_rank places[RANKS];
char folder[RANKS][96];
static char work[64];
static const char *undo[RANKS];
struct ft_run run;
uint32_t late;

int setup(void **state)
{
    (void)state;
    strcpy(work, "/tmp/turns_test.XXXXXX");
    if (!mkdtemp(work))
        return -1;
    memset(recorders, 0, sizeof(recorders));
    run = (struct ft_run){
        .size = RANKS, .members = members, .clusters = listed, .cluster_count = RANKS};
    for (int r = 0; r < RANKS; r++) {
        recorders[r].reached = 1000;
        snprintf(folder[r], sizeof(folder[r]), "%s/%d", work, r);
        undo[r] = folder[r];
        clusters[r] = (struct ft_cluster){.undo = &undo[r], .count = 1, .kept = &kept[r]};
        listed[r] = &clusters[r];
        members[r] = (struct ft_member){
            .run = &run, .cluster = &clusters[r], .rank = r, .recorder = &recorders[r]};
        mkdir(folder[r], 0700);
    }
    return 0;
}

static const char *turns_of(int r)
{
    static char name[320];

    snprintf(name, sizeof(name), "%s/turns", folder[r]);
    return name;
}

int teardown(void **state)
{
    (void)state;
    ft_turns_free(&run.turns);
    for (int r = 0; r < RANKS; r++) {
        unlink(turns_of(r));
        rmdir(folder[r]);
    }
    return rmdir(work);
}

uint32_t tells(int r, const struct ft_undo_access *told, const char *path)
{
    _Alignas(struct ft_undo_access) char room[sizeof(struct ft_undo_access) + 64];
    struct ft_undo_access *access = (struct ft_undo_access *)room;

    *access = *told;
    assert_true(strlen(path) < 64);
    strcpy(access->path, path);
    assert_int_equal(ft_turns_add(&run.turns, r, access), 0);
    return (uint32_t)run.turns.count;
}

uint32_t did_once_more(uint64_t look, int r, uint64_t time, uint64_t moment, int change,
                       const char *path)
{
    return tells(
        r,
        &(struct ft_undo_access){
            .time = time, .moment = moment, .change = (uint32_t)change, .look = look, .late = late},
        path);
}

uint32_t did(int r, uint64_t time, uint64_t moment, int change, const char *path)
{
    return did_once_more(1, r, time, moment, change, path);
}

void keeps(int r, uint64_t time, uint64_t calls)
{
    places[r].progress = calls;
    oldest[r] = (struct ft_manifest){.ranks = &places[r], .frozen = (double)time / 1e9};
    kept[r] = &oldest[r];
    clusters[r].kept_count = clusters[r].dropped = 1;
}

void publish(void)
{
    assert_int_equal(ft_turns_sort(&run.turns), 0);
    assert_int_equal(ft_turns_publish(&run), 0);
}

void enters(int r, uint64_t calls)
{
    recorders[r].calls = calls + 7;
    recorders[r].polls = 7;
}

void awaits(int r, uint32_t number)
{
    recorders[r].awaits = number;
}

int has_turn(int r, uint32_t number)
{
    awaits(r, number);
    ft_turns_look(&run);
    return recorders[r].granted == number;
}

/* The next turn that the rank is told of; NULL at the end. */
static const struct ft_undo_turn *next_turn(FILE *file)
{
    static _Alignas(struct ft_undo_turn) char room[sizeof(struct ft_undo_turn) + 128];
    struct ft_undo_turn *turn = (struct ft_undo_turn *)room;

    if (fread(turn, sizeof(*turn), 1, file) != 1)
        return NULL;
    assert_true(turn->bytes > sizeof(*turn) && turn->bytes <= sizeof(room));
    assert_int_equal(turn->bytes % 8, 0);
    assert_int_equal(fread(turn->path, turn->bytes - sizeof(*turn), 1, file), 1);
    assert_int_equal(room[turn->bytes - 1], 0);
    return turn;
}

void expect_told(int r, const char *wanted)
{
    FILE *file = fopen(turns_of(r), "r");
    const struct ft_undo_turn *turn;
    char told[512] = "";

    assert_non_null(file);
    while ((turn = next_turn(file)))
        sprintf(told + strlen(told), "%u:%llu:%c:%s ", turn->waits ? turn->number : 0,
                (unsigned long long)turn->moment, turn->change ? 'c' : 'r', turn->path);
    assert_true(feof(file));
    fclose(file);
    assert_string_equal(told, wanted);
}

void was_late(int r, uint64_t time, uint64_t moment, int change, const char *path)
{
    late = 1;
    did(r, time, moment, change, path);
    late = 0;
}
