/* io: MPI-IO (MPI 4.0, chapter 14), made of other MPI calls and of the system's file calls.
 *
 * The room is written as a library of the program: behind the wrapper it runs at depth 0, so its
 * memory is in the image, its messages are drained, logged and replayed, and its changes of files
 * are on record, as the program's own. Nothing below knows of MPI-IO, and nothing here knows of
 * checkpoints. A checkpoint may be taken in each call of MPI that it makes, and nowhere else.
 *
 * A file handle is a pointer into the image, and stays good in every life; the files room opens the
 * descriptor again at its number.
 *
 * Functions that answer `int` answer an MPI error class, which the wrapper gives to the file's
 * error handler. The reference for everything else is ROMIO: the bytes in the file, statuses,
 * classes of errors, names of hints. Two things are left out on purpose: data sieving on writing,
 * which would write bytes that the program has not given, and asynchronous transfers: a
 * non-blocking call transfers at once, and its request is complete. */
#ifndef FT_IO_H
#define FT_IO_H

#include "handle/handle.h"
#include "handle/typemap.h"
#include "request/request.h"

struct ft_file {
    MPI_Comm comm; /* a copy of the program's, owned */
    int rank;      /* of this process in comm */
    int fd;
    int amode;
    int atomic;     /* 1: MPI_File_set_atomicity */
    int external32; /* 1: the view's representation */
    char *name;
    MPI_Info hints; /* what the program gave, or MPI_INFO_NULL; owned */
    MPI_Errhandler errhandler;
    MPI_Fint number; /* for Fortran; 0: never asked */

    MPI_Offset displacement; /* the view: bytes */
    MPI_Datatype etype;      /* owned, unless predefined */
    MPI_Datatype filetype;   /* likewise */
    MPI_Offset unit;         /* bytes of data in an etype; 1 where it has none */
    struct ft_typemap map;   /* of filetype */

    MPI_Offset position; /* the individual pointer: etypes from the view's begin */
    char *shared_name;   /* the file that holds the shared pointer */
    int shared_fd;       /* -1: this process has not used it yet */

    int split; /* enum ft_transfer of a split collective that is open, or 0 */
    MPI_Status split_status;
    struct ft_file *next; /* open files */
};

struct ft_io { /* in the image */
    struct ft_file *open;
    struct ft_file **numbered; /* [numbers] by Fortran's handle less 1; NULL: closed */
    int numbers;
    MPI_Errhandler errhandler; /* of MPI_FILE_NULL, and of files to be opened */
};

/* The state of MPI-IO of this rank; made at the first call. */
struct ft_io *ft_io_of(struct ft_rank *self);
/* NULL: no open file. */
struct ft_file *ft_file_find(struct ft_rank *self, MPI_File handle);
/* Handles an error class in a wrapper: see ft_error_meet. file: NULL: MPI_FILE_NULL. */
int ft_file_error(struct ft_rank *self, struct ft_file *file, int code, const char *call);
/* The class of a failed system call. */
int ft_file_class(int error);

int ft_file_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, struct ft_file **file);
/* Collective. The file is gone, whatever is answered. */
int ft_file_close(struct ft_rank *self, struct ft_file *file);
int ft_file_delete(const char *name);
/* The name without the prefix by which ROMIO chooses a driver ("ufs:"). */
const char *ft_file_path(const char *name);

/* The transfer of one call. */
enum ft_transfer {
    FT_TRANSFER_WRITE = 1,
    FT_TRANSFER_AT = 2,      /* explicit offset; else the individual pointer, or: */
    FT_TRANSFER_SHARED = 4,  /* the shared pointer */
    FT_TRANSFER_ORDERED = 8, /* the shared pointer, in the order of ranks */
    FT_TRANSFER_ALL = 16,    /* collective */
    FT_TRANSFER_BEGIN = 32,
    FT_TRANSFER_END = 64
};
struct ft_access {
    MPI_Offset offset; /* etypes, of FT_TRANSFER_AT */
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    MPI_Status *status;   /* NULL: the call has none */
    MPI_Request *request; /* NULL: it blocks */
};
int ft_file_transfer(struct ft_rank *self, struct ft_file *file, int kind,
                     const struct ft_access *access);

