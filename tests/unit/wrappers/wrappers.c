/* The rounds in which every wrapper is called, and the library that is none; see wrappers.h. */
#include "wrappers.h"

#include "core/control.h"
#include "core/mode.h"
#include "domains/mpi/settings.h"
#include "domains/mpi/shim.h"
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pinsight_mpi_start(const struct pinsight_mpi_shim *shim);

enum { ARGUMENTS = 16, FUNCTIONS = 1000, MOST_REQUESTS = 9, ROOMS = 16 };

const struct round *now;
static const char *name_of; /* the function that is called */
static bool ever[FUNCTIONS];

#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            print_error("%s, %s: ", now->name, name_of);                                           \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

/* ---- communicators ---- */

static const struct model {
    unsigned handle;
    int size, rank, remote;
} models[] = {{0, 4, 1, 0}, {0x501, 5, 3, 0}, {0x502, 3, 1, 6}};
#define INTRA HANDLE(MPI_Comm, 0x501)
#define INTER HANDLE(MPI_Comm, 0x502)

static const struct model *model_of(MPI_Comm comm) {
    for (size_t i = 1; i < sizeof models / sizeof *models; i++)
        if (comm == HANDLE(MPI_Comm, models[i].handle))
            return &models[i];
    return &models[0];
}

int own_rank(void) {
    return model_of(now->comm)->rank;
}

int own_ranks(void) {
    return model_of(now->comm)->size;
}

int ranks(void) {
    const struct model *model = model_of(now->comm);
    return model->remote ? model->remote : model->size;
}

bool is_root(void) {
    return model_of(now->comm)->remote ? now->root == MPI_ROOT : now->root == own_rank();
}

bool is_member(void) {
    return !model_of(now->comm)->remote || now->root >= 0;
}

static uint64_t numbers = 0x10000;

uint64_t fresh(void) {
    return numbers += 16;
}

static int64_t expected_comm;

MPI_Comm comm_to_free(void) {
    uint64_t handle = fresh();
    expected_comm = pinsight_mpi_comm_look(handle)->id;
    return HANDLE(MPI_Comm, handle);
}

int64_t comm_number(void) {
    return expected_comm;
}

/* ---- the library's queries ---- */

