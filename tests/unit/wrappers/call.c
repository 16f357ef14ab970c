/* A call: what is given and arrives, what comes back, and what was recorded of it; see wrappers.h.
 */
#include "wrappers.h"

#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 16, ROOMS = 16 };

static const char *name_of; /* the function that is called */

#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            print_error("%s, %s: ", now->name, name_of);                                           \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

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

void begins(const char *name) {
    name_of = name;
    recorder_clear();
    if (!atomic_load(&pinsight_mpi_is_ready))
        pinsight_mpi_initialized();
    wrappers_expected_comm = pinsight_mpi_comm_look(PINSIGHT_MPI_HANDLE(now->comm))->id;
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
    wrappers_ever[number] = true;
    return atomic_load(&wrappers_shim.targets[number]);
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
