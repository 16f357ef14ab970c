# Writes PINSIGHT_TRACECOMPASS, the analyses and views for Eclipse Trace Compass, from the event tables.
set(PINSIGHT_TRACECOMPASS "${CMAKE_BINARY_DIR}/tracecompass/pinsight.xml")
file(GLOB pinsight_tracecompass_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tracecompass/*.py")
add_custom_command(OUTPUT "${PINSIGHT_TRACECOMPASS}"
    COMMAND "${PINSIGHT_BUILD_PYTHON}" -B "${CMAKE_SOURCE_DIR}/tracecompass/generate.py" "${PINSIGHT_TRACECOMPASS}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${PINSIGHT_TRACECOMPASS}"
    DEPENDS ${pinsight_tracecompass_sources} ${pinsight_event_tables} ${pinsight_generators}
    COMMENT "Generating pinsight.xml for Trace Compass" VERBATIM)
add_custom_target(pinsight_tracecompass ALL DEPENDS "${PINSIGHT_TRACECOMPASS}")
