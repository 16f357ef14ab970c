# Domains beside those in src: -DPINSIGHT_EXTRA_DOMAINS=FOLDER;... names their folders, each with the files that
# docs/domains.md tells of:
#   NAME.json      the table of events, whose name is the domain's
#   reader*.c      to the reader; views*.c and otf2*.c: to the views
#   CMakeLists.txt what records it, if something does
# A folder in src says nothing of them.
#
#   PINSIGHT_EXTRA_TABLES, _READER, _VIEWS, _OTF2   their files
#   pinsight_add_recording(<name> <file>...)        libpinsight-<name>.so, which records a domain. A runtime opens it, in
#       processes where nothing of PInsight's may be open yet: what is beside it decides on the recorder. So there is a copy of
#       it for LTTng, in lttng/tool, with libpinsight of LTTng in the folder above.
set(PINSIGHT_EXTRA_DOMAINS "" CACHE STRING "Folders of further domains, a list; see docs/domains.md")
set(PINSIGHT_EXTRA_TABLES "")
set(PINSIGHT_EXTRA_READER "")
set(PINSIGHT_EXTRA_VIEWS "")
set(PINSIGHT_EXTRA_OTF2 "")
set(PINSIGHT_EXTRA_FOLDERS "")
set(pinsight_extra_lines "")
foreach(folder IN LISTS PINSIGHT_EXTRA_DOMAINS)
    get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    file(GLOB tables CONFIGURE_DEPENDS "${folder}/*.json")
    list(LENGTH tables count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR "PINSIGHT_EXTRA_DOMAINS: ${folder} has ${count} tables of events (*.json); "
            "a domain's folder has one")
    endif()
    get_filename_component(name "${tables}" NAME_WE)
    string(TOUPPER "${name}" upper)
    string(APPEND pinsight_extra_lines "DOMAIN(${upper}, ${name})\n")
    list(APPEND PINSIGHT_EXTRA_TABLES "${tables}")
    list(APPEND PINSIGHT_EXTRA_FOLDERS "${folder}")
    foreach(part reader views otf2)
        file(GLOB files CONFIGURE_DEPENDS "${folder}/${part}*.c")
        string(TOUPPER "${part}" part)
        list(APPEND PINSIGHT_EXTRA_${part} ${files})
    endforeach()
    message(STATUS "Further domain: ${name}, ${folder}")
endforeach()
# What src/reader/domains.def includes.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/extra_domains.def" CONTENT "${pinsight_extra_lines}")

# What records them; and the target pinsight_domains, which is that, with what `pinsight run` needs beside it.
function(pinsight_add_extra_domains)
    add_custom_target(pinsight_domains)
    foreach(folder IN LISTS PINSIGHT_EXTRA_FOLDERS)
        if(EXISTS "${folder}/CMakeLists.txt")
            get_filename_component(name "${folder}" NAME)
            add_subdirectory("${folder}" "${CMAKE_BINARY_DIR}/further/${name}")
            get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
            add_dependencies(pinsight_domains ${targets})
        endif()
    endforeach()
endfunction()

function(pinsight_add_recording name)
    set(target pinsight_${name})
    add_library(${target} MODULE ${ARGN} "${PINSIGHT_RECORDS}/${name}_record.c")
    add_dependencies(${target} pinsight_generated)
    target_link_libraries(${target} PRIVATE pinsight_flags pinsight_core Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "libpinsight-${name}"
        INSTALL_RPATH "$ORIGIN;$ORIGIN/..")
    install(TARGETS ${target} LIBRARY DESTINATION "${pinsight_lib}")
    if(PINSIGHT_HAVE_LTTNG AND NOT PINSIGHT_TESTS_ONLY)
        pinsight_add_lttng_domain(${name})
        set(tools "${CMAKE_BINARY_DIR}/${PINSIGHT_LIBDIR}/lttng/tool")
        add_custom_command(TARGET ${target} POST_BUILD VERBATIM
            COMMAND "${CMAKE_COMMAND}" -E make_directory "${tools}"
            COMMAND "${CMAKE_COMMAND}" -E copy "$<TARGET_FILE:${target}>" "${tools}")
        install(TARGETS ${target} LIBRARY DESTINATION "${pinsight_lib}/lttng/tool")
    endif()
endfunction()
