/* The parsers of files: metadata, index, heads of packets. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/ctf/index.h"
#include "reader/ctf/packet.h"

static void check(int holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int fd = -1;
    struct pinsight_packets packets;
    uint64_t end;
    size_t length;
    bool damaged;
    char *text = pinsight_metadata_text(data, size, &length, &damaged);

    check(!text || (length <= size && strlen(text) == length));
    free(text);
    pinsight_index_end(data, size, &end);
    if (fd < 0)
        fd = memfd_create("fuzz", 0);
    check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    packets = pinsight_packets_scan(fd, size);
    check(packets.whole_size <= size);
    check(!packets.is_whole || packets.whole_size == size);
    return 0;
}