/* The view: byte of the file where the data of `etypes` etypes from its begin ends, and the next
 * begins. */
MPI_Offset ft_view_byte(const struct ft_file *file, MPI_Offset etypes);
/* The etypes that the view shows of a file of `size` bytes, a part counted as one. */
MPI_Offset ft_view_end(const struct ft_file *file, MPI_Offset size);
/* The bytes of data that the view shows in front of byte `at` of the file. */
int64_t ft_view_data(const struct ft_file *file, MPI_Offset at);
/* Calls `visit` for the runs of the file that hold the view's bytes of data [from, from + bytes),
 * in their order, with where the run begins in the file and in the data; until it answers other
 * than 0, which is answered. */
typedef int ft_view_visit(void *context, MPI_Offset at, int64_t bytes, int64_t done);
int ft_view_walk(const struct ft_file *file, int64_t from, int64_t bytes, ft_view_visit *visit,
                 void *context);
/* Bytes and no gaps, from the file's first byte. */
void ft_view_reset(struct ft_rank *self, struct ft_file *file);
void ft_view_free(struct ft_file *file);

/* The shared pointer, in etypes. It lies in a file beside the program's, as ROMIO's does: so its
 * order among ranks is a matter of the files room, and it rolls back with the program's file. */
int ft_shared_get(struct ft_file *file, MPI_Offset *position);
int ft_shared_set(struct ft_file *file, MPI_Offset position);
/* Adds `etypes` to it; *position is what it was. */
int ft_shared_take(struct ft_file *file, MPI_Offset etypes, MPI_Offset *position);
/* The same for all ranks of the file at once, one after the other in their order. */
int ft_shared_take_ordered(struct ft_file *file, MPI_Offset etypes, MPI_Offset *position);
void ft_shared_close(struct ft_file *file);

/* Locks and unlocks bytes of a file against other processes that lock. Answers 0 or an error class.
 */
int ft_lock(int fd, MPI_Offset at, MPI_Offset bytes);
void ft_unlock(int fd, MPI_Offset at, MPI_Offset bytes);

/* The calls of the same names. */
int ft_file_get_amode(struct ft_rank *self, struct ft_file *file, int *amode);
int ft_file_get_atomicity(struct ft_rank *self, struct ft_file *file, int *flag);
int ft_file_get_byte_offset(struct ft_rank *self, struct ft_file *file, MPI_Offset offset,
                            MPI_Offset *disp);
int ft_file_get_group(struct ft_rank *self, struct ft_file *file, MPI_Group *group);
int ft_file_get_info(struct ft_rank *self, struct ft_file *file, MPI_Info *info);
int ft_file_get_position(struct ft_rank *self, struct ft_file *file, MPI_Offset *offset);
int ft_file_get_position_shared(struct ft_rank *self, struct ft_file *file, MPI_Offset *offset);
int ft_file_get_size(struct ft_rank *self, struct ft_file *file, MPI_Offset *size);
int ft_file_get_type_extent(struct ft_rank *self, struct ft_file *file, MPI_Datatype type,
                            MPI_Aint *extent);
int ft_file_get_type_extent_c(struct ft_rank *self, struct ft_file *file, MPI_Datatype type,
                              MPI_Count *extent);
int ft_file_get_view(struct ft_rank *self, struct ft_file *file, MPI_Offset *disp,
                     MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep);
int ft_file_preallocate(struct ft_rank *self, struct ft_file *file, MPI_Offset size);
int ft_file_seek(struct ft_rank *self, struct ft_file *file, MPI_Offset offset, int whence);
int ft_file_seek_shared(struct ft_rank *self, struct ft_file *file, MPI_Offset offset, int whence);
int ft_file_set_atomicity(struct ft_rank *self, struct ft_file *file, int flag);
int ft_file_set_info(struct ft_rank *self, struct ft_file *file, MPI_Info info);
int ft_file_set_size(struct ft_rank *self, struct ft_file *file, MPI_Offset size);
int ft_file_set_view(struct ft_rank *self, struct ft_file *file, MPI_Offset disp,
                     MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info);
int ft_file_sync(struct ft_rank *self, struct ft_file *file);

#endif
