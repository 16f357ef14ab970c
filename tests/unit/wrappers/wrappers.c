/* The rounds in which every wrapper is called; see wrappers.h. */
#include "wrappers.h"

#include "recorder.h"
#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/mpi/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pinsight_mpi_start(const struct pinsight_mpi_shim *shim);

const struct round *now;
bool wrappers_ever[FUNCTIONS];
struct pinsight_mpi_shim wrappers_shim;

#define INTRA HANDLE(MPI_Comm, 0x501)
#define INTER HANDLE(MPI_Comm, 0x502)

/* ---- rounds ---- */

static struct round usual(const char *name) {
    return (struct round){
        .name = name,
        .mode = PINSIGHT_MODE_TRACING,
        .listens = true,
        .result = MPI_SUCCESS,
        .comm = INTRA,
        .root = 3,
        .peer = 2,
        .source = 4,
        .tag = 17,
        .recvtag = 18,
        .count = 7,
        .requests = 3,
        .flag = true,
        .op = MPI_SUM,
    };
}

static void in_round(const struct round *round) {
    const struct pinsight_order change = {.kind = PINSIGHT_ORDER_MODE,
                                          .reason = "ctl",
                                          .mode_count = 1,
                                          .modes = {{&pinsight_mpi_domain, round->mode}}};
    struct pinsight_answer answer;
    recorder_listen(round->listens);
    pinsight_control_ask(&change, 0, &answer);
    if (answer.failed)
        fail_msg("%s", answer.message);
    now = round;
    for (unsigned i = 0; i < tested_count; i++)
        if (!wrappers_model_of(now->comm)->remote || !strcasestr(tested[i].name, "neighbor"))
            tested[i].call();
}

static void arguments_and_results(void **state) {
    (void)state;
    struct round round = usual("this rank is the root");
    in_round(&round);
    round.in_place = true;
    round.name = "in place";
    in_round(&round);
}

static void another_root(void **state) {
    (void)state;
    struct round round = usual("another rank is the root, and nothing is sent");
    round.root = 0;
    round.peer = round.source = MPI_PROC_NULL;
    round.ignore = true;
    round.op = MPI_NO_OP;
    in_round(&round);
    round.name = "in place at all ranks, from any";
    round.in_place = true;
    round.source = MPI_ANY_SOURCE;
    round.recvtag = MPI_ANY_TAG;
    in_round(&round);
}

static void two_groups(void **state) {
    (void)state;
    struct round round = usual("this rank is the root of another group");
    round.comm = INTER;
    round.root = MPI_ROOT;
    in_round(&round);
    round.name = "the root is in this rank's group";
    round.root = MPI_PROC_NULL;
    in_round(&round);
    round.name = "the root is in the other group";
    round.root = 5;
    in_round(&round);
}

static void counts(void **state) {
    (void)state;
    struct round round = usual("nothing, on MPI_COMM_WORLD");
    round.comm = MPI_COMM_WORLD;
    round.root = 1;
    round.count = 0;
    round.requests = 1;
    in_round(&round);
    round.name = "many requests";
    round.requests = MOST_REQUESTS;
    in_round(&round);
    round.name = "many requests, no statuses";
    round.ignore = true;
    in_round(&round);
}

static void errors(void **state) {
    (void)state;
    struct round round = usual("an error");
    round.result = MPI_ERR_OTHER;
    in_round(&round);
    round.name = "an error, no statuses, a negative count";
    round.ignore = true;
    round.count = -1;
    in_round(&round);
}

static void nothing_yet(void **state) {
    (void)state;
    struct round round = usual("tests say no");
    round.flag = false;
    in_round(&round);
    round.name = "tests say no, many requests, no statuses";
    round.requests = MOST_REQUESTS;
    round.ignore = true;
    in_round(&round);
}

static void modes(void **state) {
    (void)state;
    for (enum pinsight_mode mode = PINSIGHT_MODE_OFF; mode <= PINSIGHT_MODE_TRACING; mode++)
        for (int listens = 0; listens < 2; listens++) {
            char name[64];
            snprintf(name, sizeof name, "mode %s, %s", pinsight_mode_name(mode),
                     listens ? "listened to" : "nobody listens");
            struct round round = usual(name);
            round.mode = mode;
            round.listens = listens;
            in_round(&round);
            round.ignore = true;
            in_round(&round);
        }
}

/* By name, where there are any; see tests/integration/test_mpi_suite.py for a library that is one.
 */
/* Another datatype may get the handle of one that is not predefined. */
static void sizes_of_predefined_datatypes_are_asked_once(void **state) {
    (void)state;
#ifdef OPEN_MPI
    for (unsigned predefined = 0; predefined < 2; predefined++) {
        MPI_Datatype type = HANDLE(MPI_Datatype, (predefined ? PREDEFINED : 0) + 0x540);
        unsigned before = wrappers_sizes_asked;
        for (int i = 0; i < 3; i++)
            assert_int_equal(pinsight_mpi_size_of(type), 8);
        assert_int_equal(wrappers_sizes_asked - before, predefined ? 1 : 3);
    }
#endif
}

/* A handle may be reused, and is then another object. */
static void objects_have_numbers_of_their_own(void **state) {
    struct pinsight_mpi_object_kind *kind = &pinsight_mpi_files;
    const uint64_t handle = 0x5f00;
    uint32_t last = 0;
    (void)state;
    for (int i = 0; i < 3; i++) {
        uint32_t number = pinsight_mpi_object_made(kind, handle, 1, "data");
        assert_true(number > last);
        assert_int_equal(pinsight_mpi_object_of(kind, handle), number);
        pinsight_mpi_object_freed(kind, handle);
        assert_int_equal(pinsight_mpi_object_of(kind, handle), 0);
        last = number;
    }
}

static void every_function_was_called(void **state) {
    (void)state;
    unsigned called = 0;
    for (unsigned i = 0; i < pinsight_mpi_wrapper_count; i++) {
        if (wrappers_ever[i])
            called++;
        else
            print_error("not called: %s\n", wrappers_shim.names[i]);
    }
    print_message("%u of %zu wrappers were called\n", called, pinsight_mpi_wrapper_count);
    assert_int_equal(called, pinsight_mpi_wrapper_count);
}

/* ---- start ---- */

static void objects_loaded(void) {
}

static int start(void **state) {
    static const char *names[FUNCTIONS];
    static void *_Atomic targets[FUNCTIONS];
    static void *next[FUNCTIONS];
    static char path[] = "/tmp/pinsight-wrappers-XXXXXX";
    static const char text[] = "[MPI]\nevents = p2p, collective, completion, one_sided, io, comm, "
                               "datatype, environment\n";
    (void)state;
    int file = mkstemp(path);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text) || close(file) != 0)
        return -1;
    setenv("PINSIGHT_CONFIG", path, 1);
    recorder_listen(true);
    for (unsigned i = 0; i < tested_count; i++) {
        names[i] = tested[i].name;
        next[i] = tested[i].behind;
    }
    wrappers_shim = (struct pinsight_mpi_shim){.count = tested_count,
                                               .names = names,
                                               .targets = targets,
                                               .next = next,
                                               .find = wrappers_find,
                                               .loaded = objects_loaded};
    int failed = pinsight_mpi_start(&wrappers_shim);
    unlink(path);
    return failed;
}

int main(void) {
    return RUN_TESTS_GROUP(start, NULL, arguments_and_results, another_root, two_groups, counts,
                           errors, nothing_yet, modes, sizes_of_predefined_datatypes_are_asked_once,
                           objects_have_numbers_of_their_own, every_function_was_called);
}
