/* The calls that write to streams, in front of libc's. A stream with a buffer of lines, or with
 * none, writes to its file in them: then each is a change of the file, as fflush is (streams.c). Of
 * all others, whose writes nobody can rely on before that, a look at their flags is all. */
#include <stdarg.h>
#include <stdio.h>

#include "files/calls.h"

#define AT_ONCE (0x2 | 0x200) /* _IO_UNBUFFERED, _IO_LINE_BUF of libio.h */

/* What _FORTIFY_SOURCE turns fprintf into; declared by no header without it. */
int __fprintf_chk(FILE *stream, int level, const char *format, ...);
int __vfprintf_chk(FILE *stream, int level, const char *format, va_list list);

static inline void line_begins(FILE *stream, const char *call, const void *site)
{
    if (ft_unlikely(stream->_flags & AT_ONCE))
        files_stream_flushes(stream, call, site);
}

#define WRITES(type, name, parameters, arguments)                                                  \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        line_begins(stream, #name, SITE);                                                          \
        return NEXT(name) arguments;                                                               \
    }

/* Of its arguments libc takes a list. */
#define PRINTS(name, all, parameters, arguments)                                                   \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        va_list list;                                                                              \
        int code;                                                                                  \
                                                                                                   \
        line_begins(stream, #name, SITE);                                                          \
        va_start(list, format);                                                                    \
        code = NEXT(all) arguments;                                                                \
        va_end(list);                                                                              \
        return code;                                                                               \
    }

WRITES(size_t, fwrite,
       (const void *restrict bytes, size_t size, size_t count, FILE *restrict stream),
       (bytes, size, count, stream))
WRITES(int, fputs, (const char *restrict text, FILE *restrict stream), (text, stream))
WRITES(int, fputc, (int byte, FILE *stream), (byte, stream))
#undef putc
WRITES(int, putc, (int byte, FILE *stream), (byte, stream))
WRITES(int, vfprintf, (FILE *restrict stream, const char *restrict format, va_list list),
       (stream, format, list))
WRITES(int, __vfprintf_chk, (FILE * stream, int level, const char *format, va_list list),
       (stream, level, format, list))
PRINTS(fprintf, vfprintf, (FILE *restrict stream, const char *restrict format, ...),
       (stream, format, list))
PRINTS(__fprintf_chk, __vfprintf_chk, (FILE * stream, int level, const char *format, ...),
       (stream, level, format, list))
