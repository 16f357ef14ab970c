/* PINSIGHT_HAS_GIL is 0 for a free-threaded build of CPython (PEP 703). CMake defines it, because
 * some files do not include the interpreter's headers. serial.h describes the consequences. */
#ifndef PINSIGHT_PYTHON_HAS_GIL_H
#define PINSIGHT_PYTHON_HAS_GIL_H

#ifndef PINSIGHT_HAS_GIL
#define PINSIGHT_HAS_GIL 1
#endif

#endif
