/* OMPT, the interface between an OpenMP runtime and its tools (OpenMP 5.1, chapter 4), as LLVM's
 * header has it. Needed to build, not to run: the runtime is found when it calls us. */
#ifndef PINSIGHT_OPENMP_OMPT_H
#define PINSIGHT_OPENMP_OMPT_H

/* The build puts a copy of this one file, found in whichever clang is there, into a folder of its
 * own: a compiler's other headers are not for another compiler. */
#include <omp-tools.h>

#endif
