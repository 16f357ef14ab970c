# Compiles the sources of the extension for each Python that was found, without writing code: one for which they do not
# compile is left out, so that it does not stop the build of the others. Takes three seconds of a processor for each
# Python, the first time and when a source or a header of the extension has changed since the last configuration.
#
# Then writes pythons.txt: tag, version and interpreter of each that there is an extension for, one a line. Tests and
# the Makefile read it.
set(pinsight_try_folder "${CMAKE_BINARY_DIR}/tried-pythons")
file(MAKE_DIRECTORY "${pinsight_try_folder}")
file(GLOB pinsight_try_sources "${CMAKE_SOURCE_DIR}/src/domains/python/*.c"
    "${CMAKE_SOURCE_DIR}/src/domains/python/cpython/*.c")
file(GLOB pinsight_try_headers "${CMAKE_SOURCE_DIR}/src/domains/python/*.h"
    "${CMAKE_SOURCE_DIR}/src/domains/python/cpython/*.h" "${CMAKE_SOURCE_DIR}/src/core/*.h")
set(pinsight_try_state "${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_C_FLAGS} ${PINSIGHT_WERROR}")
foreach(file IN LISTS pinsight_try_sources pinsight_try_headers)
    file(SHA256 "${file}" pinsight_sum)
    string(APPEND pinsight_try_state "${pinsight_sum}")
endforeach()
separate_arguments(pinsight_try_flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
get_target_property(pinsight_try_options pinsight_flags INTERFACE_COMPILE_OPTIONS)
list(FILTER pinsight_try_options EXCLUDE REGEX "\\$<")
if(PINSIGHT_WERROR)
    list(APPEND pinsight_try_options -Werror)
endif()
get_target_property(pinsight_try_includes pinsight_flags INTERFACE_INCLUDE_DIRECTORIES)
list(TRANSFORM pinsight_try_includes PREPEND "-I")

function(pinsight_try_python tag include executable)
    set(state "${include} ${pinsight_try_state}")
    foreach(folder IN LISTS include)
        if(EXISTS "${folder}/patchlevel.h")
            file(SHA256 "${folder}/patchlevel.h" sum)
            string(APPEND state " ${sum}")
        endif()
    endforeach()
    string(SHA256 state "${state}")
    set(answer "${pinsight_try_folder}/${tag}") # what the compiler says of it; nothing where it compiles
    if(EXISTS "${answer}.${state}" AND EXISTS "${answer}.log")
        file(READ "${answer}.log" said)
    else()
        file(GLOB old "${answer}.*")
        list(TRANSFORM include PREPEND "-isystem" OUTPUT_VARIABLE system)
        execute_process(COMMAND "${CMAKE_SOURCE_DIR}/cmake/try-compile" "${CMAKE_C_COMPILER}"
            ${pinsight_try_flags} -std=gnu11 -DNDEBUG ${pinsight_try_options} ${pinsight_try_includes} ${system}
            -- ${pinsight_try_sources}
            OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
        if(failed AND said STREQUAL "")
            set(said "${failed}")
        elseif(NOT failed)
            set(said "")
        endif()
        if(old)
            file(REMOVE ${old})
        endif()
        file(WRITE "${answer}.log" "${said}")
        file(WRITE "${answer}.${state}" "")
    endif()
    if(said STREQUAL "")
        return()
    endif()
    string(REGEX MATCH "[^\n]*error:[^\n]*" first "${said}")
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" first "${first}")
    pinsight_leave_python_out(${tag} "PInsight does not compile with its headers (${first}; all is in ${answer}.log)")
    set(PINSIGHT_PYTHON_TAGS "${PINSIGHT_PYTHON_TAGS}" PARENT_SCOPE)
endfunction()

if(NOT PINSIGHT_TESTS_ONLY)
    foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS)
        pinsight_try_python(${tag} "${PINSIGHT_PYTHON_${tag}_INCLUDE}" "${PINSIGHT_PYTHON_${tag}_EXECUTABLE}")
    endforeach()
endif()

if(PINSIGHT_PYTHON_TAGS)
    set(pinsight_python_list "")
    foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS)
        if(PINSIGHT_PYTHON_${tag}_EXECUTABLE)
            string(APPEND pinsight_python_list "${tag}\t${PINSIGHT_PYTHON_${tag}_VERSION}\t"
                "${PINSIGHT_PYTHON_${tag}_EXECUTABLE}\n")
        endif()
    endforeach()
    file(WRITE "${CMAKE_BINARY_DIR}/pythons.txt" "${pinsight_python_list}")
elseif(NOT PINSIGHT_TESTS_ONLY)
    message(FATAL_ERROR "No CPython 3.8 or later with its headers was found for which PInsight compiles.\n"
        "Run ./bootstrap (Debian: python3-dev), or name interpreters with "
        "-DPINSIGHT_PYTHONS=/path/to/python3;...")
endif()
