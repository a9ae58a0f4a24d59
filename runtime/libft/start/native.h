/* native: ranks of ftrun --protocol none, whose calls are all native.
 *
 * Each function but the first does nothing in a process that is no such rank. Thread rule: called
 * by the thread that calls MPI_Init, MPI_Finalize and MPI_Abort. */
#ifndef FT_NATIVE_H
#define FT_NATIVE_H

/* Effect: waits for ftrun's PMI message, and puts its variables into the environment, where the MPI
 * library looks for them. Once, before main. Panics when ftrun is gone. */
void ft_native_start(void);

/* PMPI_Init or PMPI_Finalize has returned `code`, which is returned: with MPI_SUCCESS an end of the
 * process in between is a failure, whatever its status. */
int ft_native_begun(int code);
int ft_native_ended(int code);

/* MPI_Abort is about to end the process: this end is the program's own. Answers 1 in such a rank.
 */
int ft_native_abort(void);

#endif
