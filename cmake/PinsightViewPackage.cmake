# How others find the library for views: pkg-config and find_package(PInsightView).
include(CMakePackageConfigHelpers)
set(package "${CMAKE_BINARY_DIR}/generated/package")
set(folder "${pinsight_public_lib}/cmake/PInsightView")
configure_file("${CMAKE_CURRENT_LIST_DIR}/pinsight-view.pc.in" "${package}/pinsight-view.pc" @ONLY)
install(FILES "${package}/pinsight-view.pc" DESTINATION "${pinsight_public_lib}/pkgconfig" COMPONENT development)
write_basic_package_version_file("${package}/PInsightViewConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${package}/PInsightViewConfigVersion.cmake" DESTINATION "${folder}" COMPONENT development)
install(EXPORT PInsightView NAMESPACE PInsight:: FILE PInsightViewConfig.cmake DESTINATION "${folder}"
    COMPONENT development)
