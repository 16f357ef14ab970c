/* The list of an archive's members; see packed.h. */
#include "format/packed.h"

#include "base/memory.h"
#include "base/safe_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The head of a member (POSIX.1-1988, ustar). Numbers are octal text. */
struct tar_head {
    char name[PINSIGHT_PACKED_NAME], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
    char linked[100], magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155];
    char rest[12];
};
_Static_assert(sizeof(struct tar_head) == PINSIGHT_PACKED_BLOCK, "a head is a block");

/* The blocks that a search for a head reads at once. */
enum { SEARCHED_BLOCKS = 256 };

struct archive {
    int fd;
    uint64_t size;
};

bool pinsight_packed_is_name(const char *name) {
    size_t length = strlen(name);

    return length && length <= PINSIGHT_PACKED_NAME && *name != '.' && !strchr(name, '/') &&
           strcmp(name, "metadata") != 0;
}

/* Returns the sum of a head's bytes. Its own field counts as blanks. */
static unsigned sum_of(const struct tar_head *head) {
    const unsigned char *bytes = (const unsigned char *)head;
    unsigned sum = ' ' * sizeof(head->sum);

    for (size_t i = 0; i < sizeof(*head); i++)
        sum += bytes[i];
    for (size_t i = 0; i < sizeof(head->sum); i++)
        sum -= (unsigned char)head->sum[i];
    return sum;
}

