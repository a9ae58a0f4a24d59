! Fortran 77 with mpif.h: COMMON, sentinels, an operation and an attribute of its own, a file.
      program fixed
      implicit none
      include 'mpif.h'
      integer ierr, rank, nprocs, step, steps, i, left, right
      integer status(MPI_STATUS_SIZE), req(4), index, mytype
      integer blocks(2), types(2), key, op, other
      integer(kind=MPI_ADDRESS_KIND) places(2), extra, value
      logical flag
      character(len=32) word
      double precision a(8), b(8), total
      integer counts(4)
      common /state/ a, b, total, counts
      external smaller, copied, dropped
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, nprocs, ierr)
      steps = 100
      call getarg(1, word)
      if (word .ne. ' ') read(word, *) steps
      left = mod(rank + nprocs - 1, nprocs)
      right = mod(rank + 1, nprocs)
      do i = 1, 8
        a(i) = rank + i * 0.5d0
        b(i) = 0
      end do
      call MPI_OP_CREATE(smaller, .true., op, ierr)
      extra = 7
      call MPI_COMM_CREATE_KEYVAL(copied, dropped, key, extra, ierr)
      value = 1000 + rank
      call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, key, value, ierr)
      blocks(1) = 8
      blocks(2) = 4
      types(1) = MPI_DOUBLE_PRECISION
      types(2) = MPI_INTEGER
      call MPI_GET_ADDRESS(a, places(1), ierr)
      call MPI_GET_ADDRESS(counts, places(2), ierr)
      call MPI_TYPE_CREATE_STRUCT(2, blocks, places, types, mytype,
     &                            ierr)
      call MPI_TYPE_COMMIT(mytype, ierr)
      if (rank .eq. 0) open(unit=17, file='fixed.txt')
      do step = 1, steps
        call test_pace()
        call work(rank, step)
        call MPI_IRECV(b, 8, MPI_DOUBLE_PRECISION, left, 5,
     &                 MPI_COMM_WORLD, req(1), ierr)
        call MPI_ISEND(a, 8, MPI_DOUBLE_PRECISION, right, 5,
     &                 MPI_COMM_WORLD, req(2), ierr)
        call MPI_WAITALL(2, req, MPI_STATUSES_IGNORE, ierr)
        do i = 1, 8
          a(i) = 0.75d0 * a(i) + 0.25d0 * b(i) + 1d-3 * step
        end do
        counts(1) = mod(counts(1) + step + rank, 1000)
        total = a(1)
        call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1,
     &       MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        call MPI_ALLREDUCE(a(2), b(2), 1, MPI_DOUBLE_PRECISION, op,
     &       MPI_COMM_WORLD, ierr)
        if (rank .eq. mod(step, nprocs)) then
          do i = 1, nprocs - 1
            call MPI_RECV(other, 1, MPI_INTEGER, MPI_ANY_SOURCE, 6,
     &                    MPI_COMM_WORLD, status, ierr)
            counts(2) = counts(2) + other * (status(MPI_SOURCE) + 1)
          end do
        else
          call MPI_SEND(step, 1, MPI_INTEGER, mod(step, nprocs), 6,
     &                  MPI_COMM_WORLD, ierr)
        end if
        if (mod(step, 20) .eq. 0) then
          call MPI_BCAST(MPI_BOTTOM, 1, mytype, mod(step / 20, nprocs),
     &                   MPI_COMM_WORLD, ierr)
          call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, key, value, flag,
     &                           ierr)
          if (.not. flag .or. value .ne. 1000 + rank) then
            print *, 'WRONG attribute', rank, step, flag, value
          end if
          call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, i, flag, ierr)
          if (.not. flag .or. i .lt. 32767) print *, 'WRONG tag', i
          call MPI_COMM_DUP(MPI_COMM_WORLD, other, ierr)
          call MPI_COMM_GET_ATTR(other, key, value, flag, ierr)
          if (.not. flag .or. value .ne. 1001 + rank) then
            print *, 'WRONG copy', rank, step, flag, value
          end if
          call MPI_COMM_FREE(other, ierr)
          if (rank .eq. 0) then
            write(17, '(i6,2f16.9)') step, total, b(2)
            print '(a,i6,2f16.9)', 'step', step, total, b(2)
          end if
        end if
        call MPI_TESTALL(2, req, flag, MPI_STATUSES_IGNORE, ierr)
        call MPI_WAITANY(2, req, index, MPI_STATUS_IGNORE, ierr)
      end do
      call MPI_REDUCE(counts, blocks, 2, MPI_INTEGER, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
        print *, 'counts', blocks(1), blocks(2)
        close(17)
      end if
      call MPI_COMM_DELETE_ATTR(MPI_COMM_WORLD, key, ierr)
      call MPI_COMM_FREE_KEYVAL(key, ierr)
      call MPI_TYPE_FREE(mytype, ierr)
      call MPI_OP_FREE(op, ierr)
      call MPI_FINALIZE(ierr)
      end

      subroutine work(rank, step)
      integer rank, step, i
      double precision x
      common /burnt/ x
      do i = 1, 20000
        x = sin(x + i + rank + step)
      end do
      end

      subroutine smaller(in, inout, len, type)
      integer len, type, i
      double precision in(len), inout(len)
      do i = 1, len
        inout(i) = min(in(i), inout(i))
      end do
      end

      subroutine copied(comm, key, extra, in, out, flag, ierr)
      implicit none
      include 'mpif.h'
      integer comm, key, ierr
      integer(kind=MPI_ADDRESS_KIND) extra, in, out
      logical flag
      if (extra .ne. 7) print *, 'WRONG extra', extra
      out = in + 1
      flag = .true.
      ierr = MPI_SUCCESS
      end

      subroutine dropped(comm, key, value, extra, ierr)
      implicit none
      include 'mpif.h'
      integer comm, key, ierr
      integer(kind=MPI_ADDRESS_KIND) value, extra
      if (extra .ne. 7) print *, 'WRONG extra', extra
      ierr = MPI_SUCCESS
      end
