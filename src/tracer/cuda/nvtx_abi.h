/*
 * The part of the interface between NVTX 3 and a tool that PInsight uses. NVTX consists of headers:
 * each library that is built with them calls the tool itself. This is its binary interface, which
 * does not change. The names are PInsight's own.
 */
#ifndef PINSIGHT_DOMAINS_CUDA_NVTX_ABI_H
#define PINSIGHT_DOMAINS_CUDA_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* The result of a push or pop that is not counted. */
#define PINSIGHT_NVTX_NO_COUNT (-2)

enum { PINSIGHT_NVTX_VERSION = 3 };

/* ---- events ---- */

enum pinsight_nvtx_message_type {
    PINSIGHT_NVTX_MESSAGE_NONE = 0,
    PINSIGHT_NVTX_MESSAGE_ASCII = 1,
    PINSIGHT_NVTX_MESSAGE_WIDE = 2,
    PINSIGHT_NVTX_MESSAGE_REGISTERED = 3, /* a result of registering a string */
};

/* Later versions may add members; `size` is the size in bytes. */
struct pinsight_nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const void *registered;
    } message;
};

/* ---- a tool's functions ---- */

typedef void (*pinsight_nvtx_function)(void);

enum pinsight_nvtx_table_number {
    PINSIGHT_NVTX_TABLE_CALLBACKS = 1,
    PINSIGHT_NVTX_TABLE_VERSION = 3,
};

enum pinsight_nvtx_module { PINSIGHT_NVTX_CORE = 1, PINSIGHT_NVTX_CORE2 = 5 };

enum pinsight_nvtx_core {
    PINSIGHT_NVTX_MARK_EX = 1,
    PINSIGHT_NVTX_MARK_A,
    PINSIGHT_NVTX_MARK_W,
    PINSIGHT_NVTX_RANGE_START_EX,
    PINSIGHT_NVTX_RANGE_START_A,
    PINSIGHT_NVTX_RANGE_START_W,
    PINSIGHT_NVTX_RANGE_END,
    PINSIGHT_NVTX_RANGE_PUSH_EX,
    PINSIGHT_NVTX_RANGE_PUSH_A,
    PINSIGHT_NVTX_RANGE_PUSH_W,
    PINSIGHT_NVTX_RANGE_POP,
    PINSIGHT_NVTX_NAME_CATEGORY_A,
    PINSIGHT_NVTX_NAME_CATEGORY_W,
    PINSIGHT_NVTX_NAME_OS_THREAD_A,
    PINSIGHT_NVTX_NAME_OS_THREAD_W,
};

/* Functions with a domain. */
enum pinsight_nvtx_core2 {
    PINSIGHT_NVTX_DOMAIN_MARK_EX = 1,
    PINSIGHT_NVTX_DOMAIN_RANGE_START_EX,
    PINSIGHT_NVTX_DOMAIN_RANGE_END,
    PINSIGHT_NVTX_DOMAIN_RANGE_PUSH_EX,
    PINSIGHT_NVTX_DOMAIN_RANGE_POP,
    PINSIGHT_NVTX_DOMAIN_RESOURCE_CREATE,
    PINSIGHT_NVTX_DOMAIN_RESOURCE_DESTROY,
    PINSIGHT_NVTX_DOMAIN_NAME_CATEGORY_A,
    PINSIGHT_NVTX_DOMAIN_NAME_CATEGORY_W,
    PINSIGHT_NVTX_DOMAIN_REGISTER_STRING_A,
    PINSIGHT_NVTX_DOMAIN_REGISTER_STRING_W,
    PINSIGHT_NVTX_DOMAIN_CREATE_A,
    PINSIGHT_NVTX_DOMAIN_CREATE_W,
    PINSIGHT_NVTX_DOMAIN_DESTROY,
    PINSIGHT_NVTX_INITIALIZE,
};

/* PINSIGHT_NVTX_TABLE_CALLBACKS. A module's table has an entry for each function, by number: the
 * address of a variable for the tool's function. Returns 1, or 0 if there is no such module. */
struct pinsight_nvtx_callbacks {
    size_t struct_size;
    int (*module_table)(int module, pinsight_nvtx_function ***table, unsigned *size);
};

/* PINSIGHT_NVTX_TABLE_VERSION. */
struct pinsight_nvtx_version {
    size_t struct_size;
    uint32_t version, reserved;
    void (*set_tools)(uint32_t version);
};

typedef const void *(*pinsight_nvtx_get_table)(uint32_t number);

/* ---- extensions: payloads, counters, memory ---- */

enum { PINSIGHT_NVTX_PAYLOAD_MODULE = 2 };

enum pinsight_nvtx_payload {
    PINSIGHT_NVTX_MARK_PAYLOAD = 2,
    PINSIGHT_NVTX_RANGE_PUSH_PAYLOAD,
    PINSIGHT_NVTX_RANGE_POP_PAYLOAD,
    PINSIGHT_NVTX_RANGE_START_PAYLOAD,
    PINSIGHT_NVTX_RANGE_END_PAYLOAD,
    PINSIGHT_NVTX_DOMAIN_IS_ENABLED,
};

struct pinsight_nvtx_segment {
    size_t number, slot_count;
    intptr_t *slots;
};

struct pinsight_nvtx_extension {
    uint16_t version, struct_size, module, compatibility;
    size_t segment_count;
    struct pinsight_nvtx_segment *segments;
    intptr_t (*exported)(uint32_t number);
    const void *more;
};

#endif
