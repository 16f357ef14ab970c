/*
 * What an interpreter once told of a program, given to the balance again without it. Each file of
 * the folder is one program: tests/tools/record_callbacks.py writes it, or a person does. A line is
 * one callback, or what the trace has to have afterwards:
 *
 *     # a remark
 *     config LINE                     a line of PInsight's configuration; all of them stand first
 *     greenlets                       the program has them
 *     mode MODE                       TRACING at the beginning
 *     start|resume|throw FUNCTION FRAME
 *     return|yield|unwind FUNCTION FRAME
 *     call|c_return|c_raise FUNCTION CALLEE FRAME
 *     calls NAME NUMBER               so many starts of the function, or calls of the callee
 *     lost NUMBER
 *     dropped NUMBER
 *
 * FRAME is a number for the interpreter's frame. A function whose name ends in `*` is a generator
 * or a coroutine. In every file the events have to be pairs, one within the other, and nothing may
 * stay open.
 */
#include "engine_test.h"
#include "tracer/python/stack_suspend.h"

#include "python_stub.h"

#include <dirent.h>

enum { NAMES = 256, FRAMES = 4096, CONFIG = 4096 };

static struct pinsight_python_thread *thread;
static struct pinsight_python_lexgion *known[NAMES];
static unsigned known_count;
static void *frames[FRAMES];

/* The file and the line that are read, for messages. */
static const char *file_name;
static unsigned line_number;

#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s:%u: %s", file_name, line_number, #condition);                             \
    } while (0)

static struct pinsight_python_lexgion *named(const char *name, bool is_c) {
    for (unsigned i = 0; i < known_count; i++)
        if (known[i]->is_c == is_c && strcmp(known[i]->name, name) == 0)
            return known[i];
    DEMAND(known_count < NAMES);
    struct pinsight_python_lexgion *made = stub_lexgion(is_c, name, is_c ? "c" : "main");
    DEMAND(made);
    made->is_generator = !is_c && name[strlen(name) - 1] == '*';
    return known[known_count++] = made;
}

static void *frame_of(const char *text) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    DEMAND(end != text && !*end && number < FRAMES);
    return &frames[number];
}

/* The index of a word in a list; -1 where it is not there. */
static int index_of(const char *word, const char *const *words) {
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static void replay_mode(const char *name) {
    static const char *const modes[] = {"OFF", "STANDBY", "MONITORING", "TRACING", NULL};
    static const enum pinsight_mode values[] = {PINSIGHT_MODE_OFF, PINSIGHT_MODE_STANDBY,
                                                PINSIGHT_MODE_MONITORING, PINSIGHT_MODE_TRACING};
    int mode = index_of(name, modes);
    DEMAND(mode >= 0);
    test_set_mode(&pinsight_python_domain, values[mode]);
    pinsight_python_catch_up();
    if (values[mode] < PINSIGHT_MODE_MONITORING)
        pinsight_stack_close_all();
}

/* Starts of a function, or calls of a callee, that are in the trace or were counted. */
static uint64_t calls_of(const char *name) {
    const struct {
        const char *event, *field;
        bool is_c;
    } kinds[] = {{"begin", "code_how", false}, {"c_begin", "callee_how", true}};
    uint64_t found = 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const struct recorded *at = NULL; (at = recorder_next(at, kinds[i].event));) {
            uint64_t value = recorder_field(at, kinds[i].field);
            for (unsigned j = 0; j < known_count && (value & 3) == 0; j++)
                found += known[j]->is_c == kinds[i].is_c && known[j]->state.id == value >> 2 &&
                         strcmp(known[j]->name, name) == 0;
        }
    return found;
}

