/* Names in NVTX; see nvtx_name.h. */
#include "tracer/cuda/nvtx_name.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

/* New names are put in front, without a lock. Two racing threads may make a name twice, which is
 * harmless. */
static struct pinsight_nvtx_name *_Atomic buckets[BUCKETS];

/* Returns the length of the longest part of `text` that fits into `room` bytes without a broken
 * character. */
static size_t fitting(const char *text, size_t room) {
    size_t length = strnlen(text, room + 1);
    if (length <= room)
        return length;
    length = room;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

static char *put_text(char *at, const char *end, const char *text) {
    size_t length = fitting(text, (size_t)(end - at) - 1);
    memcpy(at, text, length);
    return at + length;
}

/* Writes a wide text as UTF-8. Invalid characters become U+FFFD. */
static char *put_wide(char *at, const char *end, const wchar_t *text) {
    for (; *text; text++) {
        uint32_t point = (uint32_t)*text;
        if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
            point = 0xfffd;
        int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        static const unsigned char firsts[] = {0, 0xc0, 0xe0, 0xf0};
        if (end - at < more + 2)
            break;
        *at++ = (char)(firsts[more] | point >> 6 * more);
        while (more-- > 0)
            *at++ = (char)(0x80 | (point >> 6 * more & 0x3f));
    }
    return at;
}

const char *pinsight_nvtx_event_name(const struct pinsight_nvtx_name *domain,
                                     const struct pinsight_nvtx_message *message, char *room) {
    const char *end = room + PINSIGHT_NVTX_NAME_MAX;
    char *at = room;
    if (message->type == PINSIGHT_NVTX_MESSAGE_REGISTERED && message->value)
        return ((const struct pinsight_nvtx_name *)message->value)->text;
    if (domain) {
        /* leaves some room for the message */
        at = put_text(at, end - PINSIGHT_NVTX_NAME_MAX / 2, domain->text);
        *at++ = ':';
    }
    if (message->value && message->type == PINSIGHT_NVTX_MESSAGE_ASCII)
        at = put_text(at, end, message->value);
    else if (message->value && message->type == PINSIGHT_NVTX_MESSAGE_WIDE)
        at = put_wide(at, end, message->value);
    else if (domain)
        at--; /* there is only a domain */
    *at = '\0';
    return room;
}

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

const struct pinsight_nvtx_name *pinsight_nvtx_name(const struct pinsight_nvtx_name *domain,
                                                    const struct pinsight_nvtx_message *message) {
    char room[PINSIGHT_NVTX_NAME_MAX];
    if (!message->value)
        return NULL;
    const char *text = pinsight_nvtx_event_name(domain, message, room);
    uint32_t hash = hash_of(text);
    struct pinsight_nvtx_name *_Atomic *bucket = &buckets[hash % BUCKETS];
    struct pinsight_nvtx_name *first = atomic_load(bucket);
    for (struct pinsight_nvtx_name *name = first; name; name = name->next)
        if (name->hash == hash && name->domain == domain && strcmp(name->text, text) == 0)
            return name;
    size_t size = strlen(text) + 1;
    struct pinsight_nvtx_name *name = malloc(sizeof *name + size);
    if (!name)
        return NULL;
    *name = (struct pinsight_nvtx_name){.next = first, .domain = domain, .hash = hash};
    memcpy(name->text, text, size);
    while (!atomic_compare_exchange_weak(bucket, &name->next, name))
        ;
    return name;
}
