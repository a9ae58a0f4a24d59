/* memo: answers that a judgement remembers, because the same question is asked on every way.
 *
 * A question is a kind and some words: addresses of nodes, of frames and of kept texts, numbers.
 * Only answers that follow from these words and the program are remembered.
 *
 * Thread rule: one thread. */
#ifndef AN_MEMO_H
#define AN_MEMO_H

#include "analysis/judgement/judgement.h"

enum an_memo_kind {
    AN_MEMO_TEXT,    /* private to memo.c */
    AN_MEMO_FRAME,   /* region/match.c: the frame of a call */
    AN_MEMO_TERM,    /* region/term.c: the term of an expression */
    AN_MEMO_MEANING, /* region/term.c: the definition of a name */
    AN_MEMO_COVERS,  /* region/group.c */
    AN_MEMO_BARRIER, /* region/barrier.c: what separates on all paths */
    AN_MEMO_ROLE,    /* region/role.c: what fills a variable */
    AN_MEMO_LABELS,  /* region/outside.c: the labels of a call's messages */
};

enum { AN_MEMO_WORDS = 16 };

struct an_question_words {
    uintptr_t words[AN_MEMO_WORDS];
    unsigned count;
};

/* Effect: the place for the answer, of `bytes` bytes, and whether it was there (*known); otherwise
 * it is new and zero. It stays where it is as long as the judgement lives. */
void *an_memo(struct an_judgement *judgement, enum an_memo_kind kind,
              const struct an_question_words *question, size_t bytes, bool *known);

/* The one copy of the text that the judgement has. */
const char *an_memo_text(struct an_judgement *judgement, const char *text);

#endif