/* One line of words; false where it is not known. */
static bool replay(char *const *words, unsigned count) {
    static const char *const begins[] = {"start", "resume", "throw", NULL};
    static const char *const ends[] = {"return", "yield", "unwind", NULL};
    static const char *const c_ends[] = {"c_return", "c_raise", NULL};
    int how;

    if (count == 3 && (how = index_of(words[0], begins)) >= 0)
        stub_begin(named(words[1], false), frame_of(words[2]), how);
    else if (count == 3 && (how = index_of(words[0], ends)) >= 0)
        stub_end(named(words[1], false), frame_of(words[2]), how);
    else if (count == 4 && strcmp(words[0], "call") == 0)
        stub_c_begin(named(words[1], false), named(words[2], true), frame_of(words[3]), 1);
    else if (count == 4 && (how = index_of(words[0], c_ends)) >= 0)
        stub_c_end(named(words[1], false), named(words[2], true), frame_of(words[3]), how);
    else if (count == 2 && strcmp(words[0], "mode") == 0)
        replay_mode(words[1]);
    else if (count == 1 && strcmp(words[0], "greenlets") == 0)
        stub_greenlets = true;
    else
        return false;
    return true;
}

/* What a file demands, once everything in it was replayed. */
static bool demanded(char *const *words, unsigned count, uint64_t lost, uint64_t dropped) {
    uint64_t number = count > 1 ? strtoull(words[count - 1], NULL, 10) : 0;
    if (count == 3 && strcmp(words[0], "calls") == 0) {
        if (calls_of(words[1]) != number)
            fail_msg("%s:%u: %s has %llu calls", file_name, line_number, words[1],
                     (unsigned long long)calls_of(words[1]));
    } else if (count == 2 && strcmp(words[0], "lost") == 0) {
        if (lost != number)
            fail_msg("%s:%u: %llu were lost", file_name, line_number, (unsigned long long)lost);
    } else if (count == 2 && strcmp(words[0], "dropped") == 0) {
        if (dropped != number)
            fail_msg("%s:%u: %llu were dropped", file_name, line_number,
                     (unsigned long long)dropped);
    } else
        return false;
    return true;
}

static void set_up_case(void) {
    test_configure("");
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_events(true, true, false, true);
    stub_greenlets = thread->is_out_of_range = thread->was_out_of_range = false;
    known_count = 0;
    recorder_clear();
}

static void take_down_case(void) {
    for (unsigned i = 0; i < known_count; i++) {
        DEMAND(known[i]->state.in_flight == 0);
        pinsight_lexgion_retire(&pinsight_python.engine, &known[i]->state);
    }
    pinsight_count_flush(&pinsight_python.engine);
}

static void replay_file(FILE *file) {
    char line[512], config[CONFIG] = "";
    uint64_t lost = thread->engine.lost_frames, dropped = thread->engine.dropped_ends;
    bool ended = false;

    set_up_case();
    for (line_number = 1; fgets(line, sizeof line, file); line_number++) {
        char *words[5], *rest = line;
        unsigned count = 0;
        if (strncmp(line, "config ", 7) == 0) {
            DEMAND(strlen(config) + strlen(line) < sizeof config);
            strcat(config, line + 7);
            test_configure(config);
            pinsight_python_catch_up();
            continue;
        }
        for (char *word; (word = strsep(&rest, " \n"));)
            if (*word && count < 5)
                words[count++] = word;
        if (count == 0 || *words[0] == '#' || replay(words, count))
            continue;
        if (!ended)
            pinsight_stack_close_all();
        ended = true;
        DEMAND(demanded(words, count, thread->engine.lost_frames - lost,
                        thread->engine.dropped_ends - dropped));
    }
    DEMAND(ended);
    recorder_check_pairs();
    take_down_case();
}

static void every_file(void **state) {
    (void)state;
    DIR *folder = opendir(CALLBACKS);
    unsigned files = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        char path[4096];
        if (length < 4 || strcmp(entry->d_name + length - 4, ".txt") != 0)
            continue;
        assert_true((size_t)snprintf(path, sizeof path, "%s/%s", CALLBACKS, entry->d_name) <
                    sizeof path);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        file_name = entry->d_name;
        replay_file(file);
        fclose(file);
        files++;
    }
    closedir(folder);
    assert_true(files > 0);
}

int main(void) {
    test_settings_start();
    thread = stub_start();
    if (!thread)
        return 1;
    int result = RUN_TESTS(every_file);
    free(thread->entries);
    pinsight_stack_suspended_free(thread);
    test_settings_end();
    return result;
}
