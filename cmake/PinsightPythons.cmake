# Finds every CPython 3.8 or later that has its headers, one for each X.Y (free-threaded ones are
# X.Yt), the newest patch release of each.
#
#   PINSIGHT_PYTHON_TAGS                 for instance 3.8;3.11;3.12;3.13;3.13t
#   PINSIGHT_PYTHON_<tag>_INCLUDE        its include folders
#   PINSIGHT_PYTHON_<tag>_EXECUTABLE     the interpreter; empty for one whose headers alone are here
#   PINSIGHT_PYTHON_<tag>_VERSION        for instance 3.12.1
#   pinsight_for_each_python(<function>) calls <function>(<tag> <include folders> <executable>)
#   pinsight_leave_python_out(<tag> <why>) there will be no extension for that one; says so
#   pinsight_leave_python_plain(<tag> <why>) there will be the plain form alone (src/tracer/python); says so
#   PINSIGHT_PYTHON_PLAIN_ALONE          tags of those
#   PINSIGHT_PYTHON_PLAIN_FORM           definitions with which the plain form is compiled
#   pinsight_python_build(<variable> <tag>) definitions for all that includes headers of that Python
#
# One that cannot be used is left out with a line that says why, and the build goes on without it.
#
# An interpreter named in PINSIGHT_PYTHONS comes before any that is found. PINSIGHT_PYTHON_HEADERS names the include
# folders of versions that are not found: an extension can be built on a machine where its Python does not run.
set(pinsight_python_probe "${CMAKE_CURRENT_LIST_DIR}/probe_python.py")

set(PINSIGHT_PYTHON_NEWEST 3.15) # whose insides PInsight knows
set(PINSIGHT_PYTHON_PLAIN_ALONE "")
string(REPLACE "." ";" pinsight_newest "${PINSIGHT_PYTHON_NEWEST}")
list(GET pinsight_newest 1 pinsight_newest)
set(PINSIGHT_PYTHON_PLAIN_FORM PINSIGHT_PYTHON_PLAIN PINSIGHT_PYTHON_NEWEST=${pinsight_newest})

# Why there is no extension for a Python: a file beside where it would be, for those who look for it there.
set(pinsight_left_out "${CMAKE_BINARY_DIR}/${PINSIGHT_LIBDIR}")
file(GLOB pinsight_reasons "${pinsight_left_out}/_pinsight_python-*.why")
if(pinsight_reasons)
    file(REMOVE ${pinsight_reasons})
endif()

function(pinsight_note_python tag why)
    set(extension "${pinsight_left_out}/_pinsight_python-${tag}")
    file(REMOVE "${extension}.so" "${extension}-plain.so") # of an earlier build
    file(WRITE "${extension}.why" "${why}\n")
    set_property(GLOBAL APPEND PROPERTY PINSIGHT_WHY_NO_EXTENSION "${extension}.why")
endfunction()

function(pinsight_leave_python_plain tag why)
    message(STATUS "Python ${tag}: by public interfaces alone: ${why}")
    pinsight_note_python(${tag} "${why}")
    list(APPEND PINSIGHT_PYTHON_PLAIN_ALONE ${tag})
    set(PINSIGHT_PYTHON_PLAIN_ALONE "${PINSIGHT_PYTHON_PLAIN_ALONE}" PARENT_SCOPE)
endfunction()

function(pinsight_leave_python_out tag why)
    message(STATUS "Python ${tag}: left out: ${why}")
    pinsight_note_python(${tag} "${why}")
    list(REMOVE_ITEM PINSIGHT_PYTHON_TAGS ${tag})
    set(PINSIGHT_PYTHON_TAGS "${PINSIGHT_PYTHON_TAGS}" PARENT_SCOPE)
endfunction()

