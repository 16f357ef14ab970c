/* Line tables of code objects: those that each form of CPython's compilers wrote for one function,
 * beside what PyCode_Addr2Line() said of its instructions; and broken ones. */
#include "tracer/python/cpython/line_block.h"

#include "unit.h"

struct run {
    int32_t line;
    unsigned instructions;
};

struct example {
    pinsight_line_next *next;
    const unsigned char *table;
    size_t length;
    const struct run *runs;
    size_t run_count;
};

/* lnotab (3.8) */
static const unsigned char lnotab_table[] = {
    0x00, 0x02, 0x02, 0x02, 0x02, 0x01, 0x02, 0xff, 0x02, 0xfd, 0x04, 0x7f, 0x00, 0x7f, 0x00, 0x35,
    0x04, 0x01, 0x02, 0x01, 0x0c, 0x01, 0x0e, 0x01, 0x10, 0x02, 0x06, 0x01, 0x06, 0xff, 0x02, 0xff};
static const struct run lnotab_runs[] = {{3, 1},   {5, 1},   {6, 1},   {5, 1},   {2, 2},
                                         {309, 2}, {310, 1}, {311, 6}, {312, 7}, {313, 8},
                                         {315, 3}, {316, 3}, {315, 1}, {314, 1}};

/* linetable (3.10) */
static const unsigned char linetable_table[] = {
    0x02, 0x02, 0x02, 0x02, 0x02, 0x01, 0x02, 0xff, 0x04, 0xfd, 0x00, 0x7f,
    0x00, 0x7f, 0x04, 0x35, 0x02, 0x01, 0x0c, 0x01, 0x0c, 0x01, 0x0c, 0x01,
    0x02, 0xff, 0x04, 0xfd, 0x06, 0x06, 0x06, 0x01, 0x02, 0xff, 0x02, 0xff};
static const struct run linetable_runs[] = {
    {3, 1},   {5, 1},   {6, 1},   {5, 1},   {2, 2},   {309, 2}, {310, 1}, {311, 6},
    {312, 6}, {313, 6}, {312, 1}, {309, 2}, {315, 3}, {316, 3}, {315, 1}, {314, 1}};

/* locations (3.11) */
static const unsigned char locations_table[] = {
    0x80, 0x00, 0xe0, 0x08, 0x09, 0xe0, 0x08, 0x09, 0x88, 0x01, 0xd8, 0x0c, 0x0d, 0xf1, 0x03,
    0x02, 0x09, 0x0a, 0xf4, 0x00, 0x02, 0x09, 0x0a, 0xf0, 0x07, 0x06, 0x09, 0x06, 0x80, 0x41,
    0xf0, 0x66, 0x09, 0x00, 0x0b, 0x0c, 0xf0, 0x00, 0x04, 0x05, 0x11, 0xf0, 0x02, 0x03, 0x09,
    0x11, 0xd8, 0x0c, 0x0d, 0x88, 0x41, 0x88, 0x61, 0x89, 0x44, 0x8c, 0x44, 0x88, 0x44, 0x88,
    0x44, 0xf8, 0xdd, 0x0f, 0x10, 0xf0, 0x00, 0x01, 0x09, 0x11, 0xf0, 0x00, 0x01, 0x09, 0x11,
    0xf0, 0x00, 0x01, 0x09, 0x11, 0xd8, 0x0c, 0x0d, 0x88, 0x41, 0x88, 0x61, 0x89, 0x44, 0x8c,
    0x44, 0x88, 0x44, 0x88, 0x44, 0x88, 0x44, 0xf0, 0x03, 0x01, 0x09, 0x11, 0xf8, 0xf8, 0xf8,
    0xf0, 0x07, 0x00, 0x0b, 0x0c, 0xf0, 0x00, 0x04, 0x05, 0x11, 0xf0, 0x0c, 0x00, 0x09, 0x0a,
    0x88, 0x01, 0x88, 0x21, 0x89, 0x04, 0x8c, 0x04, 0xd8, 0x08, 0x09, 0x88, 0x01, 0x88, 0x21,
    0x89, 0x04, 0x8c, 0x04, 0xf1, 0x03, 0x01, 0x09, 0x0d, 0xf0, 0x03, 0x03, 0x05, 0x06};
static const struct run locations_runs[] = {{1, 1},    {3, 1},    {5, 2},   {6, 1},    {5, 7},
                                            {2, 2},    {309, 2},  {310, 1}, {311, 12}, {0, 1},
                                            {312, 9},  {313, 13}, {312, 1}, {0, 3},    {309, 2},
                                            {315, 10}, {316, 10}, {315, 2}, {314, 1}};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define EXAMPLE(name)                                                                              \
    {                                                                                              \
        pinsight_line_next_##name, name##_table, COUNT(name##_table), name##_runs,                 \
            COUNT(name##_runs)                                                                     \
    }
static const struct example examples[] = {EXAMPLE(lnotab), EXAMPLE(linetable), EXAMPLE(locations)};

static void lines_are_those_of_the_interpreter(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        const struct example *example = &examples[i];
        int32_t lines[200];
        size_t count = 0;
        struct pinsight_line_range range;
        for (size_t j = 0; j < example->run_count; j++) {
            for (unsigned k = 0; k < example->runs[j].instructions; k++, count++) {
                pinsight_line_begin(&range, example->table, example->length, 1);
                assert_int_equal(pinsight_line_find(&range, example->next, (long)count * 2),
                                 example->runs[j].line);
                lines[count] = -1;
            }
        }
        pinsight_line_begin(&range, example->table, example->length, 1);
        pinsight_line_fill(&range, example->next, lines, count);
        for (size_t j = 0, at = 0; j < example->run_count; j++) {
            for (unsigned k = 0; k < example->runs[j].instructions; k++, at++)
                assert_int_equal(lines[at], example->runs[j].line);
        }
    }
}

