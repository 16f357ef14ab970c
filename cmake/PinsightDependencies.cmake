# The libraries that PInsight stands on, as imported targets:
#   PkgConfig::LTTNG_UST  PkgConfig::LTTNG_CTL  PkgConfig::BABELTRACE2  PkgConfig::URCU_BP
#   PkgConfig::LIBDW (optional; LIBDW_FOUND says whether it is there)
#   PkgConfig::OTF2 (optional; OTF2_FOUND likewise)
#   PkgConfig::CMOCKA (unit tests only; PINSIGHT_HAVE_CMOCKA says whether it is there)
# What is missing is reported all at once, with the cure.
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
    message(FATAL_ERROR "pkg-config was not found.\n"
        "Run ./bootstrap, which installs what the build needs.")
endif()
find_package(Threads REQUIRED)

# A prefix made by `./bootstrap --prefix DIR` is named in CMAKE_PREFIX_PATH; pkg_check_modules looks
# into its lib/pkgconfig by itself.
set(pinsight_missing "")
function(pinsight_require variable module version purpose)
    pkg_check_modules(${variable} QUIET IMPORTED_TARGET "${module}>=${version}")
    if(NOT ${variable}_FOUND)
        set(pinsight_missing "${pinsight_missing}\n  ${module} >= ${version}: ${purpose}" PARENT_SCOPE)
    endif()
endfunction()

pinsight_require(LTTNG_UST lttng-ust 2.13 "records events (Debian: liblttng-ust-dev)")
pinsight_require(URCU_BP liburcu-bp 0.12 "what LTTng-UST is built on (Debian: liburcu-dev)")
pinsight_require(LTTNG_CTL lttng-ctl 2.13 "controls sessions (Debian: liblttng-ctl-dev)")
pinsight_require(BABELTRACE2 babeltrace2 2.0 "reads traces (Debian: libbabeltrace2-dev)")
if(pinsight_missing)
    message(FATAL_ERROR "Libraries that PInsight needs are missing:${pinsight_missing}\n"
        "Run ./bootstrap, which installs them through apt, or ./bootstrap --prefix DIR where there "
        "is no root, and then configure with -DCMAKE_PREFIX_PATH=DIR.")
endif()

# Source lines of native code, from debug information (Debian: libdw-dev).
pkg_check_modules(LIBDW QUIET IMPORTED_TARGET libdw)
if(NOT LIBDW_FOUND)
    message(STATUS "libdw was not found: native regions are shown without their source lines")
endif()

# pinsight export --to otf2 (Debian: libopen-trace-format2-dev).
if(PINSIGHT_OTF2)
    pkg_check_modules(OTF2 QUIET IMPORTED_TARGET otf2>=3.0)
    if(NOT OTF2_FOUND)
        include(PinsightOtf2)
    endif()
else()
    set(OTF2_FOUND FALSE)
endif()

pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
set(PINSIGHT_HAVE_CMOCKA ${CMOCKA_FOUND})
if(PINSIGHT_TESTS AND NOT PINSIGHT_HAVE_CMOCKA)
    message(STATUS "cmocka was not found: the C unit tests are left out (./bootstrap installs it)")
endif()