# Candidates: what the user named, what builds a wheel, PATH, /usr, pyenv, and what tests/pythons has fetched.
# pyenv's shims are scripts that may fail or start any version; the interpreters behind them are found in its versions
# folder.
set(pinsight_python_candidates ${PINSIGHT_PYTHONS})
foreach(named IN ITEMS "${Python_EXECUTABLE}" "${Python3_EXECUTABLE}" "${PYTHON_EXECUTABLE}")
    if(named)
        list(APPEND pinsight_python_candidates "${named}")
    endif()
endforeach()
if(PINSIGHT_FIND_PYTHONS)
    string(REPLACE ":" ";" pinsight_path "$ENV{PATH}")
    list(APPEND pinsight_path /usr/bin /usr/local/bin)
    file(GLOB pinsight_pyenv LIST_DIRECTORIES true
        "$ENV{PYENV_ROOT}/versions/*/bin" "$ENV{HOME}/.pyenv/versions/*/bin")
    list(APPEND pinsight_path ${pinsight_pyenv})
    if(PINSIGHT_PYTHONS_FETCHED)
        file(GLOB pinsight_built LIST_DIRECTORIES true "${PINSIGHT_PYTHONS_FETCHED}/*t/bin")
        list(APPEND pinsight_path "${PINSIGHT_PYTHONS_FETCHED}/root/usr/bin" ${pinsight_built})
    endif()
    list(REMOVE_DUPLICATES pinsight_path)
    foreach(folder IN LISTS pinsight_path)
        if(folder STREQUAL "" OR folder MATCHES "/shims/?$")
            continue()
        endif()
        file(GLOB found LIST_DIRECTORIES false "${folder}/python3" "${folder}/python3.[0-9]*")
        list(FILTER found INCLUDE REGEX "/python3(\\.[0-9]+t?)?$")
        list(APPEND pinsight_python_candidates ${found})
    endforeach()
endif()

set(PINSIGHT_PYTHON_TAGS "")
set(pinsight_python_seen "")
set(pinsight_python_unusable "") # tags of those that cannot be used; another of that version may be
foreach(candidate IN LISTS pinsight_python_candidates)
    file(REAL_PATH "${candidate}" resolved)
    set(wanted FALSE)
    if(candidate IN_LIST PINSIGHT_PYTHONS)
        set(wanted TRUE)
    elseif(resolved IN_LIST pinsight_python_seen)
        continue()
    endif()
    list(APPEND pinsight_python_seen "${resolved}")
    set(pinsight_debug "")
    if(wanted)
        set(pinsight_debug --debug) # for it alone then
    endif()
    execute_process(COMMAND "${candidate}" -I "${pinsight_python_probe}" ${pinsight_debug} INPUT_FILE /dev/null
        RESULT_VARIABLE failed OUTPUT_VARIABLE answer ERROR_VARIABLE complaint
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE TIMEOUT ${PINSIGHT_PYTHON_ANSWERS_IN})
    if(failed OR NOT answer MATCHES "^[0-9]+\\.[0-9]+t?;[0-9]+\\.[0-9]+\\.[0-9]+;[0-9.]+;/[^;\n]*;/[^\n]*$")
        if(failed MATCHES "timeout")
            set(complaint "it does not answer")
        elseif(NOT failed)
            set(complaint "it does not say which version it is")
        endif()
        string(REGEX REPLACE "^(.*\n)+" "" complaint "${complaint}") # the last line
        if(complaint STREQUAL "")
            set(complaint "it ends with ${failed}")
        endif()
        if(wanted)
            message(FATAL_ERROR "PINSIGHT_PYTHONS names ${candidate}, which cannot be used: "
                "${complaint}\nName CPython interpreters, 3.8 or later, that have their headers.")
        endif()
        if(complaint MATCHES "^([0-9]+\\.[0-9]+t?): (.*)$")
            list(APPEND pinsight_python_unusable ${CMAKE_MATCH_1})
            set(pinsight_python_unusable_${CMAKE_MATCH_1} "${candidate}: ${CMAKE_MATCH_2}")
        elseif(NOT complaint MATCHES "too old")
            message(STATUS "Python left out: ${candidate}: ${complaint}")
        endif()
        continue()
    endif()
    list(POP_FRONT answer tag version headers executable)
    if(tag IN_LIST PINSIGHT_PYTHON_TAGS)
        if(PINSIGHT_PYTHON_${tag}_NAMED OR
           NOT version VERSION_GREATER PINSIGHT_PYTHON_${tag}_VERSION)
            continue()
        endif()
    else()
        list(APPEND PINSIGHT_PYTHON_TAGS ${tag})
    endif()
    set(PINSIGHT_PYTHON_${tag}_VERSION ${version})
    set(pinsight_python_${tag}_headers ${headers})
    set(PINSIGHT_PYTHON_${tag}_INCLUDE ${answer})
    set(PINSIGHT_PYTHON_${tag}_EXECUTABLE "${executable}")
    set(PINSIGHT_PYTHON_${tag}_NAMED ${wanted})
