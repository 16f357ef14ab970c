/* What an ELF file says of what it needs, with any content. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtimes/elf.h"

static void check(int holds) {
    if (!holds)
        abort();
}

static void look_at_string(const struct pinsight_elf *elf, uint64_t offset, size_t room) {
    char *text = malloc(room); /* its own, so that the sanitizer sees its end */
    check(text != NULL);
    if (pinsight_elf_string(elf, offset, text, room))
        check(memchr(text, '\0', room) != NULL);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int fd = -1;
    static char path[64];
    struct pinsight_elf elf;

    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    if (pinsight_elf_open(&elf, path) != 0)
        return 0;
    check(elf.size == size && elf.needed_count <= PINSIGHT_ELF_NEEDED_MAX &&
          elf.segment_count <= PINSIGHT_ELF_SEGMENTS_MAX);
    for (size_t i = 0; i < elf.needed_count; i++)
        look_at_string(&elf, elf.needed[i], PINSIGHT_ELF_NAME_MAX);
    look_at_string(&elf, elf.soname, 16);
    look_at_string(&elf, elf.rpath, 1);
    look_at_string(&elf, elf.runpath, PINSIGHT_ELF_NAME_MAX);
    look_at_string(&elf, 0, 2);
    pinsight_elf_defines(&elf, "omp_get_thread_num");
    pinsight_elf_defines(&elf, "");
    pinsight_elf_binds(&elf, "omp_get_thread_num");
    pinsight_elf_takes(&elf, "omp_get_thread_num");
    pinsight_elf_close(&elf);
    return 0;
}