/* Parses a number: octal text, or 8 bytes in big-endian order after a byte with the highest bit. */
static bool take_number(const char *field, size_t room, uint64_t *number) {
    size_t i = 0;

    *number = 0;
    if ((unsigned char)field[0] == 0x80) {
        for (i = room - 8; i < room; i++)
            *number = *number << 8 | (unsigned char)field[i];
        return *number <= INT64_MAX;
    }
    while (i < room && field[i] == ' ')
        i++;
    if (i == room || field[i] < '0' || field[i] > '7')
        return false;
    for (; i < room && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number << 3 | (unsigned)(field[i] - '0');
    return i == room || field[i] == ' ' || !field[i];
}

static bool is_head(const struct tar_head *head, uint64_t *bytes) {
    uint64_t sum;

    return !memcmp(head->magic, "ustar", 5) && take_number(head->sum, sizeof(head->sum), &sum) &&
           sum == sum_of(head) && take_number(head->size, sizeof(head->size), bytes);
}

void pinsight_packed_head(unsigned char block[PINSIGHT_PACKED_BLOCK], const char *name,
                          uint64_t bytes, int64_t changed_s) {
    struct tar_head head = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    char sum[8];

    memcpy(head.name, name, strlen(name));
    memcpy(head.mode, "0000600", 8);
    memcpy(head.uid, "0000000", 8);
    memcpy(head.gid, "0000000", 8);
    snprintf(head.mtime, sizeof(head.mtime), "%011" PRIo64,
             (uint64_t)changed_s & UINT64_C(077777777777));
    if (bytes >> 33) {
        head.size[0] = (char)0x80;
        for (size_t i = 0; i < 8; i++)
            head.size[sizeof(head.size) - 1 - i] = (char)(bytes >> (8 * i));
    } else {
        snprintf(head.size, sizeof(head.size), "%011" PRIo64, bytes);
    }
    snprintf(sum, sizeof(sum), "%06o", sum_of(&head));
    sum[7] = ' ';
    memcpy(head.sum, sum, sizeof(sum));
    memcpy(block, &head, sizeof(head));
}

/* Reads blocks. Returns the number of whole ones. */
static size_t read_blocks(const struct archive *archive, uint64_t at, void *blocks, size_t count) {
    size_t done = 0, wanted = count * PINSIGHT_PACKED_BLOCK;

    while (done < wanted) {
        ssize_t got = pread(archive->fd, (char *)blocks + done, wanted - done, (off_t)(at + done));

        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    return done / PINSIGHT_PACKED_BLOCK;
}

/* Returns the position of the next head behind a damaged one, or that of the end. */
static uint64_t find_head(const struct archive *archive, uint64_t at) {
    struct tar_head *heads = pinsight_calloc(SEARCHED_BLOCKS, sizeof(*heads));
    size_t count = SEARCHED_BLOCKS, i = SEARCHED_BLOCKS;
    uint64_t bytes;

    for (; i == count && count == SEARCHED_BLOCKS; at += i * PINSIGHT_PACKED_BLOCK) {
        count = read_blocks(archive, at, heads, SEARCHED_BLOCKS);
        for (i = 0; i < count && !is_head(&heads[i], &bytes);)
            i++;
    }
    free(heads);
    return i < count ? at : archive->size;
}

static bool is_end(const struct tar_head *head) {
    static const struct tar_head zeros;

    return !memcmp(head, &zeros, sizeof(zeros));
}

static void add(struct pinsight_packed *packed, const struct tar_head *head, uint64_t at,
                uint64_t bytes) {
    struct pinsight_packed_member member = {.at = at, .bytes = bytes};
    const char *name = member.name;

    memcpy(member.name, head->name, sizeof(head->name));
    if (!strncmp(name, "./", 2))
        name += 2;
    if ((head->type != '0' && head->type) || head->prefix[0] || !pinsight_packed_is_name(name))
        return;
    memmove(member.name, name, strlen(name) + 1);
    *PINSIGHT_ADD(packed->all, packed->count, packed->capacity) = member;
}

static void walk(const struct archive *archive, struct pinsight_packed *packed) {
    uint64_t at = 0, bytes;
    struct tar_head head;

    while (at < archive->size) {
        if (!read_blocks(archive, at, &head, 1))
            break;
        if (is_end(&head))
            return;
        if (!is_head(&head, &bytes)) {
            packed->is_damaged = true;
            at = find_head(archive, at + PINSIGHT_PACKED_BLOCK);
            continue;
        }
        at += PINSIGHT_PACKED_BLOCK;
        if (at < archive->size || !bytes)
            add(packed, &head, at, bytes);
        if (bytes > archive->size - at)
            break;
        at += (bytes + PINSIGHT_PACKED_BLOCK - 1) / PINSIGHT_PACKED_BLOCK * PINSIGHT_PACKED_BLOCK;
        if (!packed->is_damaged)
            packed->sound = at < archive->size ? at : archive->size;
    }
    packed->is_damaged = true;
}

static int by_name(const void *a, const void *b) {
    const struct pinsight_packed_member *one = a, *other = b;
    int order = strcmp(one->name, other->name);

    /* Of members with one name, tar extracts the last. */
    return order ? order : one->at < other->at ? -1 : one->at > other->at;
}

static void sort(struct pinsight_packed *packed) {
    size_t kept = 0;

    if (packed->count > 1)
        qsort(packed->all, packed->count, sizeof(*packed->all), by_name);
    for (size_t i = 0; i < packed->count; i++) {
        if (kept && !strcmp(packed->all[kept - 1].name, packed->all[i].name))
            kept--;
        packed->all[kept++] = packed->all[i];
    }
    packed->count = kept;
    for (size_t i = 0; i < kept; i++)
        packed->bytes += packed->all[i].bytes;
}

int pinsight_packed_list(int fd, struct pinsight_packed *packed) {
    struct stat status;
    int error = fstat(fd, &status) != 0 ? errno : 0;

    *packed = (struct pinsight_packed){0};
    if (!error) {
        packed->inode = (uint64_t)status.st_ino;
        walk(&(struct archive){.fd = fd, .size = (uint64_t)status.st_size}, packed);
        sort(packed);
    }
    return error;
}

int pinsight_packed_read(int folder, struct pinsight_packed *packed) {
    int fd = pinsight_open_regular(folder, PINSIGHT_PACKED_FILE, O_RDONLY | O_NOFOLLOW);

    *packed = (struct pinsight_packed){0};
    if (fd < 0)
        return errno;
    int error = pinsight_packed_list(fd, packed);
    close(fd);
    return error;
}

static int by_name_alone(const void *a, const void *b) {
    return strcmp(a, ((const struct pinsight_packed_member *)b)->name);
}

const struct pinsight_packed_member *pinsight_packed_find(const struct pinsight_packed *packed,
                                                          const char *name) {
    return packed->count
               ? bsearch(name, packed->all, packed->count, sizeof(*packed->all), by_name_alone)
               : NULL;
}

void pinsight_packed_free(struct pinsight_packed *packed) {
    free(packed->all);
    *packed = (struct pinsight_packed){0};
}