endforeach()

foreach(folder IN LISTS PINSIGHT_PYTHON_HEADERS)
    if(NOT EXISTS "${folder}/patchlevel.h" OR NOT EXISTS "${folder}/pyconfig.h")
        message(FATAL_ERROR "PINSIGHT_PYTHON_HEADERS names ${folder}, which is no folder of CPython's headers")
    endif()
    file(STRINGS "${folder}/patchlevel.h" version REGEX "^#define[ \t]+PY_(MAJOR|MINOR|MICRO)_VERSION[ \t]")
    list(TRANSFORM version REPLACE "^.*_VERSION[ \t]+([0-9]+).*$" "\\1")
    list(JOIN version "." version)
    string(REGEX REPLACE "\\.[0-9]+$" "" tag "${version}")
    file(STRINGS "${folder}/pyconfig.h" free_threaded REGEX "^#define[ \t]+Py_GIL_DISABLED[ \t]+1")
    if(free_threaded)
        string(APPEND tag t)
    endif()
    if(version VERSION_LESS 3.8 OR tag IN_LIST PINSIGHT_PYTHON_TAGS)
        continue()
    endif()
    list(APPEND PINSIGHT_PYTHON_TAGS ${tag})
    set(PINSIGHT_PYTHON_${tag}_VERSION ${version})
    set(PINSIGHT_PYTHON_${tag}_INCLUDE "${folder}")
    set(PINSIGHT_PYTHON_${tag}_EXECUTABLE "")
    message(STATUS "Python ${tag}: ${version}, headers alone, in ${folder}")
endforeach()
list(SORT PINSIGHT_PYTHON_TAGS COMPARE NATURAL)

list(REMOVE_DUPLICATES pinsight_python_unusable)
list(REMOVE_ITEM pinsight_python_unusable ${PINSIGHT_PYTHON_TAGS})
foreach(tag IN LISTS pinsight_python_unusable)
    pinsight_leave_python_out(${tag} "${pinsight_python_unusable_${tag}}")
endforeach()
foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS)
    if(PINSIGHT_PYTHON_${tag}_EXECUTABLE)
        set(pinsight_note "")
        if(NOT pinsight_python_${tag}_headers VERSION_EQUAL PINSIGHT_PYTHON_${tag}_VERSION)
            set(pinsight_note ", with the headers of ${pinsight_python_${tag}_headers}")
        endif()
        message(STATUS "Python ${tag}: ${PINSIGHT_PYTHON_${tag}_VERSION}, "
            "${PINSIGHT_PYTHON_${tag}_EXECUTABLE}${pinsight_note}")
    endif()
endforeach()

function(pinsight_python_build variable tag)
    set(${variable} "" PARENT_SCOPE)
    if(tag MATCHES "t$")
        set(${variable} PINSIGHT_HAS_GIL=0 PARENT_SCOPE)
    endif()
endfunction()

function(pinsight_for_each_python callback)
    foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS)
        cmake_language(CALL ${callback} "${tag}" "${PINSIGHT_PYTHON_${tag}_INCLUDE}"
            "${PINSIGHT_PYTHON_${tag}_EXECUTABLE}")
    endforeach()
endfunction()
