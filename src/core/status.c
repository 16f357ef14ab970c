/* How things stand in this process; see status.h. */
#include "core/status.h"

#include "core/domain.h"
#include "core/introspect.h"
#include "core/mode.h"
#include "core/process.h"
#include "core/settings.h"
#include "core/variables.h"
#include "core/window.h"
#include "pinsight_version.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The command line, arguments separated by blanks, cut off at the end. */
static void read_command(char *text, size_t room) {
    size_t used = 0;
    ssize_t n = 0;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

    while (file >= 0 && used + 1 < room && (n = read(file, text + used, room - 1 - used)) > 0)
        used += (size_t)n;
    if (file >= 0)
        close(file);
    while (used > 0 && text[used - 1] == '\0')
        used--;
    text[used] = '\0';
    for (size_t i = 0; i < used; i++)
        if (text[i] == '\0')
            text[i] = ' ';
}

void pinsight_status_write(struct pinsight_ctl_writer *writer) {
    char text[PATH_MAX];

    pinsight_ctl_put(writer, "pid", "%d", (int)pinsight_process.pid);
    pinsight_ctl_put(writer, "rank", "%d", (int)pinsight_process.rank);
    if (gethostname(text, sizeof text) == 0)
        pinsight_ctl_put(writer, "host", "%s", text);
    ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    pinsight_ctl_put(writer, "program", "%s", text);
    read_command(text, sizeof text);
    pinsight_ctl_put(writer, "command", "%s", text);
    pinsight_ctl_put(writer, "version", "%s", PINSIGHT_VERSION);
    pinsight_ctl_put(writer, "session", "%s", pinsight_variables_own("PINSIGHT_SESSION"));
    pinsight_ctl_put(writer, "output", "%s", pinsight_variables_own("PINSIGHT_OUTPUT"));
    pinsight_ctl_put(writer, "config", "%s", pinsight_settings_path());
    pinsight_ctl_put(writer, "generation", "%" PRIu32, pinsight_settings_generation());
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        if (domain)
            pinsight_ctl_put(writer, "domain", "%s %s", domain->name,
                             pinsight_mode_name(pinsight_domain_mode(domain)));
    }
    pinsight_ctl_put(writer, "windows", "%" PRIu64, pinsight_windows_ended());
    pinsight_ctl_put(writer, "introspections", "%" PRIu32, pinsight_introspect_count());
}
