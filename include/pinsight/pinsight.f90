! PInsight's public API for Fortran: modes of the domains, and regions that a program marks itself.
! It calls the functions of pinsight.h, which has the details.
!
!     use pinsight
!     call pinsight_region_begin("assembly")
!     call pinsight_region_end("assembly")
!     call pinsight_mark("converged")
!     call pinsight_mark("residual", 1.0d-3)
!
! Compile this file with the program, as every Fortran compiler has its own form of modules, and
! link libpinsight. Blanks at the end of a name are not part of it. All procedures are thread-safe.
module pinsight
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_int, c_null_char
  implicit none
  private
  public :: pinsight_set_mode, pinsight_get_mode
  public :: pinsight_region_begin, pinsight_region_end, pinsight_mark

  ! The activity of a domain, from the cheapest to the most expensive mode.
  integer, parameter, public :: PINSIGHT_MODE_OFF = 0
  integer, parameter, public :: PINSIGHT_MODE_STANDBY = 1
  integer, parameter, public :: PINSIGHT_MODE_MONITORING = 2
  integer, parameter, public :: PINSIGHT_MODE_TRACING = 3

  ! Marks a moment, or a value at this moment: pinsight_mark(name [, value]).
  interface pinsight_mark
    module procedure mark_moment, mark_double, mark_single
  end interface pinsight_mark

  interface
    function c_set_mode(domain, mode) bind(c, name="pinsight_set_mode") result(status)
      import :: c_char, c_int
      character(kind=c_char), dimension(*), intent(in) :: domain
      integer(c_int), value :: mode
      integer(c_int) :: status
    end function c_set_mode

    function c_get_mode(domain) bind(c, name="pinsight_get_mode") result(mode)
      import :: c_char, c_int
      character(kind=c_char), dimension(*), intent(in) :: domain
      integer(c_int) :: mode
    end function c_get_mode

    subroutine c_region_begin(name) bind(c, name="pinsight_region_begin")
      import :: c_char
      character(kind=c_char), dimension(*), intent(in) :: name
    end subroutine c_region_begin

    subroutine c_region_end(name) bind(c, name="pinsight_region_end")
      import :: c_char
      character(kind=c_char), dimension(*), intent(in) :: name
    end subroutine c_region_end

    subroutine c_mark(name) bind(c, name="pinsight_mark")
      import :: c_char
      character(kind=c_char), dimension(*), intent(in) :: name
    end subroutine c_mark

    subroutine c_mark_value(name, value) bind(c, name="pinsight_mark_value")
      import :: c_char, c_double
      character(kind=c_char), dimension(*), intent(in) :: name
      real(c_double), value :: value
    end subroutine c_mark_value
  end interface

contains

  ! Sets the mode of a domain, such as "Python". `status` is 0, or -1 if this process has no such
  ! domain or the runtime refuses the mode.
  subroutine pinsight_set_mode(domain, mode, status)
    character(len=*), intent(in) :: domain
    integer, intent(in) :: mode
    integer, intent(out), optional :: status
    integer(c_int) :: result_of_c

    result_of_c = c_set_mode(trim(domain)//c_null_char, int(mode, c_int))
    if (present(status)) status = int(result_of_c)
  end subroutine pinsight_set_mode

  ! Returns the mode of a domain, or -1 if this process has no such domain.
  function pinsight_get_mode(domain) result(mode)
    character(len=*), intent(in) :: domain
    integer :: mode

    mode = int(c_get_mode(trim(domain)//c_null_char))
  end function pinsight_get_mode

  ! Begin and end a region. In each thread, an end belongs to the innermost begin of its name.
  subroutine pinsight_region_begin(name)
    character(len=*), intent(in) :: name

    call c_region_begin(trim(name)//c_null_char)
  end subroutine pinsight_region_begin

  subroutine pinsight_region_end(name)
    character(len=*), intent(in) :: name

    call c_region_end(trim(name)//c_null_char)
  end subroutine pinsight_region_end

  subroutine mark_moment(name)
    character(len=*), intent(in) :: name

    call c_mark(trim(name)//c_null_char)
  end subroutine mark_moment

  subroutine mark_double(name, value)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value

    call c_mark_value(trim(name)//c_null_char, value)
  end subroutine mark_double

  subroutine mark_single(name, value)
    character(len=*), intent(in) :: name
    real(c_float), intent(in) :: value

    call c_mark_value(trim(name)//c_null_char, real(value, c_double))
  end subroutine mark_single

end module pinsight
