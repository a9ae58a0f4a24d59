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
 * same pattern on the same communicator (MPI_Recv, MPI_Irecv). `ftrun --trust` relies on it for the
 * patterns that ftcc has put into the table of sites, and for no others.
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

/* A named point at which a fault plan (ftrun --faults) can kill, stop or slow down the rank, and
 * select one pass by its three tags. `name` is a literal. A point that no plan names costs a load
 * and a branch; so does each one in a program that is linked without the runtime. `ftrun
 * --list-faults PROGRAM` lists the points. */
#define FT_FAULT(ft_name, ft_tag1, ft_tag2, ft_tag3)                                               \
    do {                                                                                           \
        static const char ft_listed[] __attribute__((section(".ftcc.faults"), used, aligned(1))) = \
            ft_name "\t" __FILE__ ":" FT_FAULT_LINE(__LINE__);                                     \
        (void)ft_listed;                                                                           \
        if (__builtin_expect(&ft_fault_named && ft_fault_named, 0))                                \
            ft_fault_at(ft_name, (ft_tag1), (ft_tag2), (ft_tag3));                                 \
    } while (0)
#define FT_FAULT_LINE(ft_line) FT_FAULT_TEXT(ft_line)
#define FT_FAULT_TEXT(ft_line) #ft_line
extern unsigned ft_fault_named
    __attribute__((weak)); /* nonzero: a plan names points of the program */
void ft_fault_at(const char *ft_name, long ft_tag1, long ft_tag2, long ft_tag3)
    __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif

/* With `ftrun --on-failure replace` (ft(3)); natively there is nobody to replace. */
#ifndef FTCC_FT_REPLACE
#define FTCC_FT_REPLACE
#ifdef __cplusplus
extern "C" {
#endif
/* All living ranks call it: new processes, which begin at main, take the places of the dead, and
 * MPI_COMM_WORLD is as after MPI_Init. Other communicators are revoked, unless this rank is
 * their one member. An MPI code. */
int ft_replace(void);
/* 1 in a process that has taken a dead rank's place, until its first ft_replace; otherwise 0. */
int ft_is_replacement(void);
#ifdef __cplusplus
}
#endif
#endif

/* Calls of ULFM that this MPI's mpi.h does not declare; the others are MPIX_Comm_revoke, shrink,
 * agree, failure_ack and failure_get_acked. With `ftrun --ulfm` alone. Behind mpi.h. */
#if defined(MPI_VERSION) && !defined(FTCC_FT_ULFM)
#define FTCC_FT_ULFM
/* A keyval of MPI_COMM_WORLD: a pointer to 1 with --ulfm, otherwise to 0 (of a program built with
 * ftcc). */
#define MPIX_FT 0x64400ff1
#ifdef __cplusplus
extern "C" {
#endif
int MPIX_Comm_is_revoked(MPI_Comm ft_comm, int *ft_flag);
int MPIX_Comm_get_failed(MPI_Comm ft_comm, MPI_Group *ft_failed);
int MPIX_Comm_ack_failed(MPI_Comm ft_comm, int ft_num_to_ack, int *ft_num_acked);
int MPIX_Comm_iagree(MPI_Comm ft_comm, int *ft_flag, MPI_Request *ft_request);
int MPIX_Comm_ishrink(MPI_Comm ft_comm, MPI_Comm *ft_newcomm, MPI_Request *ft_request);
#ifdef __cplusplus
}
#endif
#endif
