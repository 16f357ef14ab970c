/* Whose a piece of Python code is. */
#include "unit.h"

#include "base/code_folders.h"
#include "base/users_code.h"

static void test_files(void **state) {
    (void)state;
    assert_true(pinsight_users_file(NULL, "/home/me/solver.py"));
    assert_true(pinsight_users_file(NULL, "solver.py"));
    assert_true(pinsight_users_file(NULL, "/home/me/lib/pythonic/solver.py"));
    assert_true(pinsight_users_file(NULL, "<ipython-input-3-abc>"));
    assert_true(pinsight_users_file(NULL, "<stdin>"));
    assert_true(pinsight_users_file(NULL, "<dynamic-code>"));
    assert_false(pinsight_users_file(NULL, ""));
    assert_false(pinsight_users_file(NULL, "/usr/lib/python3.11/json/decoder.py"));
    assert_false(pinsight_users_file(NULL, "/opt/lib64/python3.13t/json/decoder.py"));
    assert_false(pinsight_users_file(NULL, "/usr/lib/python3/dist-packages/numpy/core.py"));
    assert_false(pinsight_users_file(NULL, "/home/me/venv/lib/site-packages/numpy/core.py"));
    assert_false(pinsight_users_file(NULL, "/opt/python313.zip/os.py"));
    assert_false(pinsight_users_file(NULL, "/home/me/venv/bin/mypy"));
    assert_false(pinsight_users_file(NULL, "<frozen runpy>"));
    assert_false(pinsight_users_file(NULL, "<__array_function__ internals>"));
}

/* The interpreter's own folders decide, and no name of a folder. */
static void test_folders(void **state) {
    struct pinsight_code_folders folders = {0};
    char text[200];
    (void)state;

    pinsight_code_folders_add(&folders,
                              "/opt/py/lib/python3.12/\n/opt/py/lib/python3.12/site-packages\n"
                              "/usr/lib/python3/dist-packages\n/me/venv/bin/tool\n/",
                              PINSIGHT_CODE_OF_LIBRARY);
    pinsight_code_folders_add(&folders, "/opt/py/lib/python3.12/site-packages/mine",
                              PINSIGHT_CODE_OF_USER);
    pinsight_code_folders_add(&folders, "/usr/lib/python3/dist-packages/",
                              PINSIGHT_CODE_OF_LIBRARY);
    assert_int_equal(folders.count, 5);
    assert_true(pinsight_users_file(&folders, "/me/lib/python3/solver.py"));
    assert_true(pinsight_users_file(&folders, "/me/lib/python3.11/solver.py"));
    assert_true(pinsight_users_file(&folders, "/me/python311.zip/solver.py"));
    assert_true(pinsight_users_file(&folders, "/me/bin/simulate"));
    assert_true(pinsight_users_file(&folders, "/opt/py/lib/python3.12x/a.py"));
    assert_true(
        pinsight_users_file(&folders, "/opt/py/lib/python3.12/site-packages/mine/core/step.py"));
    assert_true(pinsight_users_file(&folders, "/opt/py/lib/python3.12/site-packages/mine.py"));
    assert_false(pinsight_users_file(&folders, "/opt/py/lib/python3.12/site-packages/mine2.py"));
    assert_false(pinsight_users_file(&folders, "/opt/py/lib/python3.12/json/decoder.py"));
    assert_false(pinsight_users_file(&folders, "/usr/lib/python3/dist-packages/numpy/core.py"));
    assert_false(pinsight_users_file(&folders, "/me/venv/bin/tool"));
    assert_false(pinsight_users_file(&folders, "/other/venv/lib/python3.9/site-packages/a.py"));

    /* What is installed below a folder of the user's is a library's all the same. */
    pinsight_code_folders_add(&folders, "/usr/lib/python3/dist-packages/", PINSIGHT_CODE_OF_USER);
    assert_true(pinsight_users_file(&folders, "/usr/lib/python3/dist-packages/numpy/core.py"));
    assert_false(
        pinsight_users_file(&folders, "/usr/lib/python3/dist-packages/v/site-packages/x.py"));

    pinsight_code_folders_text(&folders, PINSIGHT_CODE_OF_USER, text, sizeof text);
    assert_string_equal(text, "/usr/lib/python3/dist-packages\n"
                              "/opt/py/lib/python3.12/site-packages/mine");
    pinsight_code_folders_text(&folders, PINSIGHT_CODE_OF_USER, text, 70);
    assert_string_equal(text, "/usr/lib/python3/dist-packages");

    for (int i = 0; i < 2 * PINSIGHT_CODE_FOLDERS_MOST; i++) {
        snprintf(text, sizeof text, "/many/%d", i);
        pinsight_code_folders_add(&folders, text, PINSIGHT_CODE_OF_LIBRARY);
    }
    assert_int_equal(folders.count, PINSIGHT_CODE_FOLDERS_MOST);
    pinsight_code_folders_free(&folders);
}

