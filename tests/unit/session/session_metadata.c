/* Whether a trace's description on disk is complete. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/channels.h"
#include "session/metadata.h"
#include "session/paths.h"

static char place[64], file_path[PATH_MAX];

static int make_place(void **state) {
    char folder[PATH_MAX];

    (void)state;
    strcpy(place, "/tmp/pinsight-test-XXXXXX");
    if (mkdtemp(place) == NULL) {
        return -1;
    }
    snprintf(folder, sizeof(folder), "%s/ust/uid/%u/%zu-bit", place, (unsigned)geteuid(),
             sizeof(long) * 8);
    if (pinsight_path_make(folder, 0700) != 0) {
        return -1;
    }
    return pinsight_path_join(file_path, folder, "metadata") ? 0 : -1;
}

static int remove_place(void **state) {
    (void)state;
    pinsight_path_remove(place);
    return access(place, F_OK) == 0;
}

/* One packet of metadata with that text, padded as LTTng does it. */
static void write_packet(FILE *file, const char *text, size_t length) {
    uint32_t header[9] = {0x75d11d57};
    char rest = 0;

    header[6] = (uint32_t)(37 + length) * 8;
    header[7] = 4096 * 8;
    assert_true(length <= 4096 - 37);
    fwrite(header, 1, 36, file);
    fwrite(&rest, 1, 1, file);
    fwrite(text, 1, length, file);
    for (size_t i = 37 + length; i < 4096; i++) {
        fputc(0, file);
    }
}

/* A description of one event of each provider; `skip` of them are left out. */
static size_t describe(char *text, size_t room, size_t skip) {
    size_t used = 0;

    for (size_t i = skip; i < sizeof(pinsight_event_providers) / sizeof(*pinsight_event_providers);
         i++) {
        used += (size_t)snprintf(text + used, room - used,
                                 "event {\n\tname = \"%s:some\";\n\tfields := struct { };\n};\n",
                                 pinsight_event_providers[i].name);
    }
    return used;
}

static void write_text(const char *text, size_t length, size_t cut) {
    FILE *file = fopen(file_path, "w");

    assert_non_null(file);
    write_packet(file, text, length - cut);
    if (cut > 0) {
        write_packet(file, text + length - cut, cut);
    }
    fclose(file);
}

static void test_complete(void **state) {
    char text[2048];
    size_t length = describe(text, sizeof(text), 0);

    (void)state;
    assert_false(pinsight_trace_is_described(place, true));
    write_text(text, length, 0);
    assert_true(pinsight_trace_is_described(place, true));
    /* Also where a packet ends in the middle of a word. */
    write_text(text, length, length / 2);
    assert_true(pinsight_trace_is_described(place, true));
    assert_true(pinsight_trace_size(place) == 8192);
}

static void test_incomplete(void **state) {
    char text[2048];
    size_t length = describe(text, sizeof(text), 0);

    (void)state;
    write_text(text, length - 4, 0);
    assert_false(pinsight_trace_is_described(place, true));
    length = describe(text, sizeof(text), 1);
    write_text(text, length, 0);
    assert_false(pinsight_trace_is_described(place, true));
}

static void test_damaged(void **state) {
    char text[2048];
    size_t length = describe(text, sizeof(text), 0);

    (void)state;
    write_text(text, length, length / 2);
    for (off_t size = 0; size < 8192; size += 613) {
        assert_int_equal(truncate(file_path, 0), 0);
        write_text(text, length, length / 2);
        assert_int_equal(truncate(file_path, size), 0);
        assert_false(pinsight_trace_is_described(place, true));
    }
    /* Sizes that lie. */
    static const uint32_t lies[][2] = {
        {0, 8 * 4096}, {8 * 4097, 8 * 4096}, {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < 3; i++) {
        write_text(text, length, 0);
        FILE *file = fopen(file_path, "r+");
        fseek(file, 24, SEEK_SET);
        fwrite(lies[i], 1, 8, file);
        fclose(file);
        assert_false(pinsight_trace_is_described(place, true));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
