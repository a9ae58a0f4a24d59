/* Segments: entries keep what is in them whatever comes and goes; what was filled once is filled
 * again; free memory is bounded; what an image holds stays as it is until it was read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "stream/streams.h"

enum { PEERS = 3, MOST = 4000, LONG = 300000, MAPPINGS = 4000, PAGE = 4096 };

struct ft_life ft_life;

static struct ft_peer peers[PEERS];
static struct ft_streams streams;
static struct ft_spbc spbc = {.streams = &streams};
static struct ft_rank rank_state = {.size = PEERS, .spbc = &spbc}, *self = &rank_state;
static uint64_t mapped, mappings, dropped, touches;
static int is_read = 1;
static struct ft_entry *kept[MOST];

static struct mapping {
    char *pages, *touched; /* the latter: one for each page */
    size_t count;
} mapping[MAPPINGS];

static struct mapping *mapping_of(const void *at)
{
    for (int i = 0; i < MAPPINGS; i++)
        if (mapping[i].pages && (const char *)at >= mapping[i].pages &&
            (const char *)at < mapping[i].pages + mapping[i].count * PAGE)
            return &mapping[i];
    fail_msg("no page of the log");
    return NULL;
}

static void mapping_add(char *pages, size_t bytes)
{
    int i = 0;

    while (i < MAPPINGS && mapping[i].pages)
        i++;
    assert_true(i < MAPPINGS);
    mapping[i] = (struct mapping){pages, calloc(bytes / PAGE, 1), bytes / PAGE};
}

/* No part of it may be met by a fault. */
static void check_touched(const char *at, uint64_t bytes)
{
    struct mapping *all = mapping_of(at);

    for (const char *page = at; page < at + bytes; page += PAGE)
        assert_true(all->touched[(page - all->pages) / PAGE]);
    assert_true(all->touched[(at + bytes - 1 - all->pages) / PAGE]);
}

void ft_panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

void *ft_image_alloc(size_t bytes)
{
    return calloc(1, bytes);
}

