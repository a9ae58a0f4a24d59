/* A header whose guard and macros have short names. */
#ifndef FT_H
#define FT_H
#define id 3
#define pattern (id + 1)
#define communicator MPI_COMM_WORLD
#endif
