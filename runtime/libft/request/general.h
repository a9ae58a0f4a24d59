/* general: generalized requests (MPI 4.0, section 13.2): the program itself says when one ends.
 *
 * Such a request is on no list, and the library knows nothing of it: its functions and their
 * argument lie in the image. It is ACTIVE until MPI_Grequest_complete. The functions run as
 * callbacks: no safe point lies in them. */
#ifndef FT_REQUEST_GENERAL_H
#define FT_REQUEST_GENERAL_H

#include "request/virtual.h"

/* The end of a completion call with such a request, which is COMPLETE: asks the program for the
 * status and frees the request (ft_request_take). Answers the code of the program's functions. */
int ft_general_take(struct ft_rank *self, struct ft_request *request, MPI_Request *handle,
                    MPI_Status *status);
/* Asks for the status, and leaves the request as it is. */
int ft_general_query(struct ft_rank *self, const struct ft_request *request, MPI_Status *status);
/* Gives a request up that the program does not wait for: its function is called now, and the entry
 * goes back to the table when the request is complete.
 */
void ft_general_detach(struct ft_rank *self, struct ft_request *request);
/* MPI_Cancel. An MPI code. */
int ft_general_cancel(struct ft_rank *self, const struct ft_request *request);

#endif
