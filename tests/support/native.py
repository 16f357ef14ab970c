"""Programs and libraries in C that tests build: small, with what each needs of OpenMP."""
import glob
import os
import shutil
import subprocess

from .places import missing

COMPILER = os.environ.get("CC") or shutil.which("cc") or "cc"

# Says which file serves GOMP_parallel, and a sum that the threads worked out.
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (long i = 0; i < 1000; i++)
        sum += i;
    Dl_info info;
    printf("sum %ld\n", sum);
    void *at = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    printf("GOMP_parallel %s\n", at && dladdr(at, &info) ? info.dli_fname : "none");
    return 0;
}
"""


def build(folder, name, source, *options):
    """Compiles `source` (text) into folder/name; a name with .so is a library. Gives its path."""
    file = folder / (name + ".c")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    shared = ["-shared", "-fPIC"] if ".so" in name else []
    words = [COMPILER, "-O1", "-o", str(folder / name), *shared, str(file), *options]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        missing("a C compiler that does: %s\n%s" % (" ".join(words), done.stdout.decode(errors="replace")))
    return folder / name


def libomp_files():
    """Every LLVM libomp that the dynamic linker, or PInsight, may find here; real paths."""
    patterns = ["/usr/lib/*-linux-gnu/libomp*.so*", "/usr/lib/llvm-*/lib/libomp.so*", "/usr/lib/llvm-*/lib/libomp-*.so*",
                "/usr/lib64/libomp.so*", "/usr/local/lib/libomp.so*"]
    found = {os.path.realpath(path) for pattern in patterns for path in glob.glob(pattern)}
    return sorted(path for path in found if os.path.exists(path) and "target" not in os.path.basename(path))
