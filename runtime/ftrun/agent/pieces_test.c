/* pieces_test: any `data` of the pieces of a block give it back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "agent/pieces.h"

enum { CHUNK = 1000, MOST = 5 };

static unsigned char chunk[MOST][CHUNK], back[MOST][CHUNK];

/* Decodes from the pieces whose bits are set. */
static void check_subset(int data, int pieces, unsigned set)
{
    static struct ft_piece_code code;
    unsigned char *in[MOST], *out[MOST];
    int has[MOST], count = 0;

    for (int i = 0; i < pieces && count < data; i++) {
        if (set >> i & 1)
            has[count++] = i;
    }
    if (count < data)
        return;
    for (int i = 0; i < data; i++) {
        in[i] = chunk[has[i]];
        out[i] = back[i];
    }
    assert_int_equal(ft_piece_decoder(data, pieces, has, &code), 0);
    ft_piece_make(&code, CHUNK, in, out);
    for (int i = 0; i < data; i++)
        assert_memory_equal(back[i], chunk[i], CHUNK);
}

static void test_code(int data, int pieces)
{
    static struct ft_piece_code code;
    unsigned char *all[MOST];

    for (int i = 0; i < MOST; i++) {
        all[i] = chunk[i];
        for (int k = 0; k < CHUNK; k++)
            chunk[i][k] = (unsigned char)(i * 31 + k * 7 + k / 256);
    }
    ft_piece_encoder(data, pieces, &code);
    ft_piece_make(&code, CHUNK, all, all + data);
    for (unsigned set = 1; set < 1u << pieces; set++)
        check_subset(data, pieces, set);
}

static void test_codes(void **state)
{
    (void)state;
    for (int data = 1; data <= MOST; data++) {
        for (int pieces = data; pieces <= MOST; pieces++)
            test_code(data, pieces);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(ft_piece_bytes(0, 3), 0);
    assert_int_equal(ft_piece_bytes(1, 3), 1);
    assert_int_equal(ft_piece_bytes(7, 3), 3);
    assert_int_equal(ft_piece_bytes(3ULL * FT_PIECE_CHUNK, 3), FT_PIECE_CHUNK);
    assert_int_equal(ft_piece_bytes(3ULL * FT_PIECE_CHUNK + 4, 3), FT_PIECE_CHUNK + 2);
    assert_int_equal(ft_piece_bytes(5ULL * FT_PIECE_CHUNK + 1, 1), 5ULL * FT_PIECE_CHUNK + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codes), cmocka_unit_test(test_bytes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
