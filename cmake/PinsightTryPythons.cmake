# Compiles the sources of the extension for each Python that was found, without writing code. One for which they do not
# compile, and one that is newer than PInsight, gets the plain form alone (src/tracer/python/sources.cmake); one for
# which that does not compile either is left out, so that it does not stop the build of the others. Takes six seconds
# of a processor for each Python, the first time and when a source or a header of the extension has changed since the
# last configuration. Where there is a compiler cache, the build's own commands are run: the build finds their results
# in the cache.
#
# Then writes pythons.txt: tag, version and interpreter of each that there is an extension for, one a line. Tests and
# the Makefile read it.
set(pinsight_try_folder "${CMAKE_BINARY_DIR}/tried-pythons")
file(MAKE_DIRECTORY "${pinsight_try_folder}")
set(pinsight_python_sources "${CMAKE_SOURCE_DIR}/src/tracer/python")
include("${pinsight_python_sources}/sources.cmake")
set(pinsight_try_sources ${pinsight_python_both} ${pinsight_python_full} ${pinsight_python_plain})
list(TRANSFORM pinsight_try_sources PREPEND "${pinsight_python_sources}/")
file(GLOB pinsight_try_headers "${CMAKE_SOURCE_DIR}/src/tracer/python/*.h"
    "${CMAKE_SOURCE_DIR}/src/tracer/python/cpython/*.h" "${CMAKE_SOURCE_DIR}/src/tracer/core/*.h"
    "${CMAKE_SOURCE_DIR}/src/tracer/record/*.h" "${CMAKE_SOURCE_DIR}/src/format/*.h" "${CMAKE_SOURCE_DIR}/src/base/*.h")
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
string(TOUPPER "${CMAKE_BUILD_TYPE}" pinsight_try_type)
separate_arguments(pinsight_try_type NATIVE_COMMAND "${CMAKE_C_FLAGS_${pinsight_try_type}}")

# What the compiler says of a form of the extension, "" where it compiles: in ${result}, and in the file NAME.log.
function(pinsight_try_python result name include sources definitions)
    set(state "${include} ${sources} ${definitions} ${pinsight_try_state}")
    foreach(folder IN LISTS include)
        if(EXISTS "${folder}/patchlevel.h")
            file(SHA256 "${folder}/patchlevel.h" sum)
            string(APPEND state " ${sum}")
        endif()
    endforeach()
    string(SHA256 state "${state}")
    set(answer "${pinsight_try_folder}/${name}")
    if(EXISTS "${answer}.${state}" AND EXISTS "${answer}.log")
        file(READ "${answer}.log" said)
    else()
        file(GLOB old "${answer}.*")
        list(TRANSFORM include PREPEND "-isystem" OUTPUT_VARIABLE system)
        list(TRANSFORM definitions PREPEND "-D")
        list(TRANSFORM sources PREPEND "${pinsight_python_sources}/")
        string(MAKE_C_IDENTIFIER "pinsight_python_${name}_EXPORTS" exports)
        set(command "${CMAKE_C_COMPILER}" -DNDEBUG ${definitions} "-D${exports}" ${pinsight_try_includes} ${system}
            ${pinsight_try_flags} ${pinsight_try_type} -fPIC ${pinsight_try_options} -std=gnu11)
        if(CMAKE_C_COMPILER_LAUNCHER)
            list(PREPEND command --objects "${answer}" ${CMAKE_C_COMPILER_LAUNCHER})
        endif()
        execute_process(COMMAND "${CMAKE_SOURCE_DIR}/cmake/try-compile" ${command} -- ${sources}
            WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
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
    set(${result} "${said}" PARENT_SCOPE)
endfunction()

# The first error of what the compiler said.
function(pinsight_first_error result said name)
    string(REGEX MATCH "[^\n]*error:[^\n]*" first "${said}")
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" first "${first}")
    set(${result} "${first}; all is in ${pinsight_try_folder}/${name}.log" PARENT_SCOPE)
endfunction()

# A macro, for what it changes is its caller's.
macro(pinsight_choose_form tag include)
    string(REGEX REPLACE "t$" "" pinsight_number "${tag}")
    set(pinsight_why "")
    pinsight_python_build(pinsight_build "${tag}")
    set(pinsight_plain ${PINSIGHT_PYTHON_PLAIN_FORM} ${pinsight_build})
    if(pinsight_number VERSION_GREATER PINSIGHT_PYTHON_NEWEST)
        set(pinsight_why "it is newer than PInsight, which knows CPython up to ${PINSIGHT_PYTHON_NEWEST}")
    else()
        pinsight_try_python(pinsight_said ${tag} "${include}" "${pinsight_python_both};${pinsight_python_full}"
            "${pinsight_build}")
        if(NOT pinsight_said STREQUAL "")
            # It may be a mistake in them: once they change, all this is looked at again.
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pinsight_try_sources} ${pinsight_try_headers})
            pinsight_first_error(pinsight_error "${pinsight_said}" ${tag})
            set(pinsight_why "PInsight does not compile with its headers (${pinsight_error})")
        endif()
    endif()
    if(NOT pinsight_why STREQUAL "")
        pinsight_try_python(pinsight_said ${tag}-plain "${include}" "${pinsight_python_both};${pinsight_python_plain}"
            "${pinsight_plain}")
        if(pinsight_said STREQUAL "")
            pinsight_leave_python_plain(${tag} "${pinsight_why}")
        else()
            pinsight_first_error(pinsight_error "${pinsight_said}" ${tag}-plain)
            pinsight_leave_python_out(${tag} "PInsight does not compile with its headers (${pinsight_error})")
        endif()
    endif()
endmacro()

if(NOT PINSIGHT_TESTS_ONLY)
    foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS)
        pinsight_choose_form(${tag} "${PINSIGHT_PYTHON_${tag}_INCLUDE}")
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
