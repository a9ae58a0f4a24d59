/* layout: the fixed addresses of the image. They lie far from where the kernel puts executables
 * (below 4 GiB, the program is not position independent) and mappings (downwards from 0x7fff...),
 * so nothing else comes here. */
#ifndef FT_LAYOUT_H
#define FT_LAYOUT_H

#define FT_HEAP_BASE 0x200000000000UL /* the heap's own record, then heap and mappings */
#define FT_HEAP_BYTES (1UL << 44)     /* 16 TiB of addresses */
#define FT_HEAP_END (FT_HEAP_BASE + FT_HEAP_BYTES)
#define FT_STACK_TOP 0x310000000000UL   /* the program's stack grows down from here */
#define FT_RECORDER_AT 0x320000000000UL /* the recorder, at one address in every life */

#endif
