/* Whose a piece of Python code is. */
#include "unit.h"

#include "base/users_code.h"

static void test_files(void **state) {
    (void)state;
    assert_true(pinsight_users_file("/home/me/solver.py"));
    assert_true(pinsight_users_file("solver.py"));
    assert_true(pinsight_users_file("/home/me/lib/pythonic/solver.py"));
    assert_true(pinsight_users_file("<ipython-input-3-abc>"));
    assert_true(pinsight_users_file("<stdin>"));
    assert_false(pinsight_users_file(""));
    assert_false(pinsight_users_file("/usr/lib/python3.11/json/decoder.py"));
    assert_false(pinsight_users_file("/opt/lib64/python3.13t/json/decoder.py"));
    assert_false(pinsight_users_file("/usr/lib/python3/dist-packages/numpy/core.py"));
    assert_false(pinsight_users_file("/home/me/venv/lib/site-packages/numpy/core.py"));
    assert_false(pinsight_users_file("/opt/python313.zip/os.py"));
    assert_false(pinsight_users_file("/home/me/venv/bin/mypy"));
    assert_false(pinsight_users_file("<frozen runpy>"));
    assert_false(pinsight_users_file("<__array_function__ internals>"));
}

static void test_strings(void **state) {
    (void)state;
    assert_true(pinsight_users_code("<string>", "__main__", "<module>"));
    assert_true(pinsight_users_code("<string>", "__main__", "Solver.step"));
    assert_true(pinsight_users_code("<string>", "", "step"));
    assert_false(pinsight_users_code("<string>", "namedtuple_Point", "Point.__new__"));
    assert_false(pinsight_users_code("<string>", "__main__", "__create_fn__.<locals>.__init__"));
    assert_true(pinsight_users_code("/home/me/made.py", "made", "__create_fn__"));
}

static void test_importlib(void **state) {
    (void)state;
    assert_true(pinsight_importlib_file("<frozen importlib._bootstrap>"));
    assert_true(pinsight_importlib_file("<frozen importlib._bootstrap_external>"));
    assert_false(pinsight_importlib_file("<frozen runpy>"));
    assert_false(pinsight_importlib_file("/usr/lib/python3.11/importlib/__init__.py"));
}

int main(void) {
    return RUN_TESTS(test_files, test_strings, test_importlib);
}
