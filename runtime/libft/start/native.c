/* A rank of a run that takes no checkpoints (ftrun --protocol none): ft_self stays NULL, so each
 * call is the native one. ftrun is the process manager of its MPI library, and learns by three
 * words what an end of the process means (native.h). */
#include "start/native.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/layout.h"
#include "start/start.h"

/* The program's own environment is changed, as the launcher of a native run would do it: the
 * library asks when the program calls MPI_Init, or opens a session. */
void ft_native_start(void)
{
    static char buffer[FT_WIRE_MAX]; /* putenv keeps it */
    char number[16];
    const char *text;
    int fd;
    size_t length = ft_start_pmi(buffer, &text, &fd);

    unsetenv(FT_WIRE_ENV);
    for (const char *at = text; at < text + length; at += strlen(at) + 1)
        putenv((char *)at);
    snprintf(number, sizeof number, "%d", fd);
    setenv("PMI_FD", number, 1);
    ft_life.native = 1;
}

int ft_native_begun(int code)
{
    struct ft_wire_number none = {0};

    if (!ft_life.native || code != MPI_SUCCESS)
        return code;
    ((struct ft_recorder *)FT_RECORDER_AT)->phase = FT_PHASE_RUNNING;
    ft_wire_send(ft_life.control, FT_WIRE_INITED, &none, sizeof none, NULL, 0, -1);
    return code;
}

int ft_native_ended(int code)
{
    if (ft_life.native && code == MPI_SUCCESS)
        ((struct ft_recorder *)FT_RECORDER_AT)->phase = FT_PHASE_FINALIZED;
    return code;
}

int ft_native_abort(void)
{
    if (ft_life.native)
        ((struct ft_recorder *)FT_RECORDER_AT)->phase = FT_PHASE_START;
    return ft_life.native;
}