static void test_strings(void **state) {
    (void)state;
    assert_true(pinsight_users_code(NULL, "<string>", "__main__", "<module>"));
    assert_true(pinsight_users_code(NULL, "<string>", "__main__", "Solver.step"));
    assert_true(pinsight_users_code(NULL, "<string>", "", "step"));
    assert_false(pinsight_users_code(NULL, "<string>", "namedtuple_Point", "Point.__new__"));
    assert_false(
        pinsight_users_code(NULL, "<string>", "__main__", "__create_fn__.<locals>.__init__"));
    assert_true(pinsight_users_code(NULL, "/home/me/made.py", "made", "__create_fn__"));
}

static void test_importlib(void **state) {
    (void)state;
    assert_true(pinsight_importlib_file("<frozen importlib._bootstrap>"));
    assert_true(pinsight_importlib_file("<frozen importlib._bootstrap_external>"));
    assert_false(pinsight_importlib_file("<frozen runpy>"));
    assert_false(pinsight_importlib_file("/usr/lib/python3.11/importlib/__init__.py"));
}

static bool is_mine(const char *patterns, const char *file, const char *module) {
    struct pinsight_code_folders folders = {0}, told = {0};
    char text[200];

    pinsight_code_folders_add(&folders, "/opt/py/lib/python3.12", PINSIGHT_CODE_OF_LIBRARY);
    pinsight_code_folders_mine(&folders, patterns);
    /* As a process records it, and a reader takes it. */
    pinsight_code_folders_text(&folders, PINSIGHT_CODE_OF_LIBRARY, text, sizeof(text));
    pinsight_code_folders_add(&told, text, PINSIGHT_CODE_OF_LIBRARY);
    pinsight_code_folders_text(&folders, PINSIGHT_CODE_OF_USER, text, sizeof(text));
    pinsight_code_folders_add(&told, text, PINSIGHT_CODE_OF_USER);
    bool mine =
        module ? pinsight_users_code(&told, file, module, "f") : pinsight_users_file(&told, file);
    pinsight_code_folders_free(&folders);
    pinsight_code_folders_free(&told);
    return mine;
}

/* What the user says is theirs is; with a + besides what is by its folder. */
static void test_patterns(void **state) {
    static const char json[] = "/opt/py/lib/python3.12/json/decoder.py";
    (void)state;

    assert_true(is_mine("json", json, "json.decoder"));
    assert_true(is_mine("app, json", json, "json.decoder"));
    assert_true(is_mine("json.dec*", json, "json.decoder"));
    assert_true(is_mine("json/*.py", json, "json.decoder"));
    assert_true(is_mine("json/decoder.py", json, "json.decoder"));
    assert_true(is_mine("/opt/py", json, "json.decoder"));
    assert_true(is_mine("json", json, NULL));
    assert_true(is_mine("json.decoder", json, NULL));
    assert_false(is_mine("js", json, "json.decoder"));
    assert_false(is_mine("py/lib", "/me/py/library/a.py", "a"));
    assert_false(is_mine("json", "/me/solver.py", "__main__"));
    assert_false(is_mine("json", "/me/solver.py", NULL));
    assert_true(is_mine("+json", "/me/solver.py", "__main__"));
    assert_true(is_mine("+json", json, "json.decoder"));
    assert_false(is_mine("+json", "/opt/py/lib/python3.12/os.py", "os"));
    assert_true(is_mine("__main__", "<string>", "__main__"));
    assert_true(is_mine("", "/me/solver.py", "__main__"));
}

int main(void) {
    return RUN_TESTS(test_files, test_folders, test_strings, test_importlib, test_patterns);
}
