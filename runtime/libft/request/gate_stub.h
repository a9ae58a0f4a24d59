/* gate_stub: stands in for the rooms around this one in its tests: a rank state per process, a
 * recorder whose `order` all ranks share (as ftrun's bump would), handles, and a gate that drains
 * and then makes a new epoch out of the running library: every communicator and datatype gets a new
 * real handle, and every receive that is still posted is withdrawn before the rebuild. With
 * FT_TEST_CLUSTERS=N in the environment it is a gate of --protocol spbc, and every stay at it a
 * death: what is under way between clusters is lost. */
#ifndef FT_GATE_STUB_H
#define FT_GATE_STUB_H

#include "request/virtual.h"

void stub_start(int *argc, char ***argv); /* PMPI_Init and the rank's state */
void stub_finish(void);                   /* checks that nothing is left, and ends */

/* Orders all ranks to the gate at their next safe point. One rank at a time may call it. */
void stub_checkpoint(void);
/* Passes the gate if it is ordered; for all ranks, when none orders any more. */
void stub_gate_pending(void);
/* Orders by a timer, every `microseconds` (0: stops it); for one rank. */
void stub_checkpoint_often(long microseconds);
extern unsigned stub_gates; /* how often this rank passed the gate */

MPI_Comm stub_comm_dup(void);    /* virtual duplicate of the world */
MPI_Comm stub_comm_halves(void); /* virtual intercommunicator between even and odd ranks */
/* Until the next gate this rank has not made it, and cannot before others have turned to the making
 * very often. */
void stub_comm_unborn(MPI_Comm handle);
void stub_comm_errors_return(int on); /* codes come back to the test, or end it (the default) */
MPI_Datatype stub_type(MPI_Datatype real); /* virtual; takes over the real, committed type */

#endif
