/* Encodes numbers, compresses and writes base64; see pack.h. */
#include "views/page/pack.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void page_bytes_clear(struct page_bytes *bytes) {
    free(bytes->bytes);
    *bytes = (struct page_bytes){0};
}

static void add_byte(struct page_bytes *bytes, unsigned byte) {
    *PINSIGHT_ADD(bytes->bytes, bytes->count, bytes->capacity) = (uint8_t)byte;
}

void page_bytes_number(struct page_bytes *bytes, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        add_byte(bytes, (unsigned)(number & 0x7f) | 0x80);
    add_byte(bytes, (unsigned)number);
}

void page_bytes_difference(struct page_bytes *bytes, uint64_t from, uint64_t to) {
    page_bytes_number(bytes, to >= from ? (to - from) * 2 : (from - to) * 2 - 1);
}

/* Functions of zlib, unchanged since 1995. The types are declared here, because zlib's headers may
 * be missing. */
typedef int zlib_compress(uint8_t *to, unsigned long *size, const uint8_t *from,
                          unsigned long length, int level);
typedef unsigned long zlib_bound(unsigned long length);
#define ZLIB "libz.so.1"
#define ZLIB_LEVEL 6

static zlib_compress *find_zlib(zlib_bound **bound) {
    void *zlib = dlopen(ZLIB, RTLD_NOW | RTLD_LOCAL);

    *bound = zlib ? (zlib_bound *)dlsym(zlib, "compressBound") : NULL;
    return *bound ? (zlib_compress *)dlsym(zlib, "compress2") : NULL;
}

uint8_t *page_deflate(const void *bytes, size_t size, size_t *deflated) {
    zlib_bound *bound;
    zlib_compress *compress = find_zlib(&bound);
    uint8_t *to;

    if (compress) {
        unsigned long length = bound(size);

        to = pinsight_calloc(length, 1);
        if (compress(to, &length, bytes, size, ZLIB_LEVEL) == 0) {
            *deflated = length;
            return to;
        }
        free(to);
    }
    return page_deflate_stored(bytes, size, deflated);
}

/* Returns the checksum of RFC 1950. */
static uint32_t adler(const uint8_t *bytes, size_t size) {
    uint32_t a = 1, b = 0;

    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

#define BLOCK_BYTES 65535u

uint8_t *page_deflate_stored(const void *bytes, size_t size, size_t *deflated) {
    const uint8_t *from = bytes;
    struct page_bytes to = {0};
    const uint32_t check = adler(from, size);
    size_t done = 0;

    /* Deflate with a window of 32 KiB. The second byte makes both divisible by 31. */
    add_byte(&to, 0x78);
    add_byte(&to, 0x01);
    do {
        size_t length = size - done < BLOCK_BYTES ? size - done : BLOCK_BYTES;

        add_byte(&to, done + length == size);
        add_byte(&to, (unsigned)(length & 0xff));
        add_byte(&to, (unsigned)(length >> 8));
        add_byte(&to, (unsigned)(~length & 0xff));
        add_byte(&to, (unsigned)(~length >> 8 & 0xff));
        while (to.capacity < to.count + length)
            to.bytes = pinsight_grow(to.bytes, to.capacity, &to.capacity, 1);
        if (length)
            memcpy(to.bytes + to.count, from + done, length);
        to.count += length;
        done += length;
    } while (done < size);
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(&to, check >> shift & 0xff);
    *deflated = to.count;
    return to.bytes;
}

/* Bytes of a line. 3 bytes make 4 characters. */
#define LINE_BYTES 57

void page_base64(FILE *out, const uint8_t *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                              left > 1 ? digits[three >> 6 & 63] : '=',
                              left > 2 ? digits[three & 63] : '='};

        if (i && i % LINE_BYTES == 0)
            putc_unlocked('\n', out);
        fwrite_unlocked(four, 1, sizeof(four), out);
    }
}
