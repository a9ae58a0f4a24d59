/* session: sessions (MPI 4.0, section 11.3). Each is the whole job: its process sets are
 * mpi://WORLD and mpi://SELF. The runtime starts the library with the first session, or with
 * MPI_Init, and ends it once. */
#ifndef FT_SESSION_H
#define FT_SESSION_H

#include "handle/handle.h"

struct ft_session { /* in the image */
    MPI_Session handle;
    MPI_Errhandler errhandler; /* held */
    struct ft_session *next;
};

struct ft_sessions { /* in the image */
    struct ft_session *first;
    uint32_t numbers; /* of handles given */
    uint32_t bare;    /* 1: the library was started by a session */
    uint32_t world;   /* 1: and MPI_Init was called since */
};

/* Never NULL; from the rank's first life on. */
struct ft_sessions *ft_sessions_of(struct ft_rank *self);
/* NULL: no session. */
struct ft_session *ft_session_find(struct ft_rank *self, MPI_Session handle);
/* A new one. The error handler is held. */
MPI_Session ft_session_add(struct ft_rank *self, MPI_Errhandler errhandler);
void ft_session_remove(struct ft_rank *self, MPI_Session handle);

#endif
