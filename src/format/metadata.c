/* The head of a trace's metadata; see metadata.h. */
#include "format/metadata.h"

#include "base/safe_files.h"
#include "pinsight_version.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The lines of the clock that are corrected later. Their length does not depend on the numbers. A
 * leading 0 would make a number octal (CTF 1.8, C.1.1), so they are padded with blanks. */
#define CLOCK_LINES                                                                                \
    "    freq = %20" PRIu64 ";\n"                                                                  \
    "    offset_s = %20" PRIu64 ";\n"                                                              \
    "    offset = %20" PRIu64 ";\n"
#define CLOCK_MARK "    freq = "

struct clock_numbers {
    uint64_t frequency, seconds, offset;
};

/* Computes the clock's frequency, and its offset in seconds since 1970, so that the first moment is
 * correct. */
static struct clock_numbers numbers_of(const struct pinsight_control *control) {
    const struct pinsight_clocks *first = &control->first;
    struct pinsight_clocks last = control->last;
    struct clock_numbers numbers = {1000000000u, 0, 0};

    if (last.ticks + last.monotonic + last.real != control->last_check)
        last = *first;
    uint64_t ticks = last.ticks - first->ticks, ns = last.monotonic - first->monotonic;
    double frequency = control->has_counter && ns ? (double)ticks / (double)ns * 1e9 + 0.5 : 0;
    if (frequency >= 1 && frequency < 1e15) /* a damaged file may contain any number */
        numbers.frequency = (uint64_t)frequency;
    /* real - ticks, in ticks of the clock. It needs 128 bits, because 1.7e18 ns times 3e9 has more
     * than 64. */
    __extension__ typedef unsigned __int128 wide;
    wide real = (wide)first->real * numbers.frequency / 1000000000u;
    wide origin = real > first->ticks ? real - first->ticks : 0;
    numbers.seconds = (uint64_t)(origin / numbers.frequency);
    numbers.offset = (uint64_t)(origin % numbers.frequency);
    return numbers;
}

void pinsight_file_uuid_text(char text[37], const uint8_t uuid[16]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *text++ = '-';
        *text++ = digits[uuid[i] >> 4];
        *text++ = digits[uuid[i] & 15];
    }
    *text = '\0';
}

void pinsight_file_metadata_head(FILE *out, const struct pinsight_control *control) {
    char uuid[37], host[HOST_NAME_MAX + 1] = "localhost";
    const uint16_t one = 1;
    struct clock_numbers numbers = numbers_of(control);

    gethostname(host, sizeof host - 1);
    for (char *at = host; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            *at = '_';
    pinsight_file_uuid_text(uuid, control->uuid);
    fprintf(
        out,
        "/* CTF 1.8 */\n\n"
        "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
        "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
        "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n"
        "trace {\n    major = 1;\n    minor = 8;\n    uuid = \"%s\";\n    byte_order = %s;\n"
        "    packet.header := struct {\n        uint32_t magic;\n        uint8_t uuid[16];\n"
        "        uint32_t stream_id;\n    };\n};\n\n"
        "env {\n    domain = \"ust\";\n    tracer_name = \"pinsight\";\n"
        "    pinsight_version = \"%s\";\n    pinsight_format = %d;\n    hostname = \"%s\";\n};\n\n"
        "clock {\n    name = \"monotonic\";\n    description = \"%s\";\n" CLOCK_LINES
        "    absolute = FALSE;\n};\n\n",
        uuid, *(const uint8_t *)&one ? "le" : "be", PINSIGHT_VERSION, PINSIGHT_FOLDER_VERSION, host,
        control->has_counter ? "the processor's counter" : "CLOCK_MONOTONIC", numbers.frequency,
        numbers.seconds, numbers.offset);
}

int pinsight_file_metadata_clock(int folder, const struct pinsight_control *control) {
    char text[4096], lines[256];
    struct clock_numbers numbers = numbers_of(control);

    if (!control->has_counter)
        return 0; /* its rate is known */
    int fd = pinsight_open_regular(folder, "metadata", O_RDWR | O_NOFOLLOW);
    if (fd < 0)
        return errno;
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *at = strstr(text, CLOCK_MARK);
    int size = snprintf(lines, sizeof lines, CLOCK_LINES, numbers.frequency, numbers.seconds,
                        numbers.offset);
    int error = 0;
    if (!at || at + size > text + length)
        error = EINVAL;
    else if (memcmp(at, lines, (size_t)size) != 0 && pwrite(fd, lines, (size_t)size, at - text) < 0)
        error = errno;
    close(fd);
    return error;
}
