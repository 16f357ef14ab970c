/* The parsers of files: metadata, index, heads of packets, archives of streams. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/packed.h"
#include "reader/ctf/index.h"
#include "reader/ctf/packet.h"

static void check(int holds) {
    if (!holds)
        abort();
}

static void list_members(int fd, size_t size) {
    struct pinsight_packed packed;

    check(pinsight_packed_list(fd, &packed) == 0 && packed.sound <= size);
    for (size_t i = 0; i < packed.count; i++) {
        const struct pinsight_packed_member *member = &packed.all[i];

        check(member->at <= size && (member->at < size || !member->bytes));
        check(pinsight_packed_is_name(member->name));
        check(pinsight_packed_find(&packed, member->name) == member);
    }
    pinsight_packed_free(&packed);
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
    list_members(fd, size);
    return 0;
}
