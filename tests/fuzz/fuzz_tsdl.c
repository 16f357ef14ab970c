/* A trace's metadata of any content: what is taken can be bound, whatever it describes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reader/ctf/class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pinsight_bindings bindings = {0};
    struct ctf_trace trace;

    if (!ctf_trace_make(&trace, pinsight_memdup((const char *)data, size)))
        for (size_t s = 0; s < trace.stream_count; s++)
            for (size_t i = 0; i < trace.streams[s].class_count; i++) {
                if (!trace.streams[s].classes[i].event)
                    continue;
                ctf_class_bind(&trace, &trace.streams[s], i, &bindings);
                if (!trace.streams[s].bindings[i])
                    abort();
            }
    pinsight_bindings_clear(&bindings);
    ctf_trace_clear(&trace);
    return 0;
}
