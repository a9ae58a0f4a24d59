/* start: the first and the last thing that runs of the runtime in a process.
 *
 * libft.so answers __libc_start_main in front of libc. Natively (no FT_CONTROL_FD, or --protocol
 * none) it steps aside. In a first life it lays out the image (stack, heap, environment) and runs
 * main on the program's own stack; in a later life it puts the image of the BOOT message into the
 * process, starts the MPI library, makes the handles again, and continues at the saved safe point:
 * the program's constructors and main are not entered a second time.
 *
 * Thread rule: called by the main thread only. */
#ifndef FT_START_H
#define FT_START_H

#include "process.h"

/* MPI_Init: receives the PMI of this epoch, calls PMPI_Init_thread at `required` (at most
 * MPI_THREAD_SERIALIZED), starts handles and requests, and passes the gate of checkpoint 0.
 * Returns an MPI code of PMPI_Init_thread; on failure the runtime's state is unchanged. */
int ft_start_library(struct ft_rank *self, int required, int *provided);

/* MPI_Finalize: waits until all ranks are in it (checkpoints may be taken meanwhile), then closes
 * the program's MPI: the library itself is left alone, nobody needs it after that. MPI_SUCCESS. */
int ft_finish_library(struct ft_rank *self);

/* Waits for the PMI message of ftrun in buffer (FT_WIRE_MAX bytes). `text` gets its "NAME=VALUE\0"
 * strings; returns their total length and the descriptor, which the caller owns, in *fd. Panics
 * when ftrun is gone. */
size_t ft_start_pmi(char *buffer, const char **text, int *fd);

/* PMPI_Init_thread with the PMI environment of the PMI message around it. An MPI code. The
 * caller clears recorder->starting when nothing more is to be made in the library. */
int ft_start_mpi(int required, int *provided);

/* In a trial start of a command: answers and ends the process. Otherwise nothing. */
void ft_probe_answer(void);

/* Opens this life: maps the recorder, reads BOOT into ft_life. Panics when ftrun is gone. */
void ft_start_boot(int control);

/* Does what follows the image in a new life, and does not return. */
_Noreturn void ft_start_restored(void (*rtld_fini)(void));

/* Kill orders, hook counts and so on of BOOT, into the rank. */
void ft_start_orders(struct ft_rank *self);

/* Installs the handlers that report a backtrace of a fatal signal to ftrun (libunwind). */
void ft_crash_start(void);

#endif
