/* `pinsight pack`: one file for the streams of each host. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/units.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "format/packed.h"
#include "reader/ctf/find.h"

struct pack_wanted {
    bool quiet;
};

static const struct cli_option option_table[] = {
    CLI_QUIET_AND_HELP("print only errors", offsetof(struct pack_wanted, quiet)),
};

const struct cli_verb cli_pack = {
    .name = "pack",
    .about = "one file for the streams of each host",
    .usage = "usage: pinsight pack [OPTIONS] TRACE...\n"
             "\n"
             "Puts the streams of each host into one file, when the recording has ended: a tar "
             "archive\n"
             "without compression, " PINSIGHT_PACKED_FILE
             " in the host's folder. All verbs read it in place.\n"
             "\n",
    .more = "\n"
            "`tar -xf " PINSIGHT_PACKED_FILE "` in a host's folder makes the files again.\n"
            "\n"
            "Exit status: 0 all is packed, 1 some is not, 2 the options are wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 17,
    .aligned = true,
};

/* Returns the reason of an error for the user. */
static const char *reason_of(int error, const struct pinsight_packing *packing) {
    if (packing->reason)
        return packing->reason;
    if (error == EPERM)
        return "the folder belongs to another user, or others may write into it";
    if (error == ENOENT)
        return "the file recorder did not write it";
    return strerror(error);
}

static bool pack_folder(const char *folder) {
    struct pinsight_packing packing;
    int error = pinsight_pack(folder, &packing);

    if (error)
        pinsight_error("%s is not packed: %s", folder, reason_of(error, &packing));
    else if (packing.added)
        pinsight_note("%s has its %zu streams in one file, " PINSIGHT_PACKED_FILE " (%s)", folder,
                      packing.count, pinsight_units_size(packing.bytes).text);
    else
        pinsight_note(packing.count ? "%s is packed already" : "%s has no streams", folder);
    return !error;
}

static bool pack_trace(const char *path) {
    struct pinsight_found found = {0};
    char *problem = pinsight_find_traces(path, &found);
    bool good = !problem;

    if (problem)
        pinsight_error("%s", problem);
    for (size_t i = 0; i < found.count && !problem; i++)
        good &= pack_folder(found.traces[i].folder);
    pinsight_found_clear(&found);
    free(problem);
    return good;
}

int pinsight_cmd_pack(int argc, char **argv) {
    struct pack_wanted wanted = {0};
    bool good = true;
    int status;

    if (!cli_parse(&cli_pack, argc, argv, &wanted, NULL, &status))
        return status;
    if (optind >= argc) {
        pinsight_error("pack needs the folder of a trace; `pinsight pack --help` explains it");
        return 2;
    }
    pinsight_message_quiet(wanted.quiet);
    for (int i = optind; i < argc; i++)
        good &= pack_trace(argv[i]);
    return !good;
}
