/* aio: asynchronous requests of the program (aio_write and its kin), which threads of libc carry
 * out. One that is under way is in no image. The list belongs to this process. Thread rule: any
 * thread. */
#ifndef FT_FILES_AIO_H
#define FT_FILES_AIO_H

/* The call that has begun a request which is under way, or NULL. */
const char *files_aio_call(void);

#endif
