"""A session daemon that a test makes slow: to its clients, or to programs that register."""
import os

from . import native

# LTTng's daemon has a thread that takes its clients, and one that takes programs. Each waits as long as its file
# is there.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
int accept(int fd, struct sockaddr *address, socklen_t *length) {
    int (*next)(int, struct sockaddr *, socklen_t *) =
        (int (*)(int, struct sockaddr *, socklen_t *))dlsym(RTLD_NEXT, "accept");
    int got = next(fd, address, length);
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    const char *file = strncmp(name, "Client", 6) == 0             ? getenv("SLOW_CLIENTS")
                       : strncmp(name, "UST application", 15) == 0  ? getenv("SLOW_PROGRAMS")
                                                                    : NULL;
    while (file && access(file, F_OK) == 0)
        usleep(20000);
    return got;
}
"""


class SlowDaemon:
    """`environment` starts it; it is slow while the files `clients` and `programs` exist."""

    def __init__(self, folder):
        library = native.build(folder, "slow.so", SOURCE, "-ldl")
        self.clients, self.programs = folder / "slow-clients", folder / "slow-programs"
        program = folder / "slow-sessiond"
        program.write_text('#!/bin/sh\nexport SLOW_CLIENTS=%s SLOW_PROGRAMS=%s LD_PRELOAD=%s\n%s\nexec lttng-sessiond "$@"\n'
                           % (self.clients, self.programs, library, "%s"))
        self.program, self.text = program, program.read_text()
        self.first("")

    def first(self, command):
        """What the shell does before the daemon starts."""
        self.program.write_text(self.text.replace("%s", command))
        self.program.chmod(0o755)

    @property
    def environment(self):
        return dict(os.environ, LTTNG_SESSIOND=str(self.program))
