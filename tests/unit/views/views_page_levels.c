/* Levels of detail of a page: what is merged, and that no slice and no time is left out. */
#include "unit.h"

#include "views/page/levels.h"

#include <stdint.h>

static struct page_box box(uint64_t begin, uint64_t end, uint32_t node) {
    return (struct page_box){.begin_ns = begin,
                             .end_ns = end,
                             .busy_ns = end - begin,
                             .away_ns = (end - begin) / 2,
                             .top_ns = end - begin,
                             .node = node,
                             .count = 1};
}

static void a_level_merges_what_spans_no_more_than_its_resolution(void **state) {
    const struct page_box boxes[] = {box(0, 10, 1), box(15, 40, 2), box(45, 60, 1),
                                     box(100, 400, 3), box(400, 410, 1)};
    struct page_row row = {0}, level;

    (void)state;
    for (size_t i = 0; i < 5; i++)
        page_row_add(&row, &boxes[i], 0);
    assert_int_equal(row.count, 5);
    level = page_row_level(&row, 60);
    assert_int_equal(level.count, 3);
    assert_int_equal(level.boxes[0].begin_ns, 0);
    assert_int_equal(level.boxes[0].end_ns, 60);
    assert_int_equal(level.boxes[0].count, 3);
    assert_int_equal(level.boxes[0].busy_ns, 50);
    assert_int_equal(level.boxes[0].away_ns, 5 + 12 + 7);
    assert_int_equal(level.boxes[0].node, 2);
    assert_int_equal(level.boxes[1].end_ns, 400);
    assert_int_equal(level.boxes[1].count, 1);
    assert_int_equal(level.boxes[2].count, 1);
    page_row_clear(&level);
    page_row_clear(&row);
}

static void without_a_resolution_nothing_is_merged(void **state) {
    const struct page_box nothing = box(7, 7, 1);
    struct page_row row = {0};

    (void)state;
    page_row_add(&row, &nothing, 0);
    page_row_add(&row, &nothing, 0);
    assert_int_equal(row.count, 2);
    page_row_clear(&row);
}

/* Made at once, or by way of finer levels. */
static void every_level_has_all_slices_and_times(void **state) {
    struct page_row row = {0};
    uint64_t at = 0, busy = 0, away = 0;
    uint32_t seed = 1;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct page_box one;

        seed = seed * 1664525u + 1013904223u;
        at += seed >> 24;
        one = box(at, at + (seed >> 8 & 0x3ff), seed >> 20 & 7);
        page_row_add(&row, &one, 0);
        at = one.end_ns;
        busy += one.busy_ns;
        away += one.away_ns;
    }
    for (uint64_t resolution = 64; resolution < 1u << 20; resolution *= 4) {
        uint64_t count = 0, all_busy = 0, all_away = 0, last = 0;
        size_t before = row.count;

        page_row_thin(&row, resolution);
        assert_true(row.count <= before);
        for (size_t i = 0; i < row.count; i++) {
            assert_true(row.boxes[i].begin_ns >= last);
            assert_true(row.boxes[i].count == 1 ||
                        row.boxes[i].end_ns - row.boxes[i].begin_ns <= resolution);
            assert_true(row.boxes[i].top_ns <= row.boxes[i].busy_ns);
            last = row.boxes[i].end_ns;
            count += row.boxes[i].count;
            all_busy += row.boxes[i].busy_ns;
            all_away += row.boxes[i].away_ns;
        }
        assert_int_equal(count, 20000);
        assert_int_equal(all_busy, busy);
        assert_int_equal(all_away, away);
    }
    assert_true(row.count < 100);
    page_row_clear(&row);
}

static void rows_are_merged_until_they_fit(void **state) {
    enum { ROWS = 3, BOXES = 1000, MOST = 4000 };
    struct page_row rows[ROWS] = {0};
    struct page_bytes bytes = {0};
    uint64_t slices = 0;

    (void)state;
    for (uint64_t r = 0; r < ROWS; r++)
        for (uint64_t i = 0, at = 0; i < BOXES; i++, at += 3000 + i * 7919 % 4001) {
            const struct page_box next = box(at, at + 1000 + i * 104729 % 1999, (uint32_t)(i % 7));

            page_row_add(&rows[r], &next, 0);
        }
    assert_int_equal(page_rows_fit(rows, ROWS, 0, 0, 1 << 20), 0);
    assert_int_equal(rows[0].count, BOXES);
    assert_true(page_rows_fit(rows, ROWS, 0, 0, MOST) >= 8192);
    for (size_t r = 0; r < ROWS; r++) {
        page_row_write(&rows[r], 0, &bytes);
        for (size_t i = 0; i < rows[r].count; i++)
            slices += rows[r].boxes[i].count;
        page_row_clear(&rows[r]);
    }
    assert_in_range(bytes.count, MOST / 4, MOST);
    assert_int_equal(slices, ROWS * BOXES);
    page_bytes_clear(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_merges_what_spans_no_more_than_its_resolution),
        cmocka_unit_test(without_a_resolution_nothing_is_merged),
        cmocka_unit_test(every_level_has_all_slices_and_times),
        cmocka_unit_test(rows_are_merged_until_they_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
