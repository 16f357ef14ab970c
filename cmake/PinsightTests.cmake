# How tests are declared.
#
#   pinsight_add_unit_test(<name> SOURCES <file>... [LIBS <target>...] [ENV VAR=value...]
#                          [THREADS] [PLAIN])
#       a cmocka program; label `unit`. It runs in an LTTng world of its own (tests/isolate): a process
#       that links LTTng registers with any session daemon of its user. Left out where there is no cmocka.
#       THREADS: its threads share what is tested. A build with the thread sanitizer has these alone.
#       PLAIN: it does not go with sanitizers, as it defines functions which they define, or runs a Python
#       of the machine. Label `plain` beside `unit`; left out of builds with sanitizers.
#   pinsight_add_fuzz_test(<name> SOURCES <file>... [LIBS <target>...] [CORPUS <folder>])
#       a libFuzzer program, built with -DPINSIGHT_FUZZ=ON only; label `fuzz`. CORPUS is read and
#       never written to. It runs for PINSIGHT_FUZZ_SECONDS.
#
# No test is part of `all`: the target pinsight_tests builds those of a build folder, and pinsight_plain_tests
# those with the label `plain`. tests/run builds them all but the plain ones with sanitizers.
enable_testing()
add_custom_target(pinsight_tests)
add_custom_target(pinsight_plain_tests)

# The paths of a target's sources.
function(pinsight_target_files target variable)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    set(files "")
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE file)
        list(APPEND files "${file}")
    endforeach()
    set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# What several unit tests are linked with, compiled once; a test names it among its LIBS.
function(pinsight_add_test_parts name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
    if(NOT PINSIGHT_TESTS OR NOT PINSIGHT_HAVE_CMOCKA)
        return()
    endif()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/unit")
    target_link_libraries(${name} PRIVATE pinsight_flags PUBLIC ${arg_LIBS})
    add_dependencies(${name} pinsight_generated)
endfunction()

function(pinsight_add_unit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN;THREADS" "" "SOURCES;LIBS;ENV")
    if(NOT PINSIGHT_TESTS OR NOT PINSIGHT_HAVE_CMOCKA)
        return()
    endif()
    if(PINSIGHT_SANITIZE AND arg_PLAIN)
        return()
    endif()
    if(PINSIGHT_SANITIZE MATCHES "thread" AND NOT arg_THREADS)
        return()
    endif()
    add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/unit")
    target_link_libraries(${name} PRIVATE pinsight_flags ${arg_LIBS} PkgConfig::CMOCKA)
    add_dependencies(${name} pinsight_generated)
    add_dependencies(pinsight_tests ${name})
    add_test(NAME ${name}
        COMMAND "${PROJECT_SOURCE_DIR}/tests/isolate" $<TARGET_FILE:${name}>)
    set(labels unit)
    if(arg_PLAIN)
        add_dependencies(pinsight_plain_tests ${name})
        list(APPEND labels plain)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300
        ENVIRONMENT "LTTNG_UST_REGISTER_TIMEOUT=0;${arg_ENV}")
endfunction()

function(pinsight_add_fuzz_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;LIBS")
    if(NOT PINSIGHT_FUZZ)
        return()
    endif()
    add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(${name} PRIVATE pinsight_flags ${arg_LIBS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(${name} pinsight_generated)
    add_dependencies(pinsight_tests ${name})
    set(work "${CMAKE_BINARY_DIR}/fuzz/${name}")
    file(MAKE_DIRECTORY "${work}")
    add_test(NAME ${name} WORKING_DIRECTORY "${work}"
        COMMAND ${name} -max_total_time=${PINSIGHT_FUZZ_SECONDS} -timeout=25 -rss_limit_mb=2048
            -print_final_stats=0 -verbosity=0 "${work}" ${arg_CORPUS})
    math(EXPR limit "${PINSIGHT_FUZZ_SECONDS} + 120")
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()
