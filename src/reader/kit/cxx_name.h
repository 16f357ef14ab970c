/* Names of C++: of kernels, which are templates mostly. A name may be any bytes. Not thread-safe.
 */
#ifndef PINSIGHT_READER_KIT_CXX_NAME_H
#define PINSIGHT_READER_KIT_CXX_NAME_H

#include <stdbool.h>
#include <stdint.h>

static inline bool pinsight_cxx_is_mangled(const char *name) {
    return name[0] == '_' && name[1] == 'Z';
}

/* A mangled name as its author wrote it, by the libstdc++ of the machine; the caller frees it. A
 * few bytes can stand for gigabytes: where it could come out longer than memory allows, or is too
 * long for libstdc++, it has no parameters. NULL where that does not help, the name is not mangled,
 * or it is damaged. *left: how many bytes all names together may still come out as; it gets less.
 */
char *pinsight_cxx_demangle(const char *name, uint64_t *left);

/* What tells kernels apart on a screen, of a name that was mangled or still is: without namespaces,
 * parameters and what a template returns, and with as many arguments of a template as fit:
 * "vectorized_elementwise_kernel<4, FillFunctor<float>, ...>". The caller frees it. */
char *pinsight_cxx_short(const char *name);

#endif
