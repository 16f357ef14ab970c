! Solves Laplace's equation on a square by Jacobi's method, and marks its phases for PInsight.
!
!     gfortran -o laplace pinsight.f90 laplace.f90 -L LIB -l:libpinsight.so.0 -Wl,-rpath,LIB
!     pinsight run -o trace -- ./laplace
!     pinsight report --marked trace
program laplace
  use pinsight
  implicit none
  integer, parameter :: n = 200
  real(8) :: old(0:n + 1, 0:n + 1), new(0:n + 1, 0:n + 1), residual
  integer :: step

  call pinsight_region_begin("start")
  old = 0
  old(0, :) = 1
  new = old
  call pinsight_region_end("start")

  do step = 1, 100
    call pinsight_region_begin("sweep")
    new(1:n, 1:n) = (old(0:n - 1, 1:n) + old(2:n + 1, 1:n) + old(1:n, 0:n - 1) + old(1:n, 2:n + 1)) / 4
    call pinsight_region_end("sweep")
    residual = maxval(abs(new - old))
    call pinsight_mark("residual", residual)
    old = new
  end do
  call pinsight_mark("done")
  print "(a, es12.5)", "residual", residual
end program laplace
