program ref
  use mpi
  implicit none
  integer :: ierr, rank, got, status(MPI_STATUS_SIZE), n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierr)
  if (rank == 1) call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  if (command_argument_count() > 0) then
    call MPI_Comm_get_parent(got, ierr)
    call MPI_Open_port(MPI_INFO_NULL, "x", ierr)
  end if
  call MPI_Finalize(ierr)
end program
