/* Asynchronous requests, in front of libc's (aio.h): what they write is on record before they
 * begin, as for a write (changes.c), and each is listed until libc has told the program its end. */
#include "files/aio.h"

#include <aio.h>
#include <pthread.h>
#include <stdlib.h>

#include "files/calls.h"

struct request {
    const struct aiocb *block; /* the program's */
    const char *call;
};

static pthread_mutex_t requests_lock = PTHREAD_MUTEX_INITIALIZER;
static struct request *requests; /* from libc's heap */
static int count, room;

static int is_under_way(const struct aiocb *block)
{
    return NEXT(aio_error)(block) == EINPROGRESS;
}

static void requests_sweep(void)
{
    int kept = 0;

    for (int i = 0; i < count; i++)
        if (is_under_way(requests[i].block))
            requests[kept++] = requests[i];
    count = kept;
}

static void requests_make_room(void)
{
    requests_sweep();
    if (count < room)
        return;
    room = room ? 2 * room : 64;
    ft_depth++;
    requests = realloc(requests, (size_t)room * sizeof *requests);
    ft_depth--;
    if (requests == NULL)
        ft_panic("no memory for the list of asynchronous requests");
}

static void request_list(const struct aiocb *block, const char *call)
{
    int error = errno;

    if (files_asks() == NULL)
        return;
    pthread_mutex_lock(&requests_lock);
    if (count == room)
        requests_make_room();
    requests[count++] = (struct request){block, call};
    pthread_mutex_unlock(&requests_lock);
    errno = error;
}

/* The block is the program's again. */
static void request_ends(const struct aiocb *block)
{
    int kept = 0;

    if (files_asks() == NULL)
        return;
    pthread_mutex_lock(&requests_lock);
    for (int i = 0; i < count; i++)
        if (requests[i].block != block)
            requests[kept++] = requests[i];
    count = kept;
    pthread_mutex_unlock(&requests_lock);
}

const char *files_aio_call(void)
{
    const char *call;

    pthread_mutex_lock(&requests_lock);
    requests_sweep();
    call = count > 0 ? requests[0].call : NULL;
    pthread_mutex_unlock(&requests_lock);
    return call;
}

/* Answers 1. */
static int copies_refuse(const char *call, const void *site)
{
    if (files_is_paired())
        ft_refuse(call, site,
                  "it is not carried with two copies of each rank (--replicas): use write, or "
                  "leave --replicas out for this program");
    return 1;
}

static void writing_begins(int fd, off_t offset, const char *call, const void *site)
{
    ft_outside_point(site);
    copies_refuse(call, site);
    files_write_begins(fd, offset, call, site);
}

static int opcode_of(const struct aiocb *block)
{
    return block == NULL ? LIO_NOP : block->aio_lio_opcode;
}

static void list_begins(struct aiocb *const list[], int length, const char *call, const void *site)
{
    ft_outside_point(site);
    for (int i = 0; i < length; i++)
        if (opcode_of(list[i]) == LIO_WRITE && copies_refuse(call, site))
            files_write_begins(list[i]->aio_fildes, list[i]->aio_offset, call, site);
}

static void list_ends(struct aiocb *const list[], int length, const char *call)
{
    for (int i = 0; i < length; i++)
        if (opcode_of(list[i]) != LIO_NOP)
            request_list(list[i], call);
}

/* All functions twice: blocks of the two kinds are the same. */
#define REQUESTS(suffix, block)                                                                    \
    FT_EXPORT int aio_read##suffix(struct block *request)                                          \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        ft_outside_point(SITE);                                                                    \
        code = NEXT(aio_read##suffix)(request);                                                    \
        if (code == 0)                                                                             \
            request_list((const struct aiocb *)request, "aio_read");                               \
        return code;                                                                               \
    }                                                                                              \
                                                                                                   \
    FT_EXPORT int aio_write##suffix(struct block *request)                                         \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        writing_begins(request->aio_fildes, request->aio_offset, "aio_write", SITE);               \
        code = NEXT(aio_write##suffix)(request);                                                   \
        if (code == 0)                                                                             \
            request_list((const struct aiocb *)request, "aio_write");                              \
        return code;                                                                               \
    }                                                                                              \
                                                                                                   \
    FT_EXPORT int aio_fsync##suffix(int operation, struct block *request)                          \
    {                                                                                              \
        int code = NEXT(aio_fsync##suffix)(operation, request);                                    \
                                                                                                   \
        if (code == 0)                                                                             \
            request_list((const struct aiocb *)request, "aio_fsync");                              \
        return code;                                                                               \
    }                                                                                              \
                                                                                                   \
    FT_EXPORT ssize_t aio_return##suffix(struct block *request)                                    \
    {                                                                                              \
        request_ends((const struct aiocb *)request);                                               \
        return NEXT(aio_return##suffix)(request);                                                  \
    }                                                                                              \
                                                                                                   \
    FT_EXPORT int lio_listio##suffix(int mode, struct block *const list[], int length,             \
                                     struct sigevent *event)                                       \
    {                                                                                              \
        struct aiocb *const *blocks = (struct aiocb *const *)list;                                 \
        int code;                                                                                  \
                                                                                                   \
        list_begins(blocks, length, "lio_listio", SITE);                                           \
        code = NEXT(lio_listio##suffix)(mode, list, length, event);                                \
        if (mode == LIO_NOWAIT)                                                                    \
            list_ends(blocks, length, "lio_listio");                                               \
        return code;                                                                               \
    }

REQUESTS(, aiocb)
REQUESTS(64, aiocb64)
