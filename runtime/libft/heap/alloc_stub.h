/* alloc_stub: memory of the image for tests that take no image. Thread rule: the main thread. */
#ifndef FT_HEAP_ALLOC_STUB_H
#define FT_HEAP_ALLOC_STUB_H

extern long stub_blocks; /* that are allocated now */

#endif
