/* Copies running traces when the user asks for it; see ctl_dump.h. */
#include "cli/ctl_dump.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/paths.h"
#include "base/units.h"
#include "cli/verbs.h"
#include "format/dump.h"
#include "format/folder.h"
#include "session/trace_size.h"

static bool dump_one(const char *asked, const char *output) {
    char dump[PATH_MAX], folder[PATH_MAX], control[PATH_MAX];

    if (!pinsight_file_folder_path(folder, output) ||
        !pinsight_path_join(control, folder, ".control") || access(control, F_OK) != 0) {
        pinsight_error("%s cannot be dumped: LTTng records it; `pinsight ctl %s introspect` "
                       "completes a chunk of it",
                       output, output);
        return false;
    }
    int made, error = pinsight_file_dump(asked, output, dump, &made);
    if (error != 0 && !made) {
        pinsight_error("the folder %s cannot be made: %s; name another one with -o",
                       asked != NULL ? asked : dump, strerror(error));
        return false;
    }
    if (error != 0) {
        pinsight_error("%s cannot be copied to %s: %s", output, dump, strerror(error));
        return false;
    }
    printf("%s: the present content, %s, is in %s; next: %s report %s\n", output,
           pinsight_units_size(pinsight_trace_size(dump)).text, dump, pinsight_command_word, dump);
    return true;
}

/* Writes the folder that a target records into, or "" if unknown. */
static void output_of(const struct pinsight_ctl_target *target, char output[PATH_MAX]) {
    pinsight_call_value(target->call, "output", output, PATH_MAX);
}

/* Returns whether an earlier target records into this folder. */
static bool is_done(const struct pinsight_ctl_target *targets, size_t count, const char *output) {
    char other[PATH_MAX];

    for (size_t i = 0; i < count; i++) {
        output_of(&targets[i], other);
        if (strcmp(other, output) == 0) {
            return true;
        }
    }
    return false;
}

bool pinsight_ctl_dump(const struct pinsight_ctl_options *options,
                       const struct pinsight_ctl_target *targets, size_t count) {
    char output[PATH_MAX];
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        output_of(&targets[i], output);
        if (*output != '/') {
            pinsight_error("process %d does not name the folder of its trace", targets[i].pid);
            all = false;
        } else if (!is_done(targets, i, output)) {
            all = dump_one(options->output, output) && all;
        }
    }
    return all;
}
