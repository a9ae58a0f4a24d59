/* payload: a unit as bytes without magic, checksum and compression, which store.c adds. Private to
 * this folder and to its fuzzer; the format is in docs/formats/facts.md.
 *
 * Thread rule: one thread. */
#ifndef AN_PAYLOAD_H
#define AN_PAYLOAD_H

#include "analysis/tree/tree.h"

#include <utstring.h>

/* The parts of a payload, each with its length in front. */
enum an_stream {
    AN_STREAM_STRINGS, /* all strings; number 0 stands for NULL, the first one is 1 */
    AN_STREAM_TYPES,
    AN_STREAM_SHAPES,   /* what nodes have in common: kind, names, type, flags */
    AN_STREAM_UNIT,     /* the unit itself, gaps, words */
    AN_STREAM_NODES,    /* shapes of the nodes, in preorder */
    AN_STREAM_CHILDREN, /* how many, where the kind does not say it */
    AN_STREAM_VALUES,
    AN_STREAM_LINES, /* places, as differences */
    AN_STREAM_COLUMNS,
    AN_STREAM_END_LINES,
    AN_STREAM_END_COLUMNS,
    AN_STREAMS,
};

enum an_shape_flag {
    AN_SHAPE_EDITABLE = 1,
    AN_SHAPE_CONSTANT = 2,
    AN_SHAPE_ARROW = 4,
    AN_SHAPE_INTERNAL = 8,
    AN_SHAPE_VARIADIC = 16,
    AN_SHAPE_NORETURN = 32,
    AN_SHAPE_SYSTEM = 64,
    AN_SHAPE_BY_MACRO = 128,
    AN_SHAPE_FLAGS = 255,
};

/* Effect: appends the unit's payload to `out`. */
void an_payload_write(const struct an_unit *unit, UT_string *out);

/* Effect: the unit of a payload, which the caller destroys; NULL, with *why in static memory, when
 * the bytes are none. Memory is at most a few hundred bytes per byte read. */
struct an_unit *an_payload_read(const void *bytes, size_t length, const char **why);

#endif
