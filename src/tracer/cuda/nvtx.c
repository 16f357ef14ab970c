/*
 * NVTX: ranges and marks of the program become regions and marks. At its first call, each library
 * that is built with NVTX's headers opens the library in NVTX_INJECTION64_PATH and lets it put
 * functions into tables. That needs neither CUDA nor a driver.
 *
 * The functions keep NVTX's contract in any mode: handles are always made, and ranges that are not
 * counted are reported as such.
 */
#include "tracer/cuda/nvtx_abi.h"

#include "tracer/core/info.h"
#include "tracer/core/thread.h"
#include "tracer/core/user.h"
#include "tracer/cuda/domain.h"
#include "tracer/cuda/nvtx_name.h"
#include "tracer/cuda/nvtx_thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef const struct pinsight_nvtx_name *handle;

static bool records(void) {
    struct pinsight_calls *cuda = &pinsight_cuda_domain;
    return pinsight_domain_mode(&cuda->domain) == PINSIGHT_MODE_TRACING &&
           pinsight_kind_is_on(&cuda->native.engine, PINSIGHT_CUDA_KIND_NVTX);
}

/* Records an event, in a thread that the domain knows, and adds it to the domain's account. */
#define RECORD(record)                                                                             \
    do {                                                                                           \
        if (pinsight_calls_can_record(&pinsight_cuda_domain)) {                                    \
            record;                                                                                \
            pinsight_calls_recorded(&pinsight_cuda_domain);                                        \
        }                                                                                          \
    } while (0)

static struct pinsight_nvtx_message ascii(const char *text) {
    return (struct pinsight_nvtx_message){PINSIGHT_NVTX_MESSAGE_ASCII, text};
}

static struct pinsight_nvtx_message wide(const wchar_t *text) {
    return (struct pinsight_nvtx_message){PINSIGHT_NVTX_MESSAGE_WIDE, text};
}

/* Returns the message of an event, if its struct is large enough to have one. */
static struct pinsight_nvtx_message message_of(const struct pinsight_nvtx_attributes *attributes) {
    if (!attributes || attributes->size < sizeof *attributes)
        return (struct pinsight_nvtx_message){PINSIGHT_NVTX_MESSAGE_NONE, NULL};
    return (struct pinsight_nvtx_message){attributes->message_type, attributes->message.ascii};
}

/* Defines a function of NVTX for each kind of message, by a function for a domain and any
 * message. */
#define OF_EACH_KIND(type, function)                                                               \
    static type function##_ex(const struct pinsight_nvtx_attributes *attributes) {                 \
        return function(NULL, message_of(attributes));                                             \
    }                                                                                              \
    static type function##_a(const char *text) {                                                   \
        return function(NULL, ascii(text));                                                        \
    }                                                                                              \
    static type function##_w(const wchar_t *text) {                                                \
        return function(NULL, wide(text));                                                         \
    }                                                                                              \
    static type domain_##function##_ex(handle domain,                                              \
                                       const struct pinsight_nvtx_attributes *attributes) {        \
        return function(domain, message_of(attributes));                                           \
    }

/* ---- ranges of a thread ---- */

static int push(handle domain, struct pinsight_nvtx_message message) {
    const char *name;
    bool is_on = records();
    if (!is_on && !pinsight_nvtx_thread)
        return PINSIGHT_NVTX_NO_COUNT;
    int error = errno;
    int level = pinsight_nvtx_push(domain, &message, is_on, &name);
    if (name)
        RECORD(pinsight_region_begin(name));
    errno = error;
    return level;
}

static int pop(handle domain) {
    const char *name;
    if (!pinsight_nvtx_thread)
        return PINSIGHT_NVTX_NO_COUNT;
    int error = errno;
    int level = pinsight_nvtx_pop(domain, &name);
    if (name)
        RECORD(pinsight_region_end(name));
    errno = error;
    return level;
}

static int pop_any(void) {
    return pop(NULL);
}

OF_EACH_KIND(int, push)

/* ---- ranges of the process ---- */

static uint64_t start(handle domain, struct pinsight_nvtx_message message) {
    static _Atomic uint64_t last;
    char room[PINSIGHT_NVTX_NAME_MAX];
    if (!records())
        return 0;
    int error = errno;
    uint64_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    RECORD(pinsight_range_begin(id, pinsight_nvtx_event_name(domain, &message, room)));
    errno = error;
    return id;
}

