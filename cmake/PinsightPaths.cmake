# Where products go. The build tree has the layout of an installation (bin/, lib/pinsight/), so that
# build/bin/pinsight works from where it is.
set(PINSIGHT_LIBDIR "lib/pinsight")

# Where an installation has them. With scikit-build-core (pip install ., make wheel) the same files go into the
# wheel: the command as a script, the libraries as data files under sys.prefix, the packages and the start-up hook
# into site-packages.
include(GNUInstallDirs)
if(SKBUILD)
    set(pinsight_bin "${SKBUILD_SCRIPTS_DIR}")
    set(pinsight_lib "${SKBUILD_DATA_DIR}/${PINSIGHT_LIBDIR}")
    set(pinsight_public_lib "${pinsight_lib}")
    set(pinsight_share "${SKBUILD_DATA_DIR}/share")
    set(pinsight_man "${pinsight_share}/man")
    set(pinsight_include "${SKBUILD_DATA_DIR}/include")
else()
    # The command finds the libraries that programs load in ../lib/pinsight.
    set(pinsight_bin bin)
    set(pinsight_lib "${PINSIGHT_LIBDIR}")
    # Others link the library for views.
    set(pinsight_public_lib "${CMAKE_INSTALL_LIBDIR}")
    set(pinsight_share "${CMAKE_INSTALL_DATAROOTDIR}")
    set(pinsight_man "${CMAKE_INSTALL_MANDIR}")
    set(pinsight_include "${CMAKE_INSTALL_INCLUDEDIR}")
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${PINSIGHT_LIBDIR}")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Our libraries find each other beside themselves, the command finds them in ../lib/pinsight, and
# dependencies outside the system's folders (bootstrap --prefix) are found where they were linked. A wheel for other
# machines (cmake/wheel) switches that off.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${PINSIGHT_LIBDIR}")
if(NOT DEFINED CMAKE_INSTALL_RPATH_USE_LINK_PATH)
    set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

configure_file("${CMAKE_CURRENT_LIST_DIR}/pinsight_version.h.in"
    "${CMAKE_BINARY_DIR}/generated/pinsight_version.h" @ONLY)
