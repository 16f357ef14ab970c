# Runs src/events/generate.py, which writes the recorder, the reader's bindings, the descriptions of
# the domains and the event reference from the tables in src/events/*.json into ${CMAKE_BINARY_DIR}/generated.
#
# A target that compiles or includes generated files says add_dependencies(<target> pinsight_generated).
# PINSIGHT_GENERATED_FILES lists what is written.
#
# The generator runs once at configure time, to learn what it writes, and again at build time
# whenever a table or a part of the generator changed.
set(PINSIGHT_GENERATED "${CMAKE_BINARY_DIR}/generated")
set(pinsight_events "${CMAKE_SOURCE_DIR}/src/events")
file(GLOB pinsight_event_tables CONFIGURE_DEPENDS "${pinsight_events}/*.json")
list(APPEND pinsight_event_tables ${PINSIGHT_EXTRA_TABLES})
file(GLOB pinsight_generators CONFIGURE_DEPENDS "${pinsight_events}/*.py" "${CMAKE_SOURCE_DIR}/src/tracer/record/*/*.py")
list(APPEND pinsight_generators "${CMAKE_SOURCE_DIR}/src/tracer/mpi/functions.txt") # mpi.json names it

unset(PINSIGHT_BUILD_PYTHON)
unset(PINSIGHT_BUILD_PYTHON CACHE)
foreach(tag IN LISTS PINSIGHT_PYTHON_TAGS) # the newest that runs here
    if(PINSIGHT_PYTHON_${tag}_EXECUTABLE)
        set(PINSIGHT_BUILD_PYTHON "${PINSIGHT_PYTHON_${tag}_EXECUTABLE}")
    endif()
endforeach()
if(NOT DEFINED PINSIGHT_BUILD_PYTHON)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PINSIGHT_PYTHON_ANSWERS_IN=${PINSIGHT_PYTHON_ANSWERS_IN}"
        "${CMAKE_SOURCE_DIR}/cmake/python" --which
        RESULT_VARIABLE failed OUTPUT_VARIABLE PINSIGHT_BUILD_PYTHON ERROR_VARIABLE complaint
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
    if(failed)
        message(FATAL_ERROR "The build needs a Python 3.8 or later to generate sources:\n${complaint}\n"
            "Run ./bootstrap, or put one that works into PATH.")
    elseif(complaint)
        string(REPLACE "\n" "\n-- " complaint "${complaint}")
        message(STATUS "${complaint}")
    endif()
endif()

if(EXISTS "${pinsight_events}/generate.py")
    set(pinsight_generate "${PINSIGHT_BUILD_PYTHON}" -B "${pinsight_events}/generate.py"
        --out "${PINSIGHT_GENERATED}" ${pinsight_event_tables})
    execute_process(COMMAND ${pinsight_generate} RESULT_VARIABLE failed ERROR_VARIABLE complaint
        OUTPUT_QUIET)
    if(failed)
        message(FATAL_ERROR "The event generator failed in ${PINSIGHT_BUILD_PYTHON}:\n${complaint}")
    endif()
    file(GLOB_RECURSE PINSIGHT_GENERATED_FILES "${PINSIGHT_GENERATED}/tracer/record/*"
        "${PINSIGHT_GENERATED}/format/*" "${PINSIGHT_GENERATED}/reader/*" "${PINSIGHT_GENERATED}/describe/*"
        "${PINSIGHT_GENERATED}/*.md")
    set(pinsight_stamp "${CMAKE_BINARY_DIR}/generated.stamp")
    add_custom_command(OUTPUT "${pinsight_stamp}"
        BYPRODUCTS ${PINSIGHT_GENERATED_FILES}
        COMMAND ${pinsight_generate}
        COMMAND "${CMAKE_COMMAND}" -E touch "${pinsight_stamp}"
        DEPENDS ${pinsight_event_tables} ${pinsight_generators}
        COMMENT "Generating from src/events" VERBATIM)
    add_custom_target(pinsight_generated DEPENDS "${pinsight_stamp}")
else()
    set(PINSIGHT_GENERATED_FILES "")
    add_custom_target(pinsight_generated)
endif()
# Generated sources may be named by targets in any folder.
set_source_files_properties(${PINSIGHT_GENERATED_FILES} PROPERTIES GENERATED TRUE)
