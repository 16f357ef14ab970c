# The libraries that PInsight can use beside libc, as imported targets. None is needed: what is missing is said,
# with what it is for.
#   PkgConfig::LTTNG_UST  PkgConfig::LTTNG_CTL  PkgConfig::URCU_BP   PINSIGHT_LTTNG: all of them are there
#   PkgConfig::BABELTRACE2  PkgConfig::LIBDW  PkgConfig::OTF2        <name>_FOUND
#   PkgConfig::CMOCKA (unit tests only)                              PINSIGHT_HAVE_CMOCKA
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)

# A prefix made by `./bootstrap --prefix DIR` is named in CMAKE_PREFIX_PATH; pkg_check_modules looks
# into its lib/pkgconfig by itself.
macro(pinsight_look_for variable module lost package)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(${variable} QUIET IMPORTED_TARGET "${module}")
    endif()
    if(NOT ${variable}_FOUND)
        set(${variable}_FOUND FALSE)
        message(STATUS "${module} was not found: ${lost} (Debian: apt install ${package}; ./bootstrap installs all)")
    endif()
endmacro()

set(no_lttng "no recorder LTTng, pinsight run --recorder lttng")
pinsight_look_for(LTTNG_UST "lttng-ust>=2.13" "${no_lttng}" "liblttng-ust-dev pkg-config")
pinsight_look_for(LTTNG_CTL "lttng-ctl>=2.13" "${no_lttng}" "liblttng-ctl-dev pkg-config")
pinsight_look_for(URCU_BP "liburcu-bp>=0.12" "${no_lttng}" "liburcu-dev pkg-config")
set(PINSIGHT_LTTNG FALSE)
if(LTTNG_UST_FOUND AND LTTNG_CTL_FOUND AND URCU_BP_FOUND)
    set(PINSIGHT_LTTNG TRUE)
endif()
pinsight_look_for(BABELTRACE2 "babeltrace2>=2.0" "there is no plug-in of babeltrace2" "libbabeltrace2-dev pkg-config")
pinsight_look_for(LIBDW libdw "native regions are shown without their source lines" "libdw-dev pkg-config")
if(PINSIGHT_OTF2)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(OTF2 QUIET IMPORTED_TARGET otf2>=3.0)
    endif()
    if(NOT OTF2_FOUND)
        include(PinsightOtf2)
    endif()
else()
    set(OTF2_FOUND FALSE)
endif()
if(PINSIGHT_TESTS)
    pinsight_look_for(CMOCKA cmocka "the C unit tests are left out" "libcmocka-dev pkg-config")
endif()
set(PINSIGHT_HAVE_CMOCKA "${CMOCKA_FOUND}")
include(PinsightLazyLibrary)
