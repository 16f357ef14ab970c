/* Begins to record a process that runs already; see attach_begin.h. */
#include "cli/attach_begin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/paths.h"
#include "base/peak.h"
#include "base/run_info.h"
#include "cli/attach_end.h"
#include "cli/attach_one.h"
#include "cli/run_output.h"
#include "pinsight_version.h"
#include "session/job.h"

static struct pinsight_attach_target target;

static void fill_info(struct pinsight_run_info *info, const char *config) {
    time_t now = time(NULL);
    struct tm calendar;

    snprintf(info->version, sizeof(info->version), "%s", PINSIGHT_VERSION);
    pinsight_run_info_quote(target.command, info->command, sizeof(info->command));
    snprintf(info->recorder, sizeof(info->recorder), "%s", PINSIGHT_RECORDER_FILE);
    gmtime_r(&now, &calendar);
    strftime(info->started, sizeof(info->started), "%Y-%m-%dT%H:%M:%SZ", &calendar);
    snprintf(info->config, sizeof(info->config), "%s", config);
    snprintf(info->names, sizeof(info->names), "registry");
    pinsight_processor_model(info->processor, sizeof(info->processor));
    pinsight_run_info_set_runner(info, target.pid);
}

/* Makes a new folder among the temporary files. Returns false after a message. */
static bool make_temporary(char output[PATH_MAX]) {
    const char *folder = getenv("TMPDIR");

    if (folder == NULL || *folder != '/') {
        folder = "/tmp";
    }
    if (!pinsight_path_join(output, folder, "pinsight-top-XXXXXX") || mkdtemp(output) == NULL) {
        pinsight_error("no folder for the trace can be made in %s: %s; name one with -o", folder,
                       strerror(errno));
        return false;
    }
    return true;
}

/* Makes the folder of the trace, or takes an empty one. Returns false after a message. */
static bool make_output(const struct pinsight_attach_wish *wish, char output[PATH_MAX],
                        bool *made) {
    static const struct pinsight_job alone = {.size = 1, .local_size = 1};
    char program[256], why[PATH_MAX + 256];

    if (wish->temporary && wish->output == NULL) {
        *made = true;
        return make_temporary(output);
    }
    pinsight_run_output_program(program, sizeof(program), target.command);
    if (!pinsight_run_output_name(output, wish->output, program, &alone, why, sizeof(why)) ||
        !pinsight_run_output_make(output, wish->output == NULL, false, made, why, sizeof(why))) {
        pinsight_error("%s", why);
        return false;
    }
    pinsight_run_output_straighten(output);
    return true;
}

int pinsight_attach_look(const struct pinsight_attach_wish *wish,
                         struct pinsight_attach_begun *begun) {
    char why[4096];

    if (!pinsight_path_libdir(begun->libdir)) {
        pinsight_error("PInsight's libraries are not beside the command; install it again, or name "
                       "their folder in PINSIGHT_LIBDIR");
        return 2;
    }
    if (!pinsight_target_look(&target, wish->pid, begun->libdir, wish->verb, why, sizeof(why))) {
        pinsight_error("%s", why);
        return 1;
    }
    return 0;
}

int pinsight_attach_begin(const struct pinsight_attach_wish *wish,
                          struct pinsight_attach_begun *begun) {
    static struct pinsight_run_info info;
    char why[4096];
    bool made = false;

    if (!make_output(wish, begun->output, &made)) {
        return 2;
    }
    fill_info(&info, wish->config);
    pinsight_run_info_write(begun->output, &info);
    const struct pinsight_attach_how how = {begun->output, wish->config, wish->ring};
    if (!pinsight_attach_one(&target, &how, why, sizeof(why))) {
        pinsight_error("%s", why);
        pinsight_attach_undo(begun->output, made);
        return 1;
    }
    return 0;
}
