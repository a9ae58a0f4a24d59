/* sentence_test: what is said of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "console/say.h"
#include "console/sentence.h"

static char said[8192];

void ft_say(const char *format, ...)
{
    va_list words;
    size_t used = strlen(said);

    va_start(words, format);
    vsnprintf(said + used, sizeof(said) - used, format, words);
    va_end(words);
    strcat(said, "\n");
}

static void take(struct ft_sentences *sentences, double t, const char *event, const char *text)
{
    json_t *members = json_loads(text, 0, NULL);

    assert_non_null(members);
    assert_true(ft_sentences_want(sentences, event));
    ft_sentences_take(sentences, t, event, members);
    json_decref(members);
}

static struct ft_sentences *begin(int all)
{
    struct ft_sentences *sentences = ft_sentences_create(all);

    said[0] = 0;
    take(sentences, 0, "job", "{\"ranks\": 4}");
    return sentences;
}

static void one_cluster_of_two(void **state)
{
    struct ft_sentences *sentences = begin(0);

    (void)state;
    take(sentences, 0.7, "checkpoint-commit", "{\"checkpoint\": 4, \"write\": 0.04, \"ranks\": 2}");
    take(sentences, 1.27, "death", "{\"rank\": 2, \"signal\": 9, \"hook\": 500}");
    assert_string_equal(said, "");
    take(sentences, 1.3, "rollback", "{\"rank\": 2, \"checkpoint\": 4, \"cluster\": 1}");
    take(sentences, 1.3, "rollback", "{\"rank\": 3, \"checkpoint\": 4, \"cluster\": 1}");
    take(sentences, 1.3, "start", "{\"rank\": 2}");
    assert_string_equal(said, "1.27 s  rank 2 died (SIGKILL) in step 500; cluster 1 rolls back to "
                              "checkpoint 4, 0.61 s are lost\n");
    ft_sentences_destroy(sentences);
}

static void two_deaths_and_the_beginning(void **state)
{
    struct ft_sentences *sentences = begin(0);

    (void)state;
    take(sentences, 2, "death", "{\"rank\": 0, \"code\": 3, \"call\": 7}");
    take(sentences, 2.1, "death", "{\"rank\": 1, \"signal\": 11}");
    for (int i = 0; i < 4; i++)
        take(sentences, 2.1, "rollback",
             i < 2 ? "{\"checkpoint\": -1, \"cluster\": 0}"
                   : "{\"checkpoint\": -1, \"cluster\": 1}");
    take(sentences, 2.2, "exec", "{}");
    assert_string_equal(said, "2.10 s  rank 0 died (exit code 3) in its MPI call 7, rank 1 died "
                              "(SIGSEGV); all ranks roll back to the beginning, 2.10 s are lost\n");
    ft_sentences_destroy(sentences);
}

static void a_death_that_ends_the_run(void **state)
{
    struct ft_sentences *sentences = begin(0);

    (void)state;
    take(sentences, 2, "death", "{\"rank\": 0, \"signal\": 6}");
    take(sentences, 2.1, "end", "{\"code\": 134}");
    assert_string_equal(said, "2.00 s  rank 0 died (SIGABRT)\n");
    assert_false(ft_sentences_want(sentences, "hook"));
    ft_sentences_destroy(sentences);
}

static void units(void **state)
{
    struct ft_sentences *sentences = begin(1);

    (void)state;
    take(sentences, 0.2, "epoch", "{\"epoch\": 0}");
    take(
        sentences, 0.5, "checkpoint-commit",
        "{\"checkpoint\": 1, \"write\": 1.5, \"pause\": 0.0042, \"ranks\": 4, \"bytes\": 3456789}");
    take(sentences, 0.9, "epoch", "{\"epoch\": 1, \"seconds\": 0.25}");
    assert_string_equal(said,
                        "0.20 s  all ranks are in the program\n"
                        "0.50 s  checkpoint 1 of all ranks: 3.5 MB in 1.50 s, during which ranks "
                        "stood still for 4.2 ms\n"
                        "0.90 s  all ranks are back after 250 ms\n");
    ft_sentences_destroy(sentences);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cluster_of_two), cmocka_unit_test(two_deaths_and_the_beginning),
        cmocka_unit_test(a_death_that_ends_the_run), cmocka_unit_test(units)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
