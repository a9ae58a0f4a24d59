#include "handle/session.h"

#include <utlist.h>

#include "handle/handles.h"

#define HANDLES 0x78000000 /* beside MPI_SESSION_NULL */

struct ft_sessions *ft_sessions_of(struct ft_rank *self)
{
    if (!self->handles->sessions)
        self->handles->sessions = ft_image_alloc(sizeof(struct ft_sessions));
    return self->handles->sessions;
}

struct ft_session *ft_session_find(struct ft_rank *self, MPI_Session handle)
{
    struct ft_session *session = ft_sessions_of(self)->first;

    while (session && session->handle != handle)
        session = session->next;
    return session;
}

MPI_Session ft_session_add(struct ft_rank *self, MPI_Errhandler errhandler)
{
    struct ft_sessions *sessions = ft_sessions_of(self);
    struct ft_session *session = ft_image_alloc(sizeof *session);

    session->handle = HANDLES + (MPI_Session)++sessions->numbers;
    session->errhandler = errhandler;
    ft_errhandler_hold(self, errhandler);
    LL_PREPEND(sessions->first, session);
    return session->handle;
}

void ft_session_remove(struct ft_rank *self, MPI_Session handle)
{
    struct ft_session *session = ft_session_find(self, handle);

    LL_DELETE(ft_sessions_of(self)->first, session);
    ft_errhandler_release(self, session->errhandler);
    ft_image_free(session);
}
