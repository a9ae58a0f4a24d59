! Fortran 90 with `use mpi`: allocatable arrays, a Cartesian communicator, derived datatypes, persistent
! requests, output of several ranks in their order, an internal file and a scratch file.
module field
  implicit none
  double precision, allocatable :: now(:, :), next(:, :)
  type cell
    integer :: count
    double precision :: heat
  end type
contains
  subroutine field_make(rank, n)
    integer, intent(in) :: rank, n
    integer :: i, j
    allocate (now(0:n + 1, 0:n + 1), next(0:n + 1, 0:n + 1))
    do j = 0, n + 1
      do i = 0, n + 1
        now(i, j) = mod(i * 7 + j * 13 + rank * 5, 11)
      end do
    end do
    next = now
  end subroutine
end module

program module_mpi
  use mpi
  use field
  implicit none
  integer, parameter :: n = 48
  integer :: ierr, rank, ranks, grid, dims(2), step, steps, row, requests(8), side(4), coords(2), i, half, color
  integer :: statuses(MPI_STATUS_SIZE, 8), length, peers
  logical :: periods(2)
  double precision :: sum, largest, all(2)
  character(len=80) :: line, word
  type(cell) :: mine

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  steps = 300
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  dims = 0
  periods = .true.
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_coords(grid, rank, 2, coords, ierr)
  call MPI_Cart_shift(grid, 0, 1, side(1), side(2), ierr)
  call MPI_Cart_shift(grid, 1, 1, side(3), side(4), ierr)
  color = mod(rank, 2)
  call MPI_Comm_split(grid, color, -rank, half, ierr)
  call MPI_Comm_set_name(half, 'half', ierr)
  call field_make(rank, n)
  call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Recv_init(now(0, 1), 1, row, side(1), 1, grid, requests(1), ierr)
  call MPI_Recv_init(now(n + 1, 1), 1, row, side(2), 2, grid, requests(2), ierr)
  call MPI_Recv_init(now(1, 0), n, MPI_DOUBLE_PRECISION, side(3), 3, grid, requests(3), ierr)
  call MPI_Recv_init(now(1, n + 1), n, MPI_DOUBLE_PRECISION, side(4), 4, grid, requests(4), ierr)
  call MPI_Send_init(now(n, 1), 1, row, side(2), 1, grid, requests(5), ierr)
  call MPI_Send_init(now(1, 1), 1, row, side(1), 2, grid, requests(6), ierr)
  call MPI_Send_init(now(1, n), n, MPI_DOUBLE_PRECISION, side(4), 3, grid, requests(7), ierr)
  call MPI_Send_init(now(1, 1), n, MPI_DOUBLE_PRECISION, side(3), 4, grid, requests(8), ierr)
  mine%count = 0
  open (unit=21, status='scratch', form='unformatted')
  do step = 1, steps
    call test_pace()
    call MPI_Startall(8, requests, ierr)
    if (mod(step, 2) == 0) then
      call MPI_Waitall(8, requests, statuses, ierr)
    else
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
    end if
    next(1:n, 1:n) = 0.2d0 * (now(1:n, 1:n) + now(0:n - 1, 1:n) + now(2:n + 1, 1:n) + now(1:n, 0:n - 1) &
      + now(1:n, 2:n + 1)) + 1d-4 * rank
    now(1:n, 1:n) = next(1:n, 1:n)
    mine%count = mine%count + 1
    mine%heat = now(n / 2, n / 2)
    write (21) step, mine%heat
    sum = mine%heat
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE_PRECISION, MPI_MAX, half, ierr)
    now(1, 1) = sum
    if (mod(step, 50) == 0) then
      call MPI_Comm_get_name(half, word, length, ierr)
      if (word(1:length) /= 'half') print *, 'WRONG name ', word
      sum = now(3, 5)
      call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, half, ierr)
      largest = maxval(now)
      all = (/ sum, largest /)
      call MPI_Reduce(all, next(1, 1), 2, MPI_DOUBLE_PRECISION, MPI_MAX, 0, grid, ierr)
      if (rank == 0) then
        write (line, '(a,i5,2f14.8)') 'step ', step, next(1, 1), next(2, 1)
        print '(a)', trim(line)
      end if
    end if
  end do
  rewind (21)
  sum = 0
  do i = 1, steps
    read (21) step, largest
    sum = sum + largest * step
  end do
  close (21)
  call MPI_Comm_size(half, peers, ierr)
  do i = 0, ranks - 1
    if (rank == i) then
      print '(a,i3,i6,f20.8,i3)', 'rank', rank, mine%count, sum, peers
      flush (6)
    end if
    call MPI_Barrier(grid, ierr)
  end do
  do i = 1, 8
    call MPI_Request_free(requests(i), ierr)
  end do
  call MPI_Type_free(row, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
end program
