/* Idea: a record is a head of fixed size with a checksum over all of it, then a payload
 * (payload.h) compressed by zstd. A reader searches for the magic, so padding between them and
 * damage do no harm to the next one. */
#include "analysis/tree/store.h"
#include "analysis/tree/payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    MAGIC = 8,   /* bytes */
    VERSION = 3, /* of head and payload */
    HEAD = 40,   /* bytes: magic, version, zero, packed length, length, checksum */
    AT_VERSION = 8,
    AT_PACKED = 16,
    AT_LENGTH = 24,
    AT_CHECKSUM = 32,
    LEVEL = 6,        /* of zstd: the last one that costs less than the parse saves */
    LIMIT = 256 << 20 /* bytes of a payload that are believed */
};

static const char magic[MAGIC + 1] = "FTFACTS\n";

static void number_put(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t number_get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* The checksum of the head before its checksum field, and of what follows that. */
static uint64_t checksum_of(const uint8_t *record, size_t packed)
{
    uint64_t head = XXH64(record, AT_CHECKSUM, 0);
    return XXH64(record + HEAD, packed, head);
}

/* ---- Writing ---- */

static void record_write(const UT_string *payload, void **bytes, size_t *length)
{
    size_t room = ZSTD_compressBound(utstring_len(payload));
    uint8_t *record = calloc(1, HEAD + room);
    if (!record)
        abort();
    size_t packed =
        ZSTD_compress(record + HEAD, room, utstring_body(payload), utstring_len(payload), LEVEL);
    if (ZSTD_isError(packed))
        abort();
    memcpy(record, magic, MAGIC);
    number_put(record + AT_VERSION, 4, VERSION);
    number_put(record + AT_PACKED, 8, packed);
    number_put(record + AT_LENGTH, 8, utstring_len(payload));
    number_put(record + AT_CHECKSUM, 8, checksum_of(record, packed));
    *bytes = record;
    *length = HEAD + packed;
}

/* A tree that no reader would accept is left out. */
static void payload_write(const struct an_unit *unit, UT_string *payload)
{
    an_payload_write(unit, payload);
    if (utstring_len(payload) <= LIMIT)
        return;
    struct an_unit bare = {.path = unit->path, .folder = unit->folder, .digest = unit->digest};
    bare.problem = "too large to be kept";
    utstring_clear(payload);
    an_payload_write(&bare, payload);
}

void an_store_write(const struct an_unit *unit, void **bytes, size_t *length)
{
    UT_string payload;
    utstring_init(&payload);
    payload_write(unit, &payload);
    record_write(&payload, bytes, length);
    utstring_done(&payload);
}

/* ---- Reading ---- */

static const char *head_flaw(const uint8_t *record, size_t available)
{
    if (available < HEAD)
        return "a head is cut off";
    if (number_get(record + AT_VERSION, 4) != VERSION)
        return "facts of another version of ftcc";
    if (number_get(record + AT_PACKED, 8) > available - HEAD)
        return "a record is cut off";
    if (number_get(record + AT_LENGTH, 8) > LIMIT)
        return "a record is too large";
    size_t packed = number_get(record + AT_PACKED, 8);
    if (number_get(record + AT_CHECKSUM, 8) != checksum_of(record, packed))
        return "a checksum is wrong";
    return NULL;
}

static struct an_unit *payload_unpack(const uint8_t *record, const char **why)
{
    size_t packed = number_get(record + AT_PACKED, 8);
    size_t length = number_get(record + AT_LENGTH, 8);
    uint8_t *payload = malloc(length + 1);
    struct an_unit *unit = NULL;
    if (!payload)
        *why = "not enough memory";
    else if (ZSTD_decompress(payload, length, record + HEAD, packed) == length)
        unit = an_payload_read(payload, length, why);
    else
        *why = "compressed bytes are damaged";
    free(payload);
    return unit;
}

/* The record at `record`; *size is its length when there is one. */
static struct an_unit *record_read(const uint8_t *record, size_t available, size_t *size,
                                   const char **why)
{
    const char *flaw = head_flaw(record, available);
    if (flaw) {
        *why = flaw;
        return NULL;
    }
    *size = HEAD + number_get(record + AT_PACKED, 8);
    return payload_unpack(record, why);
}

static bool is_padding(const uint8_t *from, const uint8_t *to)
{
    while (from < to && *from == 0)
        from++;
    return from == to;
}

struct an_unit *an_store_read(const void *bytes, size_t length, size_t *offset, unsigned *damaged,
                              const char **why)
{
    const uint8_t *first = (const uint8_t *)bytes + *offset, *end = (const uint8_t *)bytes + length;
    const uint8_t *at = first;
    struct an_unit *unit = NULL;
    const char *flaw = "bytes that are no record";
    while ((at = memmem(at, (size_t)(end - at), magic, MAGIC))) {
        size_t size = 0;
        unit = record_read(at, (size_t)(end - at), &size, &flaw);
        if (unit) {
            *offset = (size_t)(at - (const uint8_t *)bytes) + size;
            break;
        }
        at += MAGIC;
    }
    if (!unit) {
        at = end;
        *offset = length;
    }
    if (!is_padding(first, at)) {
        (*damaged)++;
        *why = flaw;
    }
    return unit;
}
