! Fortran 2008 with `use mpi_f08`: handles of types of their own, no ierror, statuses, sentinels, an operation,
! an error handler and an attribute in Fortran; receives by wildcard, MPI_Waitany, MPI_Test, probes.
module acts
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: mistakes = 0
contains
  subroutine larger(in, inout, len, datatype)
    type(c_ptr), value :: in, inout
    integer :: len
    type(MPI_Datatype) :: datatype
    double precision, pointer :: a(:), b(:)
    call c_f_pointer(in, a, (/ len /))
    call c_f_pointer(inout, b, (/ len /))
    b = max(a, b)
  end subroutine
  subroutine mistaken(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    mistakes = mistakes + 1
  end subroutine
end module

program modern
  use mpi_f08
  use acts
  implicit none
  integer, parameter :: n = 64
  type(MPI_Comm) :: world, pair
  type(MPI_Request) :: request(3)
  type(MPI_Status) :: status, statuses(3)
  type(MPI_Op) :: op
  type(MPI_Errhandler) :: handler
  type(MPI_Message) :: message
  type(MPI_Datatype) :: kind
  type(MPI_Group) :: group
  integer :: rank, ranks, step, steps, i, which, got, key, root, place, members
  integer(MPI_ADDRESS_KIND) :: value, extra
  logical :: flag
  double precision :: mine(n), from(n, 2), total, top
  double precision :: begin
  character(len=40) :: word

  call MPI_Init()
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, ranks)
  steps = 100
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  begin = MPI_Wtime()
  call MPI_Op_create(larger, .true., op)
  call MPI_Comm_create_errhandler(mistaken, handler)
  call MPI_Comm_dup(world, pair)
  call MPI_Comm_set_errhandler(pair, handler)
  extra = 3
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra)
  value = 5000 + rank
  call MPI_Comm_set_attr(pair, key, value)
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, kind)
  call MPI_Type_commit(kind)
  call MPI_Comm_group(pair, group)
  call MPI_Group_size(group, members)
  mine = rank + 1
  do step = 1, steps
    call test_pace()
    call MPI_Irecv(from(:, 1), n, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, pair, request(1))
    call MPI_Irecv(from(:, 2), n, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 2, pair, request(2))
    call MPI_Send(mine, n / 2, kind, modulo(rank + 1, ranks), 1, pair)
    call MPI_Isend(mine, n, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 2, pair, request(3))
    select case (mod(step, 4))
    case (0)
      call MPI_Waitall(3, request, MPI_STATUSES_IGNORE)
    case (1)
      call MPI_Waitall(3, request, statuses)
      call MPI_Get_count(statuses(1), MPI_DOUBLE_PRECISION, got)
      if (got /= n) print *, 'WRONG count', got
    case (2)
      do i = 1, 3
        call MPI_Waitany(3, request, which, status)
      end do
    case (3)
      do
        call MPI_Testall(3, request, flag, MPI_STATUSES_IGNORE)
        if (flag) exit
      end do
    end select
    mine = 0.5d0 * mine + 0.25d0 * (from(:, 1) + from(:, 2)) + 1d-3 * rank
    root = mod(step, ranks)
    total = mine(1)
    if (rank == root) then
      do i = 2, ranks
        if (mod(i, 2) == 0) then
          call MPI_Recv(top, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 3, pair, MPI_STATUS_IGNORE)
        else
          call MPI_Mprobe(MPI_ANY_SOURCE, 3, pair, message, status)
          call MPI_Mrecv(top, 1, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE)
        end if
        total = max(total, top)
      end do
    else
      call MPI_Send(mine(1), 1, MPI_DOUBLE_PRECISION, root, 3, pair)
    end if
    call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, root, pair)
    call MPI_Allreduce(mine(2), top, 1, MPI_DOUBLE_PRECISION, op, pair)
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, pair)
    call MPI_Barrier(pair)
    if (mod(step, 25) == 0) then
      call MPI_Comm_get_attr(pair, key, value, flag)
      if (.not. flag .or. value /= 5000 + rank) print *, 'WRONG attribute', flag, value
      call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, ranks + 5, 1, pair, which)
      if (which == MPI_SUCCESS) print *, 'WRONG success'
      if (rank == 0) print '(a,i5,2f16.9)', 'step', step, total, top
    end if
  end do
  if (MPI_Wtime() < begin) print *, 'WRONG time'
  call MPI_Reduce(mistakes, place, 1, MPI_INTEGER, MPI_SUM, 0, pair)
  if (rank == 0) print '(a,i5,i3)', 'mistakes', place, members
  call MPI_Comm_free(pair)
  call MPI_Comm_free_keyval(key)
  call MPI_Errhandler_free(handler)
  call MPI_Group_free(group)
  call MPI_Type_free(kind)
  call MPI_Op_free(op)
  call MPI_Finalize()
end program
