# Sourced by ./bootstrap: builds the libraries that PInsight needs from release archives, without
# root and without a network.
#   build_prefix PREFIX ARCHIVES
# What the machine already has (pkg-config finds it) is left alone. Archives keep the names of their
# releases or of Debian's source packages; the folder in them says what they are.
# shellcheck shell=bash

# build_prefix runs these in order. Each line: what to look for with pkg-config, the archive's name patterns, the
# options of its configure script, and what is left out where the archive is missing (nothing: LTTng needs it).
PREFIX_PARTS=(
    "popt|popt-* popt_*|--disable-nls|"
    "libxml-2.0|libxml2-* libxml2_*|--without-python --without-lzma --without-icu --without-zlib|"
    "liburcu-bp|userspace-rcu-* liburcu_*||"
    "lttng-ust|lttng-ust-* ust_*|--disable-man-pages --disable-examples --disable-numa|"
    "lttng-ctl|lttng-tools-* lttng-tools_* ltt-control_*|--disable-man-pages --disable-Werror|"
    "babeltrace2|babeltrace2-* babeltrace2_*|--disable-debug-info --disable-man-pages --disable-Werror|there is no plug-in of babeltrace2"
    "cmocka|cmocka-* cmocka_*|cmake|the C unit tests are not built"
)

# Prints the newest archive in the folder $1 whose name matches one of the patterns (words of $2).
find_archive() {
    local folder=$1 pattern file patterns
    read -ra patterns <<<"$2"
    for pattern in "${patterns[@]}"; do
        for file in "$folder"/$pattern; do
            case $file in
            *.debian.tar.*) ;; # a Debian source package's own part
            *.tar.gz | *.tgz | *.tar.bz2 | *.tar.xz) echo "$file" ;;
            esac
        done
    done | sort -V | tail -n 1
}

# Unpacks archive $1 into folder $2 and prints the folder of the source.
unpack() {
    local archive=$1 into=$2
    rm -rf "$into"
    mkdir -p "$into"
    tar -xf "$archive" -C "$into" || return 1
    local found=("$into"/*/)
    [ -d "${found[0]}" ] || return 1
    echo "${found[0]%/}"
}

# Builds the source in $1 into PREFIX with the options $2 ("cmake" for a source that uses CMake).
build_one() {
    local source=$1 options=$2 jobs
    jobs=$(nproc)
    cd "$source" || return 1
    if [ "$options" = cmake ]; then
        cmake -S . -B build -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
            -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DUNIT_TESTING=OFF -DWITH_EXAMPLES=OFF &&
            cmake --build build --parallel "$jobs" && cmake --install build
        return
    fi
    if [ ! -x configure ]; then
        # An archive of the repository and not of a release.
        if ! command -v autoreconf >/dev/null; then
            echo "this archive has no configure script, and there are no autotools to make one (autoconf, automake, libtool): take the project's release archive"
            return 1
        fi
        if [ -x bootstrap ]; then
            ./bootstrap
        else
            NOCONFIGURE=1 autoreconf -fi
        fi || return 1
    fi
    # shellcheck disable=SC2086
    ./configure --prefix="$PREFIX" --libdir="$PREFIX/lib" --disable-static $options &&
        make -j "$jobs" && make install
}

write_environment() {
    cat >"$PREFIX/pinsight-env.sh" <<TEXT
# What PInsight's build needs to find the libraries in this folder: source it, or say
#   make build DEPS=$PREFIX
PINSIGHT_DEPS=$(printf '%q' "$PREFIX")
TEXT
    cat >>"$PREFIX/pinsight-env.sh" <<'TEXT'
export PATH="$PINSIGHT_DEPS/bin:$PATH"
export PKG_CONFIG_PATH="$PINSIGHT_DEPS/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export CMAKE_PREFIX_PATH="$PINSIGHT_DEPS${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export LD_LIBRARY_PATH="$PINSIGHT_DEPS/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
TEXT
}

build_prefix() {
    local archives part module patterns options without archive source log tool
    mkdir -p "$1" || die "cannot make the folder $1"
    PREFIX=$(cd "$1" && pwd)
    archives=$(cd "$2" 2>/dev/null && pwd) || die "there is no folder $2"
    for tool in "${CC:-cc}" make pkg-config tar cmake; do
        command -v "$tool" >/dev/null ||
            die "$tool is missing, and no archive replaces it; load a module or a Spack or conda environment that has it"
    done
    write_environment
    # shellcheck disable=SC1091
    . "$PREFIX/pinsight-env.sh"
    export CPPFLAGS="-I$PREFIX/include ${CPPFLAGS:-}"
    export LDFLAGS="-L$PREFIX/lib -Wl,-rpath,$PREFIX/lib ${LDFLAGS:-}"

    local absent=0
    for part in "${PREFIX_PARTS[@]}"; do
        IFS='|' read -r module patterns options without <<<"$part"
        pkg-config --exists "$module" && continue
        archive=$(find_archive "$archives" "$patterns")
        if [ -z "$archive" ] && [ -n "$without" ]; then
            say "no archive in $archives for $module ($patterns): $without"
        elif [ -z "$archive" ]; then
            say "no archive in $archives for $module ($patterns)"
            absent=1
        elif [ "$module" = babeltrace2 ] && ! pkg-config --exists glib-2.0; then
            die "glib-2.0's headers are missing, which babeltrace2 needs; load a module, take glib from Spack or conda, or leave babeltrace2's archive out"
        fi
    done
    [ "$absent" = 0 ] || die "put the archives that are missing into $archives"

    mkdir -p "$PREFIX/src"
    for part in "${PREFIX_PARTS[@]}"; do
        IFS='|' read -r module patterns options without <<<"$part"
        if pkg-config --exists "$module"; then
            say "$module: is there, version $(pkg-config --modversion "$module")"
            continue
        fi
        archive=$(find_archive "$archives" "$patterns")
        [ -n "$archive" ] || continue
        log=$PREFIX/src/$module.log
        say "$module: building ${archive##*/} (log in $log)"
        if ! source=$(unpack "$archive" "$PREFIX/src/$module") ||
            ! (build_one "$source" "$options") >"$log" 2>&1; then
            tail -n 20 "$log" >&2
            die "$module could not be built; the whole log is $log"
        fi
        rm -rf "$PREFIX/src/$module"
    done
    say "done; build PInsight with: make build DEPS=$PREFIX"
}