OF_EACH_KIND(uint64_t, start)

/* Ends a range, even if nothing is recorded any more, because its begin was recorded. */
static void end(uint64_t id) {
    int error = errno;
    if (id)
        RECORD(pinsight_range_end(id));
    errno = error;
}

static void domain_end(handle domain, uint64_t id) {
    (void)domain;
    end(id);
}

/* ---- marks ---- */

static void mark(handle domain, struct pinsight_nvtx_message message) {
    char room[PINSIGHT_NVTX_NAME_MAX];
    if (!records())
        return;
    int error = errno;
    RECORD(pinsight_mark(pinsight_nvtx_event_name(domain, &message, room)));
    errno = error;
}

OF_EACH_KIND(void, mark)

/* ---- names ---- */

/* Names the calling thread. Only the thread itself may change its name. */
static void name_thread(uint32_t tid, struct pinsight_nvtx_message message) {
    char room[PINSIGHT_NVTX_NAME_MAX];
    if (!records() || tid != (uint32_t)syscall(SYS_gettid))
        return;
    int error = errno;
    struct pinsight_core_thread *thread = pinsight_thread_get();
    const char *name = pinsight_nvtx_event_name(NULL, &message, room);
    if (thread && *name)
        pinsight_info_thread(thread, name);
    errno = error;
}

static void name_thread_a(uint32_t tid, const char *text) {
    name_thread(tid, ascii(text));
}

static void name_thread_w(uint32_t tid, const wchar_t *text) {
    name_thread(tid, wide(text));
}

static handle make_name(handle domain, struct pinsight_nvtx_message message) {
    int error = errno;
    handle name = pinsight_nvtx_name(domain, &message);
    errno = error;
    return name;
}

static handle register_a(handle domain, const char *text) {
    return make_name(domain, ascii(text));
}

static handle register_w(handle domain, const wchar_t *text) {
    return make_name(domain, wide(text));
}

static handle create_a(const char *text) {
    return make_name(NULL, ascii(text));
}

static handle create_w(const wchar_t *text) {
    return make_name(NULL, wide(text));
}

/* ---- tables for NVTX ---- */

#define SLOT(number, function) [number] = (pinsight_nvtx_function)(function)

static const pinsight_nvtx_function core[] = {
    SLOT(PINSIGHT_NVTX_MARK_EX, mark_ex),
    SLOT(PINSIGHT_NVTX_MARK_A, mark_a),
    SLOT(PINSIGHT_NVTX_MARK_W, mark_w),
    SLOT(PINSIGHT_NVTX_RANGE_START_EX, start_ex),
    SLOT(PINSIGHT_NVTX_RANGE_START_A, start_a),
    SLOT(PINSIGHT_NVTX_RANGE_START_W, start_w),
    SLOT(PINSIGHT_NVTX_RANGE_END, end),
    SLOT(PINSIGHT_NVTX_RANGE_PUSH_EX, push_ex),
    SLOT(PINSIGHT_NVTX_RANGE_PUSH_A, push_a),
    SLOT(PINSIGHT_NVTX_RANGE_PUSH_W, push_w),
    SLOT(PINSIGHT_NVTX_RANGE_POP, pop_any),
    SLOT(PINSIGHT_NVTX_NAME_OS_THREAD_A, name_thread_a),
    SLOT(PINSIGHT_NVTX_NAME_OS_THREAD_W, name_thread_w),
};

static const pinsight_nvtx_function core2[] = {
    SLOT(PINSIGHT_NVTX_DOMAIN_MARK_EX, domain_mark_ex),
    SLOT(PINSIGHT_NVTX_DOMAIN_RANGE_START_EX, domain_start_ex),
    SLOT(PINSIGHT_NVTX_DOMAIN_RANGE_END, domain_end),
    SLOT(PINSIGHT_NVTX_DOMAIN_RANGE_PUSH_EX, domain_push_ex),
    SLOT(PINSIGHT_NVTX_DOMAIN_RANGE_POP, pop),
    SLOT(PINSIGHT_NVTX_DOMAIN_REGISTER_STRING_A, register_a),
    SLOT(PINSIGHT_NVTX_DOMAIN_REGISTER_STRING_W, register_w),
    SLOT(PINSIGHT_NVTX_DOMAIN_CREATE_A, create_a),
    SLOT(PINSIGHT_NVTX_DOMAIN_CREATE_W, create_w),
};

