/*
 * pinsight-primer [LIBRARY]: a program that does nothing but load every provider of PInsight's, and
 * the one in LIBRARY.
 *
 * It registers with the session daemon, which then writes the description of all their events into
 * the trace. So the trace can be read whatever happens later, also when the daemon is killed before
 * a traced program ended (descriptions are otherwise written late). It stays until its stdin ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "core/join.h"

int main(int argc, char **argv) {
    char byte;
    ssize_t n;

    /* LTTng-UST has registered, and waited for the daemon, before main. */
    int joined = pinsight_session_join();
    if (argc > 1) {
        dlopen(argv[1],
               RTLD_NOW); /* without it, programs with MPI register its events themselves */
    }
    do {
        n = read(STDIN_FILENO, &byte, 1);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return joined == 0 ? 0 : 1;
}
