/* Words of a command, quoted for a shell, and taken apart again. */
#include "unit.h"

#include "base/shell.h"

/* The line of words with a 0 between them, which are cut off as a read into so much room cuts them.
 */
static char *join(const char *words, size_t size, size_t room) {
    static char line[128];
    size_t used = size < room ? size : room - 1;

    memset(line, 'x', sizeof(line));
    memcpy(line, words, used);
    pinsight_shell_join(line, used, room);
    assert_true(strlen(line) < room);
    return line;
}

#define JOIN(words, room) join(words, sizeof(words) - 1, room)

static void plain_words_stay(void **state) {
    (void)state;
    assert_string_equal(JOIN("python3\0-O\0examples/heat.py\0--n=4", 64),
                        "python3 -O examples/heat.py --n=4");
    assert_string_equal(JOIN("", 64), "");
}

static void others_are_quoted(void **state) {
    (void)state;
    assert_string_equal(JOIN("/M\303\274ller's work/python3\0\0-c\0print('a b')", 128),
                        "'/M\303\274ller'\\''s work/python3' '' -c 'print('\\''a b'\\'')'");
}

/* What is there is a line of its own, in each length. */
static void what_does_not_fit_is_left_out(void **state) {
    static const char *const whole[] = {"./a b", "it's", "c", "'''"};

    (void)state;
    assert_string_equal(JOIN("./a b\0it's", 9), "'./a b'");
    assert_string_equal(JOIN("./a b\0it's", 12), "'./a b' it");
    for (size_t room = 1; room < 48; room++) {
        char *rest = JOIN("./a b\0it's\0c\0'''", room), *word;

        for (size_t i = 0; (word = pinsight_shell_next(&rest)); i++) {
            assert_true(i < 4);
            assert_memory_equal(word, whole[i], strlen(word));
        }
    }
}

static void words_are_taken_apart(void **state) {
    char text[] = "  '/M\303\274ller'\\''s work/python3'  -c '' a'b c'd it\\'s 'open end";
    static const char *const words[] = {
        "/M\303\274ller's work/python3", "-c", "", "ab cd", "it's", "open end"};
    char *rest = text;

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        assert_string_equal(pinsight_shell_next(&rest), words[i]);
    assert_null(pinsight_shell_next(&rest));
    assert_null(pinsight_shell_next(&rest));
}

int main(void) {
    return RUN_TESTS(plain_words_stay, others_are_quoted, what_does_not_fit_is_left_out,
                     words_are_taken_apart);
}
