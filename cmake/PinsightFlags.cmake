# pinsight_flags: what every C file of the project is compiled with. Link it PRIVATE to each target.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)

add_library(pinsight_flags INTERFACE)
target_compile_options(pinsight_flags INTERFACE
    -O2 -g -Wall -Wextra -fvisibility=hidden -fno-strict-aliasing
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
