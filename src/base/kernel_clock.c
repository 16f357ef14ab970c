/* The kernel's clocks without libc; see kernel_clock.h. */
#include "base/kernel_clock.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NS UINT64_C(1000000000)

typedef int (*gettime)(clockid_t clock, struct timespec *now);

/* Makes the system call. On x86-64 and AArch64, errno stays unchanged. */
static int by_call(clockid_t clock, struct timespec *now) {
#if defined(__x86_64__) && defined(__LP64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_clock_gettime), "D"((long)clock), "S"(now)
                     : "rcx", "r11", "memory");
    return (int)result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_clock_gettime;
    register long x0 __asm__("x0") = clock;
    register long x1 __asm__("x1") = (long)now;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    return (int)x0;
#else
    return (int)syscall(SYS_clock_gettime, clock, now);
#endif
}

/* Finds the kernel's function in the vDSO by its name (vdso(7)). Returns NULL if there is none. */
static gettime find_vdso(void) {
    const char *image =
        (const char *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
    const ElfW(Ehdr) *head = (const void *)image;
    if (!image || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)))
        return NULL;
    const ElfW(Shdr) *sections = (const void *)(image + head->e_shoff);
    for (unsigned s = 0; s < head->e_shnum; s++) {
        if (sections[s].sh_type != SHT_DYNSYM || sections[s].sh_link >= head->e_shnum)
            continue;
        const ElfW(Sym) *symbols = (const void *)(image + sections[s].sh_offset);
        const char *names = image + sections[sections[s].sh_link].sh_offset;
        for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++) {
            const char *name = names + symbols[i].st_name;
            if (symbols[i].st_shndx != SHN_UNDEF && (strcmp(name, "__vdso_clock_gettime") == 0 ||
                                                     strcmp(name, "__kernel_clock_gettime") == 0))
                return (gettime)(uintptr_t)(image + symbols[i].st_value);
        }
    }
    return NULL;
}

/* Returns how far CLOCK_MONOTONIC of this process's time namespace is ahead of the machine's, in
 * ns. The file describes the namespace of future children. Unless the process has just made a new
 * namespace, that is its own. */
static int64_t read_offset(void) {
    struct stat own, children;
    char text[256];
    long long seconds = 0, ns = 0;
    if (stat("/proc/self/ns/time", &own) != 0 ||
        stat("/proc/self/ns/time_for_children", &children) != 0 || own.st_ino != children.st_ino)
        return 0;
    int fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    if (sscanf(text, "monotonic %lld %lld", &seconds, &ns) != 2)
        return 0;
    return (int64_t)seconds * (int64_t)NS + ns;
}

static _Atomic(gettime) kernel; /* NULL before the first use */
static _Atomic int64_t offset;

static gettime look(void) {
    gettime found = find_vdso();
    struct timespec now;
    if (!found || found(CLOCK_MONOTONIC, &now) != 0)
        found = by_call;
    offset = read_offset();
    kernel = found;
    return found;
}

uint64_t pinsight_kernel_ns(clockid_t clock) {
    struct timespec now = {0, 0};
    gettime ask = kernel;
    if (__builtin_expect(!ask, 0))
        ask = look();
    if (ask(clock, &now) != 0)
        by_call(clock, &now);
    uint64_t ns = (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ? ns - (uint64_t)offset : ns;
}

/* Returns whether a library's clock_gettime() gives the kernel's time: libc, the kernel's own
 * object, or a sanitizer, which calls libc. */
static bool is_plain(const char *library) {
    static const char *const plain[] = {"libc.",   "libc-",   "ld-",      "linux-vdso",
                                        "libasan", "libtsan", "libubsan", "libclang_rt"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strncmp(library, plain[i], strlen(plain[i])) == 0)
            return true;
    return false;
}

void pinsight_kernel_clock_differs(char *name, size_t room) {
    Dl_info of;
    void *function = dlsym(RTLD_DEFAULT, "clock_gettime");
    const char *library = NULL;
    if (function && dladdr(function, &of) != 0 && of.dli_fname) {
        const char *slash = strrchr(of.dli_fname, '/');
        library = slash ? slash + 1 : of.dli_fname;
    }
    pinsight_kernel_ns(CLOCK_MONOTONIC);
    if (library && !is_plain(library))
        snprintf(name, room, "%s", library);
    else
        snprintf(name, room, "%s", offset ? "a time namespace" : "");
}
