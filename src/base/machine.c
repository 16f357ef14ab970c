/* Facts that distinguish processes; see machine.h. */
#include "base/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/* The inode of the machine's initial PID namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define OWN_NAMESPACE UINT64_C(0xEFFFFFFC)

static uint64_t read_boot(void) {
    char text[64];
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return length > 0 ? hash | 1 : 0;
}

uint64_t pinsight_machine_boot(void) {
    static _Atomic uint64_t boot; /* two threads that read it at once get the same value */
    if (!boot)
        boot = read_boot();
    return boot;
}

uint64_t pinsight_machine_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

bool pinsight_machine_is_own_namespace(uint64_t namespace) {
    return !namespace || namespace == OWN_NAMESPACE;
}

size_t pinsight_machine_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

size_t pinsight_machine_online(void) {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 0 ? (size_t)online : 0;
}
