# The libraries that PInsight can use beside libc, as imported targets. None is needed. A message names each missing
# one, with its use.
#   PkgConfig::LTTNG_UST  PkgConfig::LTTNG_CTL  PkgConfig::URCU_BP   PINSIGHT_HAVE_LTTNG: all of them
#   PkgConfig::BABELTRACE2  PkgConfig::LIBDW  PkgConfig::OTF2        <name>_FOUND
#   PkgConfig::CMOCKA (unit tests only)                              PINSIGHT_HAVE_CMOCKA
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)

# An optional dependency: AUTO uses it if it is found, ON fails without it, OFF does not look for it.
function(pinsight_optional name meaning)
    set(PINSIGHT_${name} AUTO CACHE STRING "${meaning}: AUTO, ON or OFF")
    set_property(CACHE PINSIGHT_${name} PROPERTY STRINGS AUTO ON OFF)
    if(NOT PINSIGHT_${name} MATCHES "^(AUTO|ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
        message(FATAL_ERROR "PINSIGHT_${name} is \"${PINSIGHT_${name}}\": it takes AUTO, ON or OFF")
    endif()
endfunction()

# Says that a part of an optional dependency is missing, or fails.
function(pinsight_is_missing name part lost package)
    set(cure "Debian: apt install ${package}; ./bootstrap installs all")
    if(PINSIGHT_${name} STREQUAL AUTO)
        message(STATUS "${part} was not found: ${lost} (${cure})")
    else()
        message(FATAL_ERROR "${part} was not found, and PINSIGHT_${name} is ON (${cure}; AUTO builds without it)")
    endif()
endfunction()

# A prefix made by `./bootstrap --prefix DIR` is named in CMAKE_PREFIX_PATH; pkg_check_modules looks
# into its lib/pkgconfig by itself.
macro(pinsight_look_for variable name module lost package)
    if(PKG_CONFIG_FOUND AND PINSIGHT_${name})
        pkg_check_modules(${variable} QUIET IMPORTED_TARGET "${module}")
    endif()
    if(NOT PINSIGHT_${name})
        set(${variable}_FOUND FALSE)
    elseif(NOT ${variable}_FOUND)
        set(${variable}_FOUND FALSE)
        pinsight_is_missing(${name} "${module}" "${lost}" "${package}")
    endif()
endmacro()

pinsight_optional(LTTNG "The recorder LTTng")
pinsight_optional(BABELTRACE2 "The plug-in of babeltrace2")
pinsight_optional(LIBDW "Source lines of native code, by libdw")
pinsight_optional(OTF2 "pinsight export --to otf2")
set(no_lttng "no recorder LTTng, pinsight run --recorder lttng")
pinsight_look_for(LTTNG_UST LTTNG "lttng-ust>=2.13" "${no_lttng}" "liblttng-ust-dev pkg-config")
pinsight_look_for(LTTNG_CTL LTTNG "lttng-ctl>=2.13" "${no_lttng}" "liblttng-ctl-dev pkg-config")
pinsight_look_for(URCU_BP LTTNG "liburcu-bp>=0.12" "${no_lttng}" "liburcu-dev pkg-config")
set(PINSIGHT_HAVE_LTTNG FALSE)
if(LTTNG_UST_FOUND AND LTTNG_CTL_FOUND AND URCU_BP_FOUND)
    set(PINSIGHT_HAVE_LTTNG TRUE)
endif()
pinsight_look_for(BABELTRACE2 BABELTRACE2 "babeltrace2>=2.0" "there is no plug-in of babeltrace2"
    "libbabeltrace2-dev pkg-config")
pinsight_look_for(LIBDW LIBDW libdw "native regions are shown without their source lines" "libdw-dev pkg-config")
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
    pinsight_optional(CMOCKA "The unit tests in C, by cmocka")
    pinsight_look_for(CMOCKA CMOCKA cmocka "the C unit tests are left out" "libcmocka-dev pkg-config")
endif()
set(PINSIGHT_HAVE_CMOCKA "${CMOCKA_FOUND}")
include(PinsightLazyLibrary)
