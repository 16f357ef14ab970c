/* The folder of a session daemon; see home.h. */
#include "session/lttng/home.h"

#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/paths.h"

/* File systems that several hosts share. Numbers that linux/magic.h lacks are from statfs(2). */
static const unsigned long shared_file_systems[] = {
    NFS_SUPER_MAGIC,       SMB_SUPER_MAGIC,         0xff534d42 /* cifs */,   0xfe534d42 /* smb2 */,
    AFS_SUPER_MAGIC,       CODA_SUPER_MAGIC,        0x0bd00bd0 /* lustre */, 0x47504653 /* gpfs */,
    0x00c36400 /* ceph */, 0x19830326 /* beegfs */, 0xaad7aaea /* panfs */,  V9FS_MAGIC,
};

/* The longest path that LTTng makes below its home: the consumer's sockets. */
#define LONGEST_SOCKET "/.lttng/ustconsumerd64/command"

static const char *lttng_home(void) {
    const char *home = getenv("LTTNG_HOME");

    return home != NULL ? home : getenv("HOME");
}

bool pinsight_lttng_rundir(char folder[PATH_MAX]) {
    if (geteuid() == 0) {
        strcpy(folder, "/var/run/lttng");
        return true;
    }
    const char *home = lttng_home();
    return home != NULL && pinsight_path_join(folder, home, ".lttng");
}

static bool is_shared(const char *folder) {
    struct statfs about;

    if (statfs(folder, &about) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(shared_file_systems) / sizeof(*shared_file_systems); i++) {
        if ((unsigned long)about.f_type == shared_file_systems[i]) {
            return true;
        }
    }
    return false;
}

static bool is_fit_for_daemon(const char *home) {
    return home != NULL && home[0] == '/' && access(home, W_OK | X_OK) == 0 && !is_shared(home) &&
           strlen(home) + sizeof(LONGEST_SOCKET) <= sizeof(((struct sockaddr_un *)0)->sun_path);
}

bool pinsight_lttng_prepare_home(char *why, size_t room) {
    char folder[PATH_MAX];

    if (geteuid() == 0 || is_fit_for_daemon(lttng_home())) {
        return true;
    }
    if (!pinsight_path_runtime(folder) || !is_fit_for_daemon(folder)) {
        snprintf(why, room,
                 "there is no folder for LTTng's sockets: HOME is %s; set LTTNG_HOME to a short "
                 "path on a local disk that you can write to",
                 getenv("HOME") != NULL ? getenv("HOME") : "not set");
        return false;
    }
    setenv("LTTNG_HOME", folder, 1);
    return true;
}
