/* ft.h: all that an application may call. Nothing here is needed: ftcc inserts it. Outside ftrun
 * all of it does nothing (a few nanoseconds).
 *
 * Thread rule: from the thread that calls MPI, and not from a callback of MPI.
 *
 * It is included behind the headers of a program, which may have macros of any name: names begin
 * with ft_ here, those of parameters, too. */
#ifndef FTCC_FT_H
#define FTCC_FT_H

#pragma GCC system_header /* no warnings in it, however it is found */

#ifdef __cplusplus
extern "C" {
#endif

/* A safe point, where a checkpoint may be taken. Put it at the top of the main loop, where it runs
 * once an iteration on every rank. */
void ft_hook(void);

/* The same, when the link step chose the loop `ft_id` as a main loop; otherwise nothing. */
void ft_hook_at(unsigned ft_id);

/* Communication patterns (Ropars et al., SC'13, section 4.3): the program says that an anonymous
 * receive between BEGIN and END only meets messages that were sent in the same iteration of the
 * same pattern on the same communicator; `ftrun --trust` relies on it (MPI_Recv, MPI_Irecv).
 * `pattern` is the name given by FT_DECLARE_PATTERN at file scope, whose `identity` is the same on
 * all ranks. Iterations are counted per (pattern, communicator); patterns nest. Every path out of
 * the region must pass FT_END_ITERATION. */
#define FT_DECLARE_PATTERN(name, identity)                                                         \
    static const unsigned name __attribute__((unused)) = (identity)
#define FT_BEGIN_ITERATION(pattern, comm) ft_iteration_begin((pattern), (unsigned long)(comm))
#define FT_END_ITERATION(pattern) ft_iteration_end(pattern)
void ft_iteration_begin(unsigned ft_pattern, unsigned long ft_communicator);
void ft_iteration_end(unsigned ft_pattern);

/* Names the call of MPI that follows: the number of its site in the report. */
#define FT_SITE(id) ((void)(ft_site = (id)))
extern __thread unsigned ft_site __attribute__((tls_model("initial-exec")));

#ifdef __cplusplus
}
#endif

#endif
