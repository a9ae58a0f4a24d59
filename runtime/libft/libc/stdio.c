/* Streams.
 *
 * A stream that the program opens lies in the image, because libc allocates it on the program's
 * behalf; what is lost with the process is libc's list of streams. stdin, stdout and stderr lie in
 * libc's data and are copied as bytes; their buffers come from the image from the start on.
 * Pointers inside streams (vtables, conversion functions) point into libc, which lies at the same
 * address in every life; only fopencookie's functions are mangled with the life's pointer guard.
 *
 * Invariant: after a restore, list(new life) = its own streams + the saved ones, in their order. */
#include "libc/state.h"

#include <stddef.h>
#include <string.h>

#include "heap/heap.h"

#define LINKED 0x80   /* _IO_LINKED of libio.h: the stream is in the list */
#define NEED_LOCK 128 /* _IO_FLAGS2_NEED_LOCK: threads exist, so take the lock */

/* Exported by glibc since 2.2.5, declared in no installed header. */
extern FILE *_IO_list_all;
extern void _IO_link_in(FILE *stream);
extern void _IO_un_link(FILE *stream);
extern void _IO_doallocbuf(FILE *stream);
extern FILE _IO_2_1_stdin_, _IO_2_1_stdout_, _IO_2_1_stderr_;

static FILE *const standard[3] = {&_IO_2_1_stdin_, &_IO_2_1_stdout_, &_IO_2_1_stderr_};

struct cookie_stream { /* struct _IO_cookie_file of libioP.h */
    FILE file;
    const void *vtable;
    void *cookie;
    uint64_t function[4]; /* read, write, seek, close: mangled */
};

static uint64_t pointer_guard(void)
{
    uint64_t guard;

    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return guard;
}

/* The vtable of fopencookie's streams has no name; a stream of that kind shows it. */
static const void *cookie_vtable(void)
{
    static const void *vtable;
    cookie_io_functions_t none = {NULL, NULL, NULL, NULL};
    FILE *stream;

    if (vtable == NULL && (stream = fopencookie(NULL, "r", none)) != NULL) {
        vtable = ((struct cookie_stream *)stream)->vtable;
        fclose(stream);
    }
    return vtable;
}

/* PTR_DEMANGLE with the old guard and PTR_MANGLE with the new one (sysdep.h of x86-64). */
static void remangle(FILE *stream, uint64_t old)
{
    struct cookie_stream *cookie = (struct cookie_stream *)stream;

    if (cookie->vtable != cookie_vtable())
        return;
    for (int i = 0; i < 4; i++) {
        uint64_t plain = ((cookie->function[i] >> 17) | (cookie->function[i] << 47)) ^ old;

        plain ^= pointer_guard();
        cookie->function[i] = (plain << 17) | (plain >> 47);
    }
}

void libc_stdio_start(struct ft_libc *libc)
{
    int depth = ft_depth;

    (void)libc;
    ft_depth = 0;
    if (standard[0]->_IO_buf_base == NULL)
        _IO_doallocbuf(standard[0]);
    if (standard[1]->_IO_buf_base == NULL)
        _IO_doallocbuf(standard[1]);
    ft_depth = depth;
}

static void stream_save(struct libc_stream *saved, const FILE *stream)
{
    memcpy(saved->file, stream, sizeof saved->file);
    if (stream->_wide_data != NULL)
        memcpy(saved->wide, stream->_wide_data, sizeof saved->wide);
    memcpy(saved->lock, stream->_lock, sizeof saved->lock);
}

/* The list's link is the new life's; all else is the program's. */
static void stream_restore(const struct libc_stream *saved, FILE *stream)
{
    const FILE *old = (const FILE *)saved->file;
    FILE *chain;

    if ((stream->_flags & LINKED) && !(old->_flags & LINKED))
        _IO_un_link(stream);
    chain = stream->_chain;
    memcpy(stream, saved->file, sizeof saved->file);
    stream->_chain = chain;
    stream->_flags2 |= NEED_LOCK;
    if (stream->_wide_data != NULL)
        memcpy(stream->_wide_data, saved->wide, sizeof saved->wide);
    memcpy(stream->_lock, saved->lock, sizeof saved->lock);
}

void libc_stdio_save(struct ft_libc *libc)
{
    struct libc_stdio *stdio = &libc->stdio;
    size_t count = 0;

    for (FILE *stream = _IO_list_all; stream != NULL; stream = stream->_chain)
        count += ft_heap_holds(stream);
    stdio->opened = ft_image_realloc(stdio->opened, (count + 1) * sizeof *stdio->opened);
    stdio->count = 0;
    for (FILE *stream = _IO_list_all; stream != NULL; stream = stream->_chain)
        if (ft_heap_holds(stream))
            stdio->opened[stdio->count++] = stream;
    for (int i = 0; i < 3; i++)
        stream_save(&stdio->standard[i], standard[i]);
    stdio->guard = pointer_guard();
}

void libc_stdio_restore(struct ft_libc *libc)
{
    struct libc_stdio *stdio = &libc->stdio;

    for (int i = 0; i < 3; i++)
        stream_restore(&stdio->standard[i], standard[i]);
    for (size_t i = stdio->count; i-- > 0;) {
        FILE *stream = stdio->opened[i];

        stream->_flags &= ~LINKED;
        stream->_flags2 |= NEED_LOCK;
        remangle(stream, stdio->guard);
        _IO_link_in(stream);
    }
}
