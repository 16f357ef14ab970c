# Copies the Python packages to lib/pinsight/python in the build tree, so that
# PYTHONPATH=build/lib/pinsight/python imports pinsight from a build.
file(GLOB_RECURSE pinsight_package_files CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_SOURCE_DIR}/python"
    "${CMAKE_SOURCE_DIR}/python/*.py" "${CMAKE_SOURCE_DIR}/python/*.pyi"
    "${CMAKE_SOURCE_DIR}/python/*.pth" "${CMAKE_SOURCE_DIR}/python/*/py.typed")

set(pinsight_package_dir "${CMAKE_BINARY_DIR}/${PINSIGHT_LIBDIR}/python")
set(pinsight_package_copies "")
foreach(file IN LISTS pinsight_package_files)
    add_custom_command(OUTPUT "${pinsight_package_dir}/${file}"
        COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_SOURCE_DIR}/python/${file}"
            "${pinsight_package_dir}/${file}"
        DEPENDS "${CMAKE_SOURCE_DIR}/python/${file}" VERBATIM)
    list(APPEND pinsight_package_copies "${pinsight_package_dir}/${file}")
endforeach()
add_custom_target(pinsight_package ALL DEPENDS ${pinsight_package_copies})
