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
#define FT_PAIR_AT 0x330000000000UL     /* what the copies of a rank share, likewise */
#define FT_PHASES_AT 0x350000000000UL   /* phases of clusters, likewise */
#define FT_MARKS_AT 0x360000000000UL    /* marks of ranks, likewise */
#define FT_LOGGED_AT 0x370000000000UL   /* outcomes that ftrun has, likewise */
#define FT_CHANGES_AT 0x380000000000UL  /* counts of changes of files (--replicas), likewise */
#define FT_MATES_AT 0x390000000000UL    /* recorders of ranks of the node, FT_MATE_BYTES apart */
#define FT_MATE_BYTES (1UL << 29)
#define FT_WINDOWS_AT 0x3f0000000000UL /* memory of shared windows (window/segment.c) */
#define FT_TWIN_AT 0x340000000000UL    /* the other copy's recorder, likewise */

#endif
