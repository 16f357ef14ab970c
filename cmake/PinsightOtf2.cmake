# OTF2 where there is no file for pkg-config, as the target PkgConfig::OTF2, and OTF2_FOUND: beside
# its otf2-config, in CMAKE_PREFIX_PATH or in the system's folders. What it has of version 3 is used.
find_program(PINSIGHT_OTF2_CONFIG otf2-config)
set(pinsight_otf2_prefix "")
if(PINSIGHT_OTF2_CONFIG)
    get_filename_component(pinsight_otf2_prefix "${PINSIGHT_OTF2_CONFIG}" DIRECTORY)
    get_filename_component(pinsight_otf2_prefix "${pinsight_otf2_prefix}" DIRECTORY)
endif()
find_path(PINSIGHT_OTF2_INCLUDE otf2/otf2.h HINTS "${pinsight_otf2_prefix}/include")
find_library(PINSIGHT_OTF2_LIBRARY NAMES otf2 open-trace-format2
    HINTS "${pinsight_otf2_prefix}/lib" "${pinsight_otf2_prefix}/lib64")
set(OTF2_FOUND FALSE)
if(PINSIGHT_OTF2_INCLUDE AND PINSIGHT_OTF2_LIBRARY)
    file(STRINGS "${PINSIGHT_OTF2_INCLUDE}/otf2/OTF2_GlobalDefWriter.h" pinsight_otf2_new
        REGEX "OTF2_GlobalDefWriter_WriteInterComm")
    if(pinsight_otf2_new)
        add_library(PkgConfig::OTF2 INTERFACE IMPORTED)
        set_target_properties(PkgConfig::OTF2 PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${PINSIGHT_OTF2_INCLUDE}"
            INTERFACE_LINK_LIBRARIES "${PINSIGHT_OTF2_LIBRARY}")
        set(OTF2_FOUND TRUE)
    endif()
endif()
if(NOT OTF2_FOUND)
    pinsight_is_missing(OTF2 OTF2 "pinsight export has no --to otf2" libopen-trace-format2-dev)
endif()
