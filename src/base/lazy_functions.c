/*
 * Jumps to the functions of one library that is opened at run time; see lazy_library.h. LATE is the
 * library's name in lazy_library.h, LAZY_FUNCTIONS the file with its functions, LAZY_PATH and
 * LAZY_NAME its path and file name. On machines for which there is no jump here, the library is
 * linked.
 */
#include "base/lazy_library.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined __x86_64__
#define JUMP(place) "endbr64\n\tjmp *" place "(%rip)\n"
#elif defined __aarch64__
#define JUMP(place) "adrp x16, " place "\n\tldr x16, [x16, :lo12:" place "]\n\tbr x16\n"
#endif

#ifdef JUMP
#define FUNCTION(name)                                                                             \
    __attribute__((used, visibility("hidden"))) void *lazy_##name;                                 \
    __asm__(".pushsection .text\n.balign 16\n.globl " #name "\n.hidden " #name "\n.type " #name    \
            ", %function\n" #name ":\n\t" JUMP("lazy_" #name) ".size " #name ", . - " #name        \
                                                              "\n.popsection");
#include LAZY_FUNCTIONS
#undef FUNCTION
#define FUNCTION(name) {#name, &lazy_##name},
#else
#define FUNCTION(name)
#endif

static const struct pinsight_lazy_function functions[] = {
#include LAZY_FUNCTIONS
    {NULL, NULL},
};

struct pinsight_lazy_library JOIN(pinsight_lazy_, LAZY_LIBRARY) = {
    .path = LAZY_PATH,
    .name = LAZY_NAME,
    .functions = functions,
    .count = sizeof(functions) / sizeof(*functions) - 1,
};
