/* Packing for the runtime's own copies of messages. */
#ifndef FT_HANDLE_PACK_H
#define FT_HANDLE_PACK_H

#include "library/library.h"

/* Effect: PMPI_Pack_c, from the beginning of `data` (`room` bytes), that takes MPI_BOTTOM, too.
 * `real` is the library's own handle, `*used` the bytes written. Errors: MPI codes, raised on
 * `comm` (the library's own handle, too); then `*used` says nothing. Threads: as PMPI_Pack_c. */
int ft_pack(const void *buffer, MPI_Count count, MPI_Datatype real, void *data, MPI_Count room,
            MPI_Count *used, MPI_Comm comm);

/* Effect: PMPI_Unpack_c of the `bytes` at `data`, that takes MPI_BOTTOM, too; else like ft_pack. */
int ft_unpack(const void *data, MPI_Count bytes, void *buffer, MPI_Count count, MPI_Datatype real,
              MPI_Comm comm);

/* Effect: puts the `bytes` at `data` into the elements at `buffer`, which must have room for them;
 * they may end inside of an element. Else like ft_unpack. */
int ft_unpack_bytes(const char *data, MPI_Count bytes, char *buffer, MPI_Datatype real,
                    MPI_Comm comm);

/* Effect: answers where `count` elements lie, gaps included: `*room` bytes, from `*low` behind
 * their buffer on. `real` is the library's own handle. Errors: MPI codes; then both say nothing. */
int ft_elements_span(MPI_Datatype real, int count, MPI_Count *low, MPI_Count *room);

/* Effect: copies elements to `to` in their layout; what lies in the gaps, which need not be memory,
 * stays. plain: ft_type_is_plain. Errors: MPI codes, raised on `comm` (the library's own handle, as
 * `real` is); then what is at `to` says nothing. */
int ft_elements_copy(const void *buffer, int count, MPI_Datatype real, int plain, void *to,
                     MPI_Comm comm);

#endif
