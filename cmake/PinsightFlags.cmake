# pinsight_flags: what every C file of the project is compiled with. Link it PRIVATE to each target.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)

# Optimisation and debugging information are the user's to choose, with CMAKE_BUILD_TYPE or CFLAGS. Nobody chose
# anything where the type is none and there are no flags.
if(NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_C_FLAGS AND (NOT CMAKE_BUILD_TYPE OR CMAKE_BUILD_TYPE STREQUAL "None"))
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

add_library(pinsight_flags INTERFACE)
target_compile_options(pinsight_flags INTERFACE
    -Wall -Wextra -fvisibility=hidden -fno-strict-aliasing
    # Defined empty, so that a file may say #define _GNU_SOURCE too.
    -D_GNU_SOURCE=
    $<$<BOOL:${PINSIGHT_WERROR}>:-Werror>)
target_include_directories(pinsight_flags INTERFACE
    "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src" "${CMAKE_BINARY_DIR}/generated")

if(PINSIGHT_SANITIZE)
    target_compile_options(pinsight_flags INTERFACE
        -fsanitize=${PINSIGHT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(pinsight_flags INTERFACE -fsanitize=${PINSIGHT_SANITIZE})
endif()
if(PINSIGHT_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "PINSIGHT_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    target_compile_options(pinsight_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Link it behind pinsight_flags (clang takes the last word on a warning) to a target whose functions are called
# through tables, and have parameters that not all of them need.
add_library(pinsight_callback_flags INTERFACE)
target_compile_options(pinsight_callback_flags INTERFACE -Wno-unused-parameter)
