/* A table holds what was put there, whatever tags a program uses; one that is not there is not
 * found. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stream/streams.h"

#define MANY 20000

static struct ft_stream_table table;

static void forget(struct ft_stream *stream)
{
    ft_stream_remove(&table, stream);
    ft_image_free(stream);
}

static int tag_of(int i, int stride)
{
    return (int)((uint32_t)i * (uint32_t)stride & 0x3fffffff);
}

static void fill(int stride)
{
    for (int i = 0; i < MANY; i++) {
        assert_null(ft_stream_known(&table, 7, i % 3, tag_of(i, stride)));
        ft_stream_find(&table, 7, i % 3, tag_of(i, stride))->last = (uint64_t)i;
    }
    assert_int_equal(table.count, MANY);
}

static void look(int stride)
{
    for (int i = 0; i < MANY; i++) {
        struct ft_stream *stream = ft_stream_find(&table, 7, i % 3, tag_of(i, stride));

        assert_int_equal(stream->last, i);
        assert_null(ft_stream_known(&table, 8, i % 3, tag_of(i, stride)));
        if (i % 2)
            forget(stream);
    }
    assert_int_equal(table.count, MANY / 2);
}

static int longest_chain(void)
{
    int most = 0;

    for (uint64_t i = 0; i < (uint64_t)1 << table.bits; i++) {
        int length = 0;

        for (const struct ft_stream *stream = table.place[i]; stream; stream = stream->chain)
            length++;
        most = length > most ? length : most;
    }
    return most;
}

static void tags_of_any_kind(void **state)
{
    const int strides[] = {1, 3, 4, 64, 1000, 1024, 4096, 32768, 53};

    (void)state;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        struct ft_stream *stream, *next;
        uint64_t before = 0;

        fill(strides[i]);
        assert_in_range(longest_chain(), 1, 12);
        look(strides[i]);
        DL_FOREACH_SAFE (table.first, stream, next) {
            assert_true(stream->last >= before); /* in the order of their making */
            before = stream->last;
            forget(stream);
        }
        assert_int_equal(table.count, 0);
        assert_null(table.first);
    }
    ft_image_free(table.place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tags_of_any_kind)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