static void fill(const struct pinsight_nvtx_callbacks *callbacks, enum pinsight_nvtx_module module,
                 const pinsight_nvtx_function *functions, unsigned count) {
    pinsight_nvtx_function **table = NULL;
    unsigned size = 0;
    if (!callbacks->module_table((int)module, &table, &size) || !table)
        return;
    for (unsigned i = 0; i < count && i < size; i++)
        if (functions[i] && table[i])
            *table[i] = functions[i];
}

/* Called by each library with NVTX, at its first call. Returns 1; after 0 the library would close
 * this one while others use it. */
PINSIGHT_API int InitializeInjectionNvtx2(pinsight_nvtx_get_table get);
int InitializeInjectionNvtx2(pinsight_nvtx_get_table get) {
    int error = errno;
    const struct pinsight_nvtx_callbacks *callbacks = get(PINSIGHT_NVTX_TABLE_CALLBACKS);
    const struct pinsight_nvtx_version *version = get(PINSIGHT_NVTX_TABLE_VERSION);
    if (!callbacks || callbacks->struct_size < sizeof *callbacks || pinsight_cuda_register() != 0)
        return 1;
    errno = error;
    if (version && version->struct_size >= sizeof *version)
        version->set_tools(PINSIGHT_NVTX_VERSION);
    fill(callbacks, PINSIGHT_NVTX_CORE, core, sizeof core / sizeof *core);
    fill(callbacks, PINSIGHT_NVTX_CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}

/* ---- extensions ---- */

/* Payloads are ignored. These functions keep pushes and pops in step. */
static void mark_payload(handle domain, const void *payload, size_t count) {
    (void)payload, (void)count;
    mark(domain, message_of(NULL));
}

static int push_payload(handle domain, const void *payload, size_t count) {
    (void)payload, (void)count;
    return push(domain, message_of(NULL));
}

static int pop_payload(handle domain, const void *payload, size_t count) {
    (void)payload, (void)count;
    return pop(domain);
}

static uint64_t start_payload(handle domain, const void *payload, size_t count) {
    (void)payload, (void)count;
    return start(domain, message_of(NULL));
}

static void end_payload(handle domain, uint64_t id, const void *payload, size_t count) {
    (void)domain, (void)payload, (void)count;
    end(id);
}

/* Always true: a program asks only once, and the mode may change. */
static uint8_t is_enabled(handle domain) {
    (void)domain;
    return 1;
}

static const pinsight_nvtx_function payload[] = {
    SLOT(PINSIGHT_NVTX_MARK_PAYLOAD, mark_payload),
    SLOT(PINSIGHT_NVTX_RANGE_PUSH_PAYLOAD, push_payload),
    SLOT(PINSIGHT_NVTX_RANGE_POP_PAYLOAD, pop_payload),
    SLOT(PINSIGHT_NVTX_RANGE_START_PAYLOAD, start_payload),
    SLOT(PINSIGHT_NVTX_RANGE_END_PAYLOAD, end_payload),
    SLOT(PINSIGHT_NVTX_DOMAIN_IS_ENABLED, is_enabled),
};

/* Called for NVTX's extensions. A program may ask the extension for payloads whether a domain is
 * enabled. Python's package nvtx does, and marks nothing in a disabled domain. */
PINSIGHT_API int InitializeInjectionNvtxExtension(struct pinsight_nvtx_extension *extension);
int InitializeInjectionNvtxExtension(struct pinsight_nvtx_extension *extension) {
    if (extension->module != PINSIGHT_NVTX_PAYLOAD_MODULE || extension->segment_count == 0 ||
        pinsight_cuda_register() != 0)
        return 1;
    const struct pinsight_nvtx_segment *segment = &extension->segments[0];
    for (size_t i = 0; i < sizeof payload / sizeof *payload && i < segment->slot_count; i++)
        if (payload[i])
            segment->slots[i] = (intptr_t)payload[i];
    return 1;
}
