/* What `pinsight ctl` asks of a process: lines, escapes, and every kind of request. */
#include "unit.h"

#include "base/ctl.h"
#include "base/pairs.h"
#include "base/words.h"
#include "tracer/core/request.h"

static struct pinsight_domain python = {.name = "Python"};
static struct pinsight_domain other = {.name = "Other"};
static struct pinsight_request request;
static char error[512];

static bool reads(const char *text) {
    char packet[PINSIGHT_CTL_MAX];
    size_t length = strlen(text);

    memcpy(packet, text, length);
    error[0] = '\0';
    return pinsight_request_read(packet, length, &request, error, sizeof error);
}

static void lines_are_read_as_they_were_written(void **state) {
    struct pinsight_pairs_writer writer;
    struct pinsight_pairs_reader reader;
    const char *key, *value;
    char text[64];

    (void)state;
    pinsight_pairs_write(&writer, text, sizeof text);
    pinsight_pairs_put(&writer, "a", "%s", "x y\n\\z\\n");
    pinsight_pairs_put(&writer, "empty", "%s", "");
    assert_string_equal(text, "a x y\\n\\\\z\\\\n\nempty \n");
    assert_false(writer.full);
    pinsight_pairs_put(&writer, "long", "%064d", 1);
    assert_true(writer.full); /* and left out whole */
    pinsight_pairs_put(&writer, "b", "%d", 7);
    pinsight_pairs_read(&reader, text, writer.used);
    assert_true(pinsight_pairs_next(&reader, &key, &value));
    assert_string_equal(key, "a");
    assert_string_equal(value, "x y\n\\z\\n");
    assert_true(pinsight_pairs_next(&reader, &key, &value));
    assert_string_equal(key, "empty");
    assert_string_equal(value, "");
    assert_true(pinsight_pairs_next(&reader, &key, &value));
    assert_string_equal(key, "b");
    assert_string_equal(value, "7");
    assert_false(pinsight_pairs_next(&reader, &key, &value));
}

static void names_of_sockets(void **state) {
    (void)state;
    assert_int_equal(pinsight_ctl_name_pid("pinsight-ctl/4711/0123abcd"), 4711);
    assert_int_equal(pinsight_ctl_name_pid("pinsight-ctl/2147483647/00000000"), 2147483647);
    static const char *const others[] = {
        "",
        "pinsight-ctl/",
        "pinsight-ctl//0123abcd",
        "pinsight-ctl/4711",
        "pinsight-ctl/4711/0123abc",
        "pinsight-ctl/4711/0123abcde",
        "pinsight-ctl/4711/0123ABCD",
        "pinsight-ctl/-4711/0123abcd",
        "pinsight-ctl/47x/0123abcd",
        "pinsight-ctl/99999999999/0123abcd",
        "/run/pinsight-ctl/4711/0123abcd",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(pinsight_ctl_name_pid(others[i]), 0);
}

static void requests_without_more(void **state) {
    (void)state;
    assert_true(reads("status\nid 7\n"));
    assert_int_equal(request.verb, PINSIGHT_REQUEST_STATUS);
    assert_string_equal(request.id, "7");
    assert_true(reads("resume"));
    assert_int_equal(request.verb, PINSIGHT_REQUEST_RESUME);
    static const struct pinsight_name_value orders[] = {
        {"reload", PINSIGHT_ORDER_RELOAD},
        {"stop\n", PINSIGHT_ORDER_STOP},
        {"define", PINSIGHT_ORDER_DEFINE},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        assert_true(reads(orders[i].name));
        assert_int_equal(request.verb, PINSIGHT_REQUEST_ORDER);
        assert_int_equal(request.order.kind, orders[i].value);
        assert_string_equal(request.order.reason, "ctl");
        assert_int_equal(request.wait_ms, 2000);
        assert_string_equal(request.id, "");
    }
    assert_true(reads("reload\nwait 0\n"));
    assert_int_equal(request.wait_ms, 0);
}

static void modes(void **state) {
    (void)state;
    assert_true(reads("mode\nmode python=standby\nmode Other=OFF\nwait 600000\nid a b\n"));
    assert_int_equal(request.order.kind, PINSIGHT_ORDER_MODE);
    assert_int_equal(request.order.mode_count, 2);
    assert_ptr_equal(request.order.modes[0].domain, &python);
    assert_int_equal(request.order.modes[0].mode, PINSIGHT_MODE_STANDBY);
    assert_ptr_equal(request.order.modes[1].domain, &other);
    assert_int_equal(request.order.modes[1].mode, PINSIGHT_MODE_OFF);
    assert_string_equal(request.id, "a b");
}

static void introspections(void **state) {
    const struct pinsight_introspection *how = &request.order.introspection;

    (void)state;
    pinsight_set_mode("Python", PINSIGHT_MODE_MONITORING);
    assert_true(reads("introspect"));
    assert_int_equal(request.order.kind, PINSIGHT_ORDER_INTROSPECT);
    assert_true(how->pause_ns == 0);
    assert_string_equal(how->script, "");
    assert_ptr_equal(how->domain, &python);
    assert_int_equal(how->after, PINSIGHT_MODE_MONITORING); /* as it is */
    assert_string_equal(how->cause, "ctl");

    assert_true(reads("introspect\npause 1.5\nscript /a\\n\\\\b c\nafter tracing\ndomain Other\n"));
    assert_true(how->pause_ns == 1500000000);
    assert_string_equal(how->script, "/a\n\\b c");
    assert_ptr_equal(how->domain, &other);
    assert_int_equal(how->after, PINSIGHT_MODE_TRACING);

    static const struct {
        const char *text;
        int64_t ns;
    } pauses[] = {
        {"-1", -1},
        {"0", 0},
        {"0.000000001", 1},
        {"0.0000000019", 1},
        {"1000000000", INT64_C(1000000000000000000)},
    };
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        char text[64];
        snprintf(text, sizeof text, "introspect\npause %s\n", pauses[i].text);
        assert_true(reads(text));
        assert_true(how->pause_ns == pauses[i].ns);
    }
}

