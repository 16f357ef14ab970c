/* OMPT, the interface between an OpenMP runtime and its tools (OpenMP 5.1, chapter 4). The header
 * is LLVM's. It is needed for the build alone: at run time, the runtime calls ompt_start_tool(). */
#ifndef PINSIGHT_OPENMP_OMPT_H
#define PINSIGHT_OPENMP_OMPT_H

/* The build copies this single file from a clang's folder into a folder of its own, because a
 * compiler's other headers do not work with another compiler. */
#include <omp-tools.h>

#endif
