#include "analysis/judgement/memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_answer_stays_and_each_question_has_its_own(void **state)
{
    (void)state;
    struct an_judgement *judgement = an_judgement_create(NULL);
    enum { MANY = 5000 };
    unsigned *first[MANY];

    for (unsigned i = 0; i < 2 * MANY; i++) {
        struct an_question_words question = {.words = {7, i % MANY}, .count = 2};
        bool known;
        unsigned *answer = an_memo(judgement, AN_MEMO_TERM, &question, sizeof *answer, &known);
        assert_int_equal(known, i >= MANY);
        assert_int_equal(*answer, known ? i % MANY : 0);
        if (known)
            assert_ptr_equal(answer, first[i % MANY]);
        else
            first[i] = answer;
        *answer = i % MANY;
    }
    struct an_question_words question = {.words = {7, 1}, .count = 2};
    bool known;
    an_memo(judgement, AN_MEMO_ROLE, &question, sizeof(unsigned), &known);
    assert_false(known); /* another kind */
    an_judgement_destroy(judgement);
}

static void equal_texts_are_one(void **state)
{
    (void)state;
    struct an_judgement *judgement = an_judgement_create(NULL);
    char text[] = "comm";
    const char *kept = an_memo_text(judgement, text);

    assert_ptr_equal(an_memo_text(judgement, "comm"), kept);
    assert_ptr_not_equal(an_memo_text(judgement, "com"), kept);
    assert_string_equal(kept, "comm");
    assert_ptr_not_equal(kept, text);
    an_judgement_destroy(judgement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_stays_and_each_question_has_its_own),
        cmocka_unit_test(equal_texts_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
