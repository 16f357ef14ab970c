# pinsight_open_lazily(<target> <name> <package> <functions>): the target calls functions of the library
# PkgConfig::<package>, which is not linked but opened as pinsight_lazy_<name> (src/base/lazy_library.h).
function(pinsight_open_lazily target name package functions)
    get_target_property(libraries PkgConfig::${package} INTERFACE_LINK_LIBRARIES)
    list(GET libraries 0 library)
    execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${library}" OUTPUT_VARIABLE about ERROR_QUIET)
    if(about MATCHES "SONAME +([^ \n]+)")
        set(soname "${CMAKE_MATCH_1}")
    else()
        get_filename_component(soname "${library}" NAME)
    endif()
    get_filename_component(folder "${library}" DIRECTORY)
    set(lazy pinsight_lazy_${name})
    add_library(${lazy} OBJECT "${CMAKE_SOURCE_DIR}/src/base/lazy_functions.c")
    target_link_libraries(${lazy} PRIVATE pinsight_flags)
    target_compile_definitions(${lazy} PRIVATE LAZY_LIBRARY=${name} "LAZY_FUNCTIONS=\"${functions}\""
        "LAZY_PATH=\"${folder}/${soname}\"" "LAZY_NAME=\"${soname}\"")
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${lazy}>)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64)$")
        # Its headers alone.
        target_include_directories(${target} SYSTEM PRIVATE
            $<TARGET_PROPERTY:PkgConfig::${package},INTERFACE_INCLUDE_DIRECTORIES>)
    else()
        target_link_libraries(${target} PRIVATE PkgConfig::${package})
    endif()
endfunction()