void *ft_image_realloc(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

void *ft_image_pages(size_t bytes)
{
    assert_int_equal(bytes % 4096, 0);
    mapped += bytes;
    mappings++;
    char *pages = aligned_alloc(PAGE, bytes);
    mapping_add(pages, bytes);
    return pages;
}

void ft_image_pages_free(void *pages, size_t bytes)
{
    struct mapping *gone = mapping_of(pages);

    mapped -= bytes;
    free(gone->touched);
    gone->pages = NULL;
    free(pages);
}

void ft_image_pages_touch(void *pages, size_t bytes)
{
    struct mapping *all = mapping_of(pages);

    assert_int_equal((uintptr_t)pages % PAGE, 0);
    assert_int_equal(bytes % PAGE, 0);
    memset(all->touched + ((char *)pages - all->pages) / PAGE, 1, bytes / PAGE);
    touches++;
}

void ft_image_pages_apart(void *pages, size_t bytes)
{
    assert_true(mapping_of(pages)->count * PAGE == bytes);
}

int ft_apart_is_read(void)
{
    return is_read;
}

void ft_image_pages_drop(void *pages, size_t bytes)
{
    memset(pages, 0xee, bytes);
    dropped += bytes;
}

static void start(uint64_t limit)
{
    memset(&streams, 0, sizeof streams);
    memset(peers, 0, sizeof peers);
    memset(kept, 0, sizeof kept);
    streams.peer = peers;
    ft_life.boot.log_limit = limit;
    mapped = mappings = dropped = touches = 0;
    srand(1);
}

static struct ft_entry *entry_make(int peer, uint64_t bytes, uint64_t number)
{
    struct ft_entry *entry = ft_entry_alloc(self, &peers[peer], bytes);

    entry->number = number;
    check_touched((char *)entry, sizeof *entry + bytes);
    memset(entry->data, (int)number & 0xff, bytes);
    peers[peer].memory += sizeof *entry + bytes;
    streams.memory += sizeof *entry + bytes;
    return entry;
}

static void entry_end(int peer, struct ft_entry *entry)
{
    for (uint64_t i = 0; i<entry->bytes; i += entry->bytes> 4096 ? 997 : 1)
        assert_int_equal((unsigned char)entry->data[i], entry->number & 0xff);
    peers[peer].memory -= sizeof *entry + entry->bytes;
    streams.memory -= sizeof *entry + entry->bytes;
    ft_entry_free(self, entry);
}

static void finish(void)
{
    for (int i = 0; i < MOST; i++)
        if (kept[i])
            entry_end(i % PEERS, kept[i]);
    ft_segments_settle(self);
    ft_segments_settle(self);
    ft_segments_settle(self);
    assert_int_equal(mapped, 0);
}

/* In any order, with checkpoints now and then. */
static void contents_stay(void **state)
{
    (void)state;
    start(0);
    for (uint64_t turn = 1; turn < 200000; turn++) {
        int i = rand() % MOST;
        uint64_t bytes = (uint64_t)(rand() % 50 ? rand() % 200 : rand() % LONG);

        if (kept[i]) {
            entry_end(i % PEERS, kept[i]);
            kept[i] = NULL;
        } else {
            kept[i] = entry_make(i % PEERS, bytes, turn);
            if (bytes >= FT_ENTRY_LONG)
                assert_int_equal((uintptr_t)kept[i]->data % 64, 0);
        }
        if (rand() % 5000 == 0)
            ft_segments_settle(self);
    }
    ft_streams_leave(self);
    assert_true(dropped > 0);
    finish();
}

/* `count` messages to each rank, and a checkpoint that drops them. */
static void period(int count, uint64_t bytes)
{
    for (int i = 0; i < count * PEERS; i++)
        kept[i] = entry_make(i % PEERS, bytes, (uint64_t)i + 1);
    for (int i = 0; i < PEERS; i++)
        peers[i].most = peers[i].memory; /* as ft_log_sweep has it */
    for (int i = 0; i < count * PEERS; i++) {
        entry_end(i % PEERS, kept[i]);
        kept[i] = NULL;
    }
    ft_segments_settle(self);
}

static void warm_memory_is_used_again(void **state)
{
    uint64_t before, touched, bytes;

    (void)state;
    start(0);
    period(1000, 8);
    assert_true(touches < 3000 * 56 / PAGE);
    period(200, 100000);
    before = mappings;
    for (int i = 0; i < 10; i++)
        period(200, 100000);
    touched = touches;
    for (int i = 0; i < 10; i++)
        period(200, 100000);
    assert_int_equal(mappings, before);
    assert_int_equal(touches, touched);
    bytes = mapped;
    period(1, 8);
    assert_true(mapped > bytes / 2); /* the period before needed it */
    for (int i = 0; i < 4; i++)
        period(1, 8);
    assert_true(mapped < bytes / 100);
    finish();
}

/* Short ones go where long ones were, and the other way round; no segment is half empty. */
static void warm_memory_is_for_all_lengths(void **state)
{
    uint64_t before;

    (void)state;
    start(0);
    period(24, 1 << 20);
    assert_true(mapped < PEERS * 28 * (1 << 20));
    before = touches;
    period(1200, 16000);
    assert_true(touches <= before + mappings); /* ends of segments */
    before = touches;
    period(24, 1 << 20);
    period(1200, 16000);
    assert_int_equal(touches, before);
    finish();
}

/* A new process has of the log's memory what entries lay in. */
static void cold_memory_is_touched(void **state)
{
    struct ft_entry *stays;

    (void)state;
    start(0);
    stays = entry_make(0, 100000, 1);
    period(200, 100000);
    for (int i = 0; i < MAPPINGS; i++)
        if (mapping[i].pages)
            memset(mapping[i].touched, 0, mapping[i].count);
    ft_segments_begin(self);
    period(200, 100000);
    entry_end(0, stays);
    finish();
}

static void the_limit_holds(void **state)
{
    (void)state;
    start(1 << 20);
    period(3, 100000);
    period(30, 10000);
    assert_true(mapped <= (1 << 20) / 2 * 3);
    for (int i = 0; i < 90; i++) {
        kept[i] = entry_make(0, 100000, (uint64_t)i);
        if (i >= 9) {
            entry_end(0, kept[i - 9]);
            kept[i - 9] = NULL;
        }
        assert_true(mapped <= (1 << 20) / 2 * 3);
    }
    finish();
}

struct part { /* of an image */
    const char *pages;
    char *copy;
    size_t used;
};

struct image {
    int count;
    struct part part[MAPPINGS];
};

static int part_add(void *closure, void *pages, size_t bytes, size_t used)
{
    struct image *image = closure;
    char *copy = malloc(used + 1);

    assert_true(used <= bytes && mapping_of(pages)->count * PAGE == bytes);
    memcpy(copy, pages, used);
    image->part[image->count++] = (struct part){pages, copy, used};
    return 0;
}

static void image_end(struct image *image)
{
    for (int i = 0; i < image->count; i++) {
        assert_memory_equal(image->part[i].pages, image->part[i].copy, image->part[i].used);
        free(image->part[i].copy);
    }
    image->count = 0;
}

/* Entries come and go while a clone reads; a life may end meanwhile. */
static void what_is_read_stays(void **state)
{
    static struct image image;
    uint64_t turn = 1;

    (void)state;
    start(3 << 20);
    for (int round = 0; round < 40; round++) {
        ft_segments_settle(self);
        is_read = 0;
        assert_int_equal(ft_streams_pages(self, part_add, &image), 0);
        for (int end = rand() % 3000; end > 0; end--, turn++) {
            int i = rand() % MOST;

            if (kept[i])
                entry_end(i % PEERS, kept[i]);
            kept[i] = kept[i] && rand() % 4 ? NULL : entry_make(i % PEERS, rand() % 2000, turn);
        }
        if (round % 4 == 0)
            ft_streams_leave(self);
        image_end(&image);
        is_read = 1;
        if (round % 4 == 0)
            ft_segments_begin(self);
    }
    finish();
}

static void a_life_cuts_the_link(void **state)
{
    (void)state;
    start(0);
    peers[1].first = peers[1].end = entry_make(1, 8, 1);
    ft_segments_settle(self);
    peers[1].end->next = (void *)-1; /* an entry that came behind the image */
    ft_segments_begin(self);
    assert_null(peers[1].end->next);
    entry_end(1, peers[1].first);
    finish();
}

static void what_is_cut(void **state)
{
    struct ft_entry *first, *second;

    (void)state;
    start(0);
    first = ft_entry_alloc(self, &peers[0], 1000);
    ft_entry_cut(self, first, 100);
    assert_int_equal(first->bytes, 100);
    second = ft_entry_alloc(self, &peers[0], 8);
    assert_ptr_equal(second, first->data + 104);
    ft_entry_free(self, first);
    ft_entry_free(self, second);
    assert_ptr_equal(ft_entry_alloc(self, &peers[0], 8), first);
}

/* Memory that the library sends from stays when its entry goes, and no longer than the send. */
static void what_is_lent_stays(void **state)
{
    struct ft_entry *entry;
    void *lent;

    (void)state;
    start(0);
    entry = entry_make(0, 1000, 7);
    ft_entry_lend(self, entry);
    lent = ft_stream_lent(self);
    assert_non_null(lent);
    assert_null(ft_stream_lent(self));
    entry_end(0, entry);
    period(100, 1000);
    assert_int_equal((unsigned char)entry->data[999], 7);
    ft_stream_returned(self, lent);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contents_stay),
                                       cmocka_unit_test(warm_memory_is_used_again),
                                       cmocka_unit_test(warm_memory_is_for_all_lengths),
                                       cmocka_unit_test(cold_memory_is_touched),
                                       cmocka_unit_test(the_limit_holds),
                                       cmocka_unit_test(what_is_read_stays),
                                       cmocka_unit_test(what_is_lent_stays),
                                       cmocka_unit_test(a_life_cuts_the_link),
                                       cmocka_unit_test(what_is_cut)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
