# Where products go. The build tree has the layout of an installation (bin/, lib/pinsight/), so that
# build/bin/pinsight works from where it is.
set(PINSIGHT_LIBDIR "lib/pinsight")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${PINSIGHT_LIBDIR}")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Our libraries find each other beside themselves, the command finds them in ../lib/pinsight, and
# dependencies outside the system's folders (bootstrap --prefix) are found where they were linked.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${PINSIGHT_LIBDIR}")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

configure_file("${CMAKE_CURRENT_LIST_DIR}/pinsight_version.h.in"
    "${CMAKE_BINARY_DIR}/generated/pinsight_version.h" @ONLY)
