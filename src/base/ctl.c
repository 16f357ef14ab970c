/* Names of the sockets of `pinsight ctl`. */
#include "base/ctl.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

int pinsight_ctl_name_pid(const char *name) {
    const size_t prefix = strlen(PINSIGHT_CTL_PREFIX);
    long pid = 0;

    if (strncmp(name, PINSIGHT_CTL_PREFIX, prefix) != 0)
        return 0;
    const char *at = name + prefix;
    for (; *at >= '0' && *at <= '9' && pid <= INT_MAX / 10; at++)
        pid = pid * 10 + (*at - '0');
    bool whole = *at == '/' && strspn(at + 1, "0123456789abcdef") == 8 && !at[9];
    return whole && pid <= INT_MAX ? (int)pid : 0;
}