static void mistakes(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the request is empty"},
        {"\n\n", "the request is empty"},
        {"statsu", "this process does not know the request 'statsu'; is it of another version of "
                   "PInsight?"},
        {"status now", "this process does not know the request 'status'; is it of another version "
                       "of PInsight?"},
        {"status\nmode Python=OFF",
         "this process does not know 'mode' here; is it of another version of PInsight?"},
        {"reload\npause 1",
         "this process does not know 'pause' here; is it of another version of PInsight?"},
        {"mode", "which mode? The request names none"},
        {"mode\nmode Python", "'Python' is not DOMAIN=MODE"},
        {"mode\nmode =OFF", "'=OFF' is not DOMAIN=MODE"},
        {"mode\nmode MPI=OFF", "this process has no domain 'MPI'; it has Python, Other"},
        {"mode\nmode Python=ON", "'ON' is no mode; there are OFF, STANDBY, MONITORING and TRACING"},
        {"mode\nmode Python=OFF\nmode python=OFF", "the domain 'Python' stands here twice"},
        {"introspect\nscript look.sh",
         "the script 'look.sh' has no whole path, or one that is too long"},
        {"introspect\npause -2",
         "'-2' is no pause; it is seconds from 0 to 1000000000, or -1 for no limit"},
        {"introspect\npause 1e3",
         "'1e3' is no pause; it is seconds from 0 to 1000000000, or -1 for no limit"},
        {"introspect\npause 1.",
         "'1.' is no pause; it is seconds from 0 to 1000000000, or -1 for no limit"},
        {"introspect\nafter x", "'x' is no mode; there are OFF, STANDBY, MONITORING and TRACING"},
        {"introspect\ndomain x", "this process has no domain 'x'; it has Python, Other"},
        {"stop\nwait long", "'long' is no number of milliseconds to wait"},
        {"stop\nwait 600001", "'600001' is no number of milliseconds to wait"},
        {"stop\nid 0123456789012345678901234567890", "the id '0123456789012345678901234567890' is "
                                                     "too long"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (reads(cases[i].text))
            fail_msg("taken: %s", cases[i].text);
        assert_string_equal(error, cases[i].message);
    }
    assert_false(reads("nothing\nid 9\n"));
    assert_string_equal(request.id, "9"); /* so that the answer finds its question */
}

static void long_paths(void **state) {
    static char text[PATH_MAX + 64];

    (void)state;
    strcpy(text, "introspect\nscript /");
    memset(text + strlen(text), 'a', PATH_MAX - 2);
    assert_true(reads(text));
    strcat(text, "a");
    assert_false(reads(text));
}

int main(void) {
    pinsight_domain_register(&python);
    pinsight_domain_register(&other);
    return RUN_TESTS(lines_are_read_as_they_were_written, names_of_sockets, requests_without_more,
                     modes, introspections, mistakes, long_paths);
}
