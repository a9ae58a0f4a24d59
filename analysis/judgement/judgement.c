/* Idea: a judgement only grows and dies at once, so its memory is a chain of blocks. */
#include "analysis/judgement/judgement.h"
#include "analysis/invariance/invariance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGNMENT = 16 };

/* Blocks of memory, the newest first; the oldest holds the judgement's memory itself. */
struct an_memory {
    struct block {
        struct block *older;
        size_t used, size;
        _Alignas(ALIGNMENT) char bytes[];
    } * newest;
};

static struct block *block_create(size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct block *block = calloc(1, sizeof *block + size);

    if (!block) {
        fprintf(stderr, "ftcc: out of memory\n");
        exit(1);
    }
    block->size = size;
    return block;
}

static void *memory_alloc(struct an_memory *memory, size_t bytes)
{
    struct block *block = memory->newest;

    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!block || block->size - block->used < bytes) {
        block = block_create(bytes);
        block->older = memory->newest;
        memory->newest = block;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

void *an_judgement_alloc(struct an_judgement *judgement, size_t bytes)
{
    return memory_alloc(judgement->memory, bytes);
}

const char *an_judgement_printf(struct an_judgement *judgement, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = an_judgement_alloc(judgement, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* ---- What is kept about nodes ---- */

struct an_kept {
    struct entry {
        const struct an_node *node;
        void *value;
        struct entry *next;
    } * *chains;
    size_t count, room;
};

static struct entry **chain_of(const struct an_kept *kept, const struct an_node *node)
{
    uint64_t hash = (uintptr_t)node * UINT64_C(0x9e3779b97f4a7c15);
    return &kept->chains[(hash >> 32) % kept->room];
}

static void kept_grow(struct an_judgement *judgement, struct an_kept *kept)
{
    struct an_kept old = *kept;
    kept->room = 4 * old.room + 64;
    kept->chains = an_judgement_alloc(judgement, kept->room * sizeof *kept->chains);
    for (size_t i = 0; i < old.room; i++)
        for (struct entry *entry = old.chains[i], *next; entry; entry = next) {
            next = entry->next;
            struct entry **chain = chain_of(kept, entry->node);
            entry->next = *chain;
            *chain = entry;
        }
}

void **an_judgement_kept(struct an_judgement *judgement, const struct an_node *node)
{
    struct an_kept *kept = judgement->kept;
    if (!kept)
        kept = judgement->kept = an_judgement_alloc(judgement, sizeof *kept);
    if (kept->count >= kept->room)
        kept_grow(judgement, kept);
    struct entry **chain = chain_of(kept, node), *entry = *chain;
    while (entry && entry->node != node)
        entry = entry->next;
    if (!entry) {
        entry = an_judgement_alloc(judgement, sizeof *entry);
        *entry = (struct entry){node, NULL, *chain};
        *chain = entry;
        kept->count++;
    }
    return &entry->value;
}

const char *an_verdict_name(enum an_verdict verdict)
{
    static const char *const names[] = {
        [AN_DETERMINISTIC] = "deterministic",
        [AN_SEND_DETERMINISTIC] = "send-deterministic",
        [AN_CHANNEL_DETERMINISTIC] = "channel-deterministic",
        [AN_NON_DETERMINISTIC] = "non-deterministic",
        [AN_UNKNOWN] = "unknown",
    };
    return names[verdict];
}

struct an_judgement *an_judgement_create(struct an_program *program)
{
    struct an_memory memory = {NULL};
    struct an_judgement *judgement = memory_alloc(&memory, sizeof *judgement);

    judgement->memory = memory_alloc(&memory, sizeof memory);
    *judgement->memory = memory;
    judgement->program = program;
    return judgement;
}

void an_judgement_destroy(struct an_judgement *judgement)
{
    if (!judgement)
        return;
    an_invariance_destroy(judgement->invariance);
    for (struct block *block = judgement->memory->newest, *older; block; block = older) {
        older = block->older;
        free(block);
    }
}
