/* What the reader itself looks at in files: packets, metadata, index. */
#include <unistd.h>

#include "unit.h"

#include "reader/ctf/index.h"
#include "reader/ctf/packet.h"

static void put(unsigned char *at, uint64_t value, int bytes, int big_endian) {
    for (int i = 0; i < bytes; i++)
        at[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

/* Writes packets of 4096 bytes to a file, the last one with only last_have bytes of it. */
static int stream(int packets, size_t last_have, int big_endian, uint64_t discarded) {
    char name[] = "/tmp/pinsight-test-XXXXXX";
    int fd = mkstemp(name);

    assert_true(fd >= 0);
    unlink(name);
    for (int i = 0; i < packets; i++) {
        unsigned char packet[4096] = {0};

        put(packet, 0xc1fc1fc1, 4, big_endian);
        put(packet + PINSIGHT_PACKET_CONTENT_AT, 2000 * 8, 8, big_endian);
        put(packet + PINSIGHT_PACKET_CONTENT_AT + 8, 4096 * 8, 8, big_endian);
        put(packet + PINSIGHT_PACKET_CONTENT_AT + 24, discarded, 8, big_endian);
        assert_true(write(fd, packet, i + 1 < packets ? 4096 : last_have) > 0);
    }
    return fd;
}

static void whole_streams(void **state) {
    (void)state;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        int fd = stream(3, 4096, big_endian, 42);
        struct pinsight_packets packets = pinsight_packets_scan(fd, 3 * 4096);

        assert_true(packets.is_stream);
        assert_true(packets.is_whole);
        assert_int_equal(packets.whole_size, 3 * 4096);
        assert_int_equal(packets.first_discarded, 42);
        assert_int_equal(packets.big_endian, big_endian);
        close(fd);
    }
}

static void streams_that_are_cut_off(void **state) {
    int fd = stream(3, 1000, 0, 0);
    struct pinsight_packets packets = pinsight_packets_scan(fd, 2 * 4096 + 1000);

    (void)state;
    assert_false(packets.is_whole);
    assert_int_equal(packets.whole_size, 2 * 4096);
    close(fd);
    fd = stream(2, 10, 0, 0);
    packets = pinsight_packets_scan(fd, 4096 + 10);
    assert_false(packets.is_whole);
    assert_int_equal(packets.whole_size, 4096);
    close(fd);
}

static void files_that_are_no_streams(void **state) {
    int fd = stream(1, 4, 0, 0);

    (void)state;
    assert_true(pinsight_packets_scan(fd, 4).is_stream);
    assert_false(pinsight_packets_scan(fd, 4).is_known);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_false(pinsight_packets_scan(fd, 0).is_stream);
    assert_int_equal(pwrite(fd, "hello, world", 12, 0), 12);
    assert_false(pinsight_packets_scan(fd, 12).is_stream);
    close(fd);
}

static const char description[] =
    "/* CTF 1.8 */\ntrace { major = 1; };\nenv { s = \"a;b}\\\"c\"; };\n"
    "typealias integer { size = 8; } := t;\nevent { name = x; };\n";

static void plain_metadata(void **state) {
    size_t length;
    bool damaged;
    char *text = pinsight_metadata_text((const unsigned char *)description, sizeof(description) - 1,
                                        &length, &damaged);

    (void)state;
    assert_false(damaged);
    assert_string_equal(text, description);
    free(text);
    text = pinsight_metadata_text((const unsigned char *)description, sizeof(description) - 10,
                                  &length, &damaged);
    assert_true(damaged);
    assert_true(length > 0 && text[length - 1] == ';');
    assert_non_null(strstr(text, ":= t;"));
    assert_null(strstr(text, "event"));
    free(text);
    assert_null(pinsight_metadata_text((const unsigned char *)"", 0, &length, &damaged));
    assert_null(pinsight_metadata_text((const unsigned char *)"hello;", 6, &length, &damaged));
}

static void packed_metadata(void **state) {
    unsigned char data[1024] = {0};
    size_t text_size = sizeof(description) - 1;
    size_t length;
    bool damaged;
    char *text;

    (void)state;
    put(data, 0x75d11d57, 4, 0);
    put(data + 24, (37 + text_size) * 8, 4, 0);
    put(data + 28, 512 * 8, 4, 0);
    memcpy(data + 37, description, text_size);
    text = pinsight_metadata_text(data, 512, &length, &damaged);
    assert_false(damaged);
    assert_string_equal(text, description);
    free(text);
    text = pinsight_metadata_text(data, 100, &length, &damaged);
    assert_true(damaged);
    assert_non_null(strstr(text, "trace {"));
    free(text);
    put(data + 28, 1u << 31, 4, 0);
    text = pinsight_metadata_text(data, 512, &length, &damaged);
    assert_true(damaged);
    free(text);
    put(data + 24, 0, 4, 0);
    assert_null(pinsight_metadata_text(data, 512, &length, &damaged));
}

static void index_files(void **state) {
    unsigned char data[16 + 2 * 72] = {0};

    (void)state;
    put(data, 0xc1f1dcc1, 4, 1);
    put(data + 12, 72, 4, 1);
    for (int i = 0; i < 2; i++) {
        unsigned char *entry = data + 16 + i * 72;

        put(entry, (uint64_t)i * 4096, 8, 1);
        put(entry + 8, 4096 * 8, 8, 1);
        put(entry + 16, 1000 * 8, 8, 1);
        put(entry + 24, (uint64_t)i * 10, 8, 1);
        put(entry + 32, (uint64_t)i * 10 + 9, 8, 1);
    }
    uint64_t end = 0;
    assert_true(pinsight_index_end(data, sizeof(data), &end));
    assert_int_equal(end, 8192);
    assert_false(pinsight_index_end(data, sizeof(data) - 1, &end));
    assert_false(pinsight_index_end(data, 3, &end));
    put(data + 16 + 72, 4097, 8, 1);
    assert_false(pinsight_index_end(data, sizeof(data), &end));
}

int main(void) {
    return RUN_TESTS(whole_streams, streams_that_are_cut_off, files_that_are_no_streams,
                     plain_metadata, packed_metadata, index_files);
}
