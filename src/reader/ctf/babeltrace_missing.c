/* Replaces babeltrace_read() in a build without libbabeltrace2. */
#include "reader/ctf/babeltrace_graph.h"

#include "base/memory.h"

int babeltrace_read(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                    const struct pinsight_source_options *options,
                    struct pinsight_source_result *result) {
    (void)groups;
    (void)bytes;
    (void)options;
    result->error = pinsight_format(
        "%s is not as PInsight and LTTng write traces, and this pinsight was built without "
        "libbabeltrace2, which reads others; install it (Debian: apt install libbabeltrace2-dev) "
        "and build pinsight again",
        path);
    return -1;
}