static void columns_may_be_longer_than_a_word(void **state) {
    (void)state;
    static const unsigned char table[] = {
        0xf0, 2, 0, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x7f, 0x7f, 0x7f, 1, /* one, a line on */
        0xd9, 5, 6,                                                       /* two, a line on */
        0xc8, 5, 1,                                                       /* one, likewise */
    };
    static const int32_t lines[] = {11, 12, 12, 12};
    struct pinsight_line_range range;
    for (size_t i = 0; i < COUNT(lines); i++) {
        pinsight_line_begin(&range, table, COUNT(table), 10);
        assert_int_equal(pinsight_line_find(&range, pinsight_line_next_locations, (long)i * 2),
                         lines[i]);
    }
}

static void before_the_first_instruction_is_the_first_line(void **state) {
    (void)state;
    struct pinsight_line_range range;
    for (size_t i = 0; i < COUNT(examples); i++) {
        pinsight_line_begin(&range, examples[i].table, examples[i].length, 17);
        assert_int_equal(pinsight_line_find(&range, examples[i].next, -1), 17);
        pinsight_line_begin(&range, NULL, 0, -17);
        assert_int_equal(pinsight_line_find(&range, examples[i].next, -2), 0);
    }
}

static void an_empty_table_has_no_lines_but_in_the_oldest_form(void **state) {
    (void)state;
    struct pinsight_line_range range;
    for (size_t i = 0; i < COUNT(examples); i++) {
        const unsigned char none[1] = {0};
        pinsight_line_begin(&range, none, 0, 5);
        assert_int_equal(pinsight_line_find(&range, examples[i].next, 6),
                         examples[i].next == pinsight_line_next_lnotab ? 5 : 0);
    }
}

static void broken_tables_end(void **state) {
    (void)state;
    srand(1);
    for (int turn = 0; turn < 6000; turn++) {
        size_t length = (size_t)(rand() % 40);
        unsigned char *table = malloc(length ? length : 1); /* its own, for the sanitizers */
        const struct example *example = &examples[turn % COUNT(examples)];
        struct pinsight_line_range range;
        int32_t lines[64];
        for (size_t i = 0; i < length; i++)
            table[i] = (unsigned char)(rand() % 4 ? rand() : (rand() % 2 ? 0xff : 0x80));
        pinsight_line_begin(&range, table, length, rand() % 3 ? 1 : INT32_MAX);
        int32_t found = pinsight_line_find(&range, example->next, 2 * (turn % 64));
        assert_true(found >= 0);
        pinsight_line_begin(&range, table, length, 1);
        pinsight_line_fill(&range, example->next, lines, COUNT(lines));
        free(table);
    }
}

/* A table as the interpreter makes it, of many heads, or of any bytes. */
static void make_table(unsigned char *table, size_t length, int form) {
    for (size_t i = 0; i < length; i++) {
        int kind = form == 0 ? rand() % 2 : rand() % 5;
        table[i] = (unsigned char)(kind == 0   ? rand() | 0x80
                                   : kind == 1 ? 0x80 | rand() % 90
                                               : rand() & 0x7f);
    }
}

/* Eight and sixteen bytes at a time: the same lines. */
static void the_readers_of_several_bytes_agree(void **state) {
    (void)state;
    srand(2);
    for (int turn = 0; turn < 12000; turn++) {
        size_t length = (size_t)(rand() % (turn % 7 ? 45 : 300));
        /* Its own, for the sanitizers: it ends with the table, and begins as a bytes object does.
         */
        unsigned char *all = malloc(PINSIGHT_LINE_BEFORE + length);
        unsigned char *table = all + PINSIGHT_LINE_BEFORE;
        memset(all, rand(), PINSIGHT_LINE_BEFORE);
        make_table(table, length, turn % 3);
        for (long offset = -2; offset < 1200; offset += 1 + rand() % (turn % 7 ? 9 : 60)) {
            struct pinsight_line_range range;
            int32_t first = rand() % 5 ? 1 + rand() % 1000 : rand() % 2 ? INT32_MAX : -3;
            pinsight_line_begin(&range, table, length, first);
            int32_t right = pinsight_line_find(&range, pinsight_line_next_locations, offset);
            pinsight_line_begin(&range, table, length, first);
            assert_int_equal(pinsight_line_find_location(&range, offset), right);
            assert_int_equal(pinsight_line_find_block(table, length, first, offset), right);
        }
        free(all);
    }
}

int main(void) {
    return RUN_TESTS(lines_are_those_of_the_interpreter, columns_may_be_longer_than_a_word,
                     before_the_first_instruction_is_the_first_line,
                     an_empty_table_has_no_lines_but_in_the_oldest_form, broken_tables_end,
                     the_readers_of_several_bytes_agree);
}
