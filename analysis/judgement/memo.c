/* Idea: one table of chains in the judgement's memory; it dies with the judgement. */
#include "analysis/judgement/memo.h"

#include <string.h>

struct an_memos {
    struct memo {
        size_t hash;
        enum an_memo_kind kind;
        unsigned count; /* of words, or of the text's bytes */
        struct memo *next;
        _Alignas(16) char bytes[]; /* the words or the text, then the answer */
    } * *chains;
    size_t count, room;
};

static size_t hash_of(enum an_memo_kind kind, const void *key, size_t length)
{
    const unsigned char *bytes = key;
    uint64_t hash = kind + UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 29);
}

static size_t words_hash(enum an_memo_kind kind, const struct an_question_words *question)
{
    uint64_t hash = kind + UINT64_C(0x9e3779b97f4a7c15);

    for (unsigned i = 0; i < question->count; i++)
        hash = (hash ^ hash >> 31 ^ question->words[i]) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(hash ^ hash >> 29);
}

static void grow(struct an_judgement *judgement, struct an_memos *memos)
{
    struct an_memos old = *memos;

    memos->room = old.room ? 4 * old.room : 1024;
    memos->chains = an_judgement_alloc(judgement, memos->room * sizeof *memos->chains);
    for (size_t i = 0; i < old.room; i++)
        for (struct memo *memo = old.chains[i], *next; memo; memo = next) {
            struct memo **chain = &memos->chains[memo->hash % memos->room];
            next = memo->next;
            memo->next = *chain;
            *chain = memo;
        }
}

/* The memo of the key; a new one has `bytes` more behind the key, which are zero. */
static struct memo *memo_at(struct an_judgement *judgement, const struct memo *key,
                            const void *contents, size_t length, size_t bytes, bool *known)
{
    struct an_memos *memos = judgement->memos;

    if (!memos)
        memos = judgement->memos = an_judgement_alloc(judgement, sizeof *memos);
    if (memos->count >= memos->room)
        grow(judgement, memos);
    struct memo **chain = &memos->chains[key->hash % memos->room];
    for (struct memo *memo = *chain; memo; memo = memo->next)
        if (memo->hash == key->hash && memo->kind == key->kind && memo->count == key->count &&
            memcmp(memo->bytes, contents, length) == 0) {
            *known = true;
            return memo;
        }
    struct memo *memo = an_judgement_alloc(judgement, sizeof *memo + length + bytes);
    *memo = *key;
    memcpy(memo->bytes, contents, length);
    memo->next = *chain;
    *chain = memo;
    memos->count++;
    *known = false;
    return memo;
}

void *an_memo(struct an_judgement *judgement, enum an_memo_kind kind,
              const struct an_question_words *question, size_t bytes, bool *known)
{
    struct memo key = {.kind = kind, .count = question->count, .hash = words_hash(kind, question)};
    size_t length = question->count * sizeof *question->words;
    struct memo *memo = memo_at(judgement, &key, question->words, length, bytes, known);

    return memo->bytes + length;
}

const char *an_memo_text(struct an_judgement *judgement, const char *text)
{
    size_t length = strlen(text) + 1;
    struct memo key = {.kind = AN_MEMO_TEXT,
                       .count = (unsigned)length,
                       .hash = hash_of(AN_MEMO_TEXT, text, length)};
    bool known;

    return memo_at(judgement, &key, text, length, 0, &known)->bytes;
}
