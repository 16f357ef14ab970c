/* Counts of recorded events: processes write them to a shared file, the session's end to a text. */
#include "unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "format/counts.h"
#include "session/counts.h"

enum { MANY = 1000 }; /* places; more than a part has memory for at first */

static struct pinsight_counts *part_of(int fd, uint32_t number) {
    struct pinsight_counts *part = mmap(NULL, PINSIGHT_COUNTS_PART, PROT_READ | PROT_WRITE,
                                        MAP_SHARED, fd, (off_t)number * PINSIGHT_COUNTS_PART);

    assert_ptr_not_equal(part, MAP_FAILED);
    return part;
}

static void record(struct pinsight_counts *part, uint32_t place, uint64_t events) {
    part->used = part->used > place ? part->used : place + 1;
    part->places[place].events += events;
}

static void test_each_process_has_its_sum(void **state) {
    struct pinsight_counts *parts[4];
    struct pinsight_counts_kept counted;
    char folder[] = "/tmp/pinsight-counts-XXXXXX", path[64], text[128] = "", expected[128];
    int fd = pinsight_counts_make();

    (void)state;
    assert_true(fd >= 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(pinsight_counts_give(fd, 100 + (int)i), i + 1);
        parts[i] = part_of(fd, i + 1);
    }
    for (uint32_t place = 0; place < 3; place++) {
        record(parts[0], place, 10 + place);
        record(parts[1], place, 1);
        record(parts[2], place, 2);
    }
    for (uint32_t place = 0; place < MANY; place++) {
        record(parts[3], place, 3);
    }
    parts[1]->elsewhere = 1;
    pinsight_counts_look(&counted, fd);
    record(parts[2], 1, 1); /* after the session's end */
    assert_non_null(mkdtemp(folder));
    pinsight_counts_write(&counted, fd, folder);
    snprintf(path, sizeof(path), "%s/" PINSIGHT_COUNTS_FILE, folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    snprintf(expected, sizeof(expected), "1 100 33 1\n2 101 3 0\n3 102 6 0\n4 103 %d 1\n",
             3 * MANY);
    assert_string_equal(text, expected);
    pinsight_counts_remove(folder);
    assert_int_equal(rmdir(folder), 0);
    for (uint32_t i = 0; i < 4; i++) {
        munmap(parts[i], PINSIGHT_COUNTS_PART);
    }
    close(fd);
}

int main(void) {
    return RUN_TESTS(test_each_process_has_its_sum);
}
