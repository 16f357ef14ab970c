/* The status of this process; see status.h. */
#include "tracer/core/status.h"

#include "base/program.h"
#include "pinsight_version.h"
#include "tracer/core/domain.h"
#include "tracer/core/introspect.h"
#include "tracer/core/mode.h"
#include "tracer/core/process.h"
#include "tracer/core/settings.h"
#include "tracer/core/variables.h"
#include "tracer/core/window.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pinsight_status_write(struct pinsight_pairs_writer *writer) {
    char text[PATH_MAX];

    pinsight_pairs_put(writer, "pid", "%d", (int)pinsight_process.pid);
    pinsight_pairs_put(writer, "rank", "%d", (int)pinsight_process.rank);
    if (gethostname(text, sizeof text) == 0)
        pinsight_pairs_put(writer, "host", "%s", text);
    pinsight_program_self(text, sizeof text);
    pinsight_pairs_put(writer, "program", "%s", text);
    pinsight_program_words(text, sizeof text);
    pinsight_pairs_put(writer, "command", "%s", text);
    pinsight_pairs_put(writer, "version", "%s", PINSIGHT_VERSION);
    pinsight_pairs_put(writer, "session", "%s", pinsight_variables_own("PINSIGHT_SESSION"));
    const char *told = pinsight_process_output();
    pinsight_pairs_put(writer, "output", "%s",
                       *told ? told : pinsight_variables_own("PINSIGHT_OUTPUT"));
    pinsight_pairs_put(writer, "attached", "%s", *told ? "yes" : "no");
    pinsight_pairs_put(writer, "config", "%s", pinsight_settings_path());
    pinsight_pairs_put(writer, "generation", "%" PRIu32, pinsight_config_version());
    PINSIGHT_EACH_DOMAIN(domain) {
        pinsight_pairs_put(writer, "domain", "%s %s", domain->name,
                           pinsight_mode_name(pinsight_domain_mode(domain)));
    }
    pinsight_pairs_put(writer, "windows", "%" PRIu64, pinsight_windows_ended());
    pinsight_pairs_put(writer, "introspections", "%" PRIu32, pinsight_introspect_count());
}