static int says_rank(MPI_Comm comm, int *rank) {
    *rank = model_of(comm)->rank;
    return MPI_SUCCESS;
}
static int says_size(MPI_Comm comm, int *size) {
    *size = model_of(comm)->size;
    return MPI_SUCCESS;
}
static int says_remote_size(MPI_Comm comm, int *size) {
    *size = model_of(comm)->remote;
    return MPI_SUCCESS;
}
static int says_inter(MPI_Comm comm, int *flag) {
    *flag = model_of(comm)->remote > 0;
    return MPI_SUCCESS;
}
static int says_name(MPI_Comm comm, char *name, int *length) {
    (void)comm;
    strcpy(name, "some");
    *length = 4;
    return MPI_SUCCESS;
}
/* A group is its size. */
static int says_group(MPI_Comm comm, MPI_Group *group) {
    *group = HANDLE(MPI_Group, model_of(comm)->size);
    return MPI_SUCCESS;
}
static int says_remote_group(MPI_Comm comm, MPI_Group *group) {
    *group = HANDLE(MPI_Group, model_of(comm)->remote);
    return MPI_SUCCESS;
}
static int says_group_size(MPI_Group group, int *size) {
    *size = (int)(uintptr_t)group;
    return MPI_SUCCESS;
}
static int translates(MPI_Group from, int count, const int ranks[], MPI_Group to, int out[]) {
    (void)from, (void)to;
    memcpy(out, ranks, (size_t)count * sizeof *out);
    return MPI_SUCCESS;
}
static int frees_group(MPI_Group *group) {
    (void)group;
    return MPI_SUCCESS;
}
static int says_topology(MPI_Comm comm, int *kind) {
    (void)comm;
    *kind = MPI_DIST_GRAPH;
    return MPI_SUCCESS;
}
static int says_neighbours(MPI_Comm comm, int *in, int *out, int *weighted) {
    (void)comm;
    *in = NEIGHBOURS_IN;
    *out = NEIGHBOURS_OUT;
    *weighted = 0;
    return MPI_SUCCESS;
}
static int says_yes(int *flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
static int says_no(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}
static int says_version(int *version, int *subversion) {
    *version = 3;
    *subversion = 1;
    return MPI_SUCCESS;
}
static int says_library(char *version, int *length) {
    strcpy(version, "none");
    *length = 4;
    return MPI_SUCCESS;
}
static int says_thread(int *level) {
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}
static int says_type_size(MPI_Datatype of, MPI_Count *size) {
    *size = (MPI_Count)((uintptr_t)of & 0xff) / 8;
    return MPI_SUCCESS;
}

static const struct query {
    const char *name;
    void *function;
} queries[] = {
    {"PMPI_Comm_rank", (void *)says_rank},
    {"PMPI_Comm_size", (void *)says_size},
    {"PMPI_Comm_remote_size", (void *)says_remote_size},
    {"PMPI_Comm_test_inter", (void *)says_inter},
    {"PMPI_Comm_get_name", (void *)says_name},
    {"PMPI_Comm_group", (void *)says_group},
    {"PMPI_Comm_remote_group", (void *)says_remote_group},
    {"PMPI_Group_size", (void *)says_group_size},
    {"PMPI_Group_translate_ranks", (void *)translates},
    {"PMPI_Group_free", (void *)frees_group},
    {"PMPI_Topo_test", (void *)says_topology},
    {"PMPI_Dist_graph_neighbors_count", (void *)says_neighbours},
    {"PMPI_Initialized", (void *)says_yes},
    {"PMPI_Finalized", (void *)says_no},
    {"PMPI_Get_version", (void *)says_version},
    {"PMPI_Get_library_version", (void *)says_library},
    {"PMPI_Query_thread", (void *)says_thread},
    {"PMPI_Type_size_x", (void *)says_type_size},
};

static void *find(const char *name) {
    static char objects[64][8] __attribute__((aligned(16)));
    static const char *names[64];
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (strcmp(name, queries[i].name) == 0)
            return queries[i].function;
    for (int i = 0; i < 64; i++) {
        if (!names[i])
            names[i] = name;
        if (strcmp(names[i], name) == 0)
            return objects[i]; /* or a query that is not asked here */
    }
    abort();
}

/* ---- what is given ---- */

/* Sizes of 1 to 24 bytes; predefined types, whose size MPICH's handles tell, and others. */
MPI_Datatype type(unsigned number) {
#ifdef MPICH_VERSION
    if (number % 2 == 0)
        return HANDLE(MPI_Datatype, 0x4c000000 | (1 + number % 8) << 8);
#endif
    return HANDLE(MPI_Datatype, 0x8c000000 | (1 + number % 24) * 8);
}

uint64_t size_of(MPI_Datatype of) {
    uintptr_t handle = (uintptr_t)of & 0xffffffff;
    return handle >> 30 == 1 ? (handle & 0xff00) >> 8 : (handle & 0xff) / 8;
}

MPI_Count many(void) {
    return now->count > 0 ? (MPI_Count)now->count << 33 : now->count;
}

static void *rooms[ROOMS];
static int rooms_used;

void *room(size_t size) {
    assert_true(rooms_used < ROOMS);
    void *made = malloc(size);
    assert_non_null(made);
    return rooms[rooms_used++] = made;
}

MPI_Win known_win(void) {
    uint64_t handle = fresh();
    pinsight_mpi_object_made(&pinsight_mpi_wins, handle, 1, NULL);
    return HANDLE(MPI_Win, handle);
}

MPI_File known_fh(void) {
    uint64_t handle = fresh();
    pinsight_mpi_object_made(&pinsight_mpi_files, handle, 1, "a file");
    return HANDLE(MPI_File, handle);
}

static uint64_t known[MOST_REQUESTS];
static int known_count;

MPI_Request request_there(bool persistent) {
    uint32_t how = PINSIGHT_MPI_STARTS_RECV | (persistent ? PINSIGHT_MPI_REQUEST_PERSISTENT : 0);
    uint64_t handle = known[known_count++] = fresh();
    pinsight_mpi_request_made(handle, how);
    return HANDLE(MPI_Request, handle);
}

MPI_Request *requests_to_wait_for(void) {
    return ARRAY(MPI_Request, now->requests, request_there(false));
}

int *indices(void) {
    return ARRAY(int, now->requests, -1);
}

MPI_Status statuses[MOST_REQUESTS];

/* ---- a call ---- */

static unsigned char given[ARGUMENTS][sizeof(void *)];
static unsigned given_count, arrived_count;
static int arrivals;
static uint64_t values[ARGUMENTS];
static unsigned values_set, values_seen;
static bool filled;
static struct pinsight_mpi_shim shim;

void begins(const char *name) {
    name_of = name;
    recorder_clear();
    if (!atomic_load(&pinsight_mpi_is_ready))
        pinsight_mpi_initialized();
    expected_comm = pinsight_mpi_comm_look(PINSIGHT_MPI_HANDLE(now->comm))->id;
    given_count = arrived_count = values_set = values_seen = 0;
    arrivals = 0;
    filled = false;
    memset(statuses, 0x55, sizeof statuses);
}

void gives(unsigned argument, const void *value, size_t size) {
    assert_true(argument == given_count && argument < ARGUMENTS && size <= sizeof *given);
    memset(given[argument], 0, sizeof *given);
    memcpy(given[argument], value, size);
    given_count++;
}

void *wrapper(unsigned number) {
    ever[number] = true;
    return atomic_load(&shim.targets[number]);
}

void arrived(unsigned number) {
    CHECK(strcmp(tested[number].name, name_of) == 0, "%s is called", tested[number].name);
    arrivals++;
}

void arrives(unsigned argument, const void *value, size_t size) {
    CHECK(memcmp(given[argument], value, size) == 0, "argument %u is another", argument + 1);
    arrived_count++;
}

static void fill(MPI_Status *status) {
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = STATUS_SOURCE;
    status->MPI_TAG = STATUS_TAG;
#ifdef MPICH_VERSION
    status->count_lo = STATUS_BYTES;
#else
    status->_ucount = STATUS_BYTES;
#endif
}

MPI_Status *status_arrives(unsigned argument, MPI_Status *status, int count) {
    MPI_Status *was;
    memcpy(&was, given[argument], sizeof was);
    CHECK(status == was || (now->ignore && status), "the status is another");
    arrived_count++;
    for (int i = 0; now->result == MPI_SUCCESS && status != MPI_STATUS_IGNORE && i < count; i++)
        fill(&status[i]);
    filled = now->result == MPI_SUCCESS;
    return status;
}

void sets(uint64_t value) {
    values[values_set++] = value;
}

void returned(int result) {
    CHECK(arrivals == 1, "the library's function is called %d times", arrivals);
    CHECK(arrived_count == given_count, "%u arguments of %u arrive", arrived_count, given_count);
    CHECK(result == now->result, "%d is returned, not %d", result, now->result);
}

void comes_back(uint64_t value, uint64_t before) {
    if (values_seen < values_set)
        CHECK(value == values[values_seen], "%#llx comes back, not %#llx",
              (unsigned long long)value, (unsigned long long)values[values_seen]);
    else
        CHECK(!before || value == before, "%#llx comes back, %#llx was there",
              (unsigned long long)value, (unsigned long long)before);
    values_seen++;
}

void status_comes_back(int count) {
    MPI_Status should;
    memset(&should, 0x55, sizeof should);
    if (filled && !now->ignore)
        fill(&should);
    for (int i = 0; i < count; i++)
        CHECK(memcmp(&statuses[i], &should, sizeof should) == 0, "status %d is another", i);
}

/* ---- what was recorded ---- */

static const struct recorded *at;

static const struct recorded *only(const char *edge) {
    char event[128];
    snprintf(event, sizeof event, "%s_%s", name_of, edge);
    const struct recorded *found = recorder_next(NULL, event);
    bool due = now->mode == PINSIGHT_MODE_TRACING && now->listens;
    CHECK(!found == !due, "%s is %srecorded", event, found ? "" : "not ");
    CHECK(!found || !recorder_next(found, event), "%s is recorded twice", event);
    return found;
}

bool was_recorded(const char *kind) {
    (void)kind;
    at = only("end");
    at = only("begin");
    if (!at)
        ends();
    return at != NULL;
}

void end_of_it(void) {
    at = only("end");
}

void field_is(const char *name, int64_t value) {
    int64_t is = (int64_t)recorder_field(at, name);
    CHECK(is == value, "%s is %lld, not %lld", name, (long long)is, (long long)value);
}

void field_is_set(const char *name, bool set) {
    CHECK((recorder_field(at, name) != 0) == set, "%s is %sset", name, set ? "not " : "");
}

void completed(int count) {
    CHECK(recorder_count("request_complete") == (size_t)count, "%zu requests complete, not %d",
          recorder_count("request_complete"), count);
    for (at = NULL; (at = recorder_next(at, "request_complete"));) {
        field_is("source", STATUS_SOURCE);
        field_is("bytes", STATUS_BYTES);
        field_is_set("request", true);
    }
}

void ends(void) {
    while (rooms_used)
        free(rooms[--rooms_used]);
    while (known_count)
        pinsight_mpi_request_freed(known[--known_count]);
}

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
        if (!model_of(now->comm)->remote || !strcasestr(tested[i].name, "neighbor"))
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
static void every_function_was_called(void **state) {
    (void)state;
    unsigned called = 0;
    for (unsigned i = 0; i < pinsight_mpi_wrapper_count; i++) {
        if (ever[i])
            called++;
        else
            print_error("not called: %s\n", shim.names[i]);
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
    shim = (struct pinsight_mpi_shim){.count = tested_count,
                                      .names = names,
                                      .targets = targets,
                                      .next = next,
                                      .find = find,
                                      .loaded = objects_loaded};
    int failed = pinsight_mpi_start(&shim);
    unlink(path);
    return failed;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_and_results),
        cmocka_unit_test(another_root),
        cmocka_unit_test(two_groups),
        cmocka_unit_test(counts),
        cmocka_unit_test(errors),
        cmocka_unit_test(nothing_yet),
        cmocka_unit_test(modes),
        cmocka_unit_test(every_function_was_called),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
