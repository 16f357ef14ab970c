/* Names of C++, mainly those of kernels, which are mostly templates. A name may contain any bytes.
 * Not thread-safe. */
#ifndef PINSIGHT_READER_KIT_CXX_NAME_H
#define PINSIGHT_READER_KIT_CXX_NAME_H

#include <stdbool.h>
#include <stdint.h>

static inline bool pinsight_cxx_is_mangled(const char *name) {
    return name[0] == '_' && name[1] == 'Z';
}

/* Returns a demangled name, by the libstdc++ of this machine. The caller frees it. A few bytes can
 * stand for gigabytes. If the result might exceed the memory, or is too long for libstdc++, it has
 * no parameters. Returns NULL if that does not help, or if the name is not mangled, or damaged.
 * `left` points to the limit for the length of all further names, which the function reduces. */
char *pinsight_cxx_demangle(const char *name, uint64_t *left);

/* Returns a short form of a name, mangled or not, that distinguishes kernels on a screen. The short
 * form has no namespaces, parameters and results, and as many template arguments as fit:
 * "vectorized_elementwise_kernel<4, FillFunctor<float>, ...>". The caller frees it. */
char *pinsight_cxx_short(const char *name);

#endif
