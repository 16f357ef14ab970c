/* Access to buffers by other processes; see snapshot.h. */
#include "format/snapshot.h"

#include "base/machine.h"
#include "base/process.h"
#include "base/safe_files.h"
#include "format/folder.h"
#include "format/local.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most new tries after a flush, and between two events. */
enum { MOST_TRIES = 200, MOST_LOOKS = 1000 };

/* The most bytes that are mapped of a buffer. */
enum { MOST_MAPPED = 1 << 30 };

int pinsight_buffer_map(struct pinsight_buffer_file *file, int folder, const char *name,
                        enum pinsight_buffer_use use) {
    struct stat status;
    bool writes = use == PINSIGHT_BUFFER_FINISH;
    *file = (struct pinsight_buffer_file){0};
    int fd = pinsight_local_open(folder, name, writes ? O_RDWR : O_RDONLY,
                                 use != PINSIGHT_BUFFER_READ_STRANGE);
    if (fd < 0)
        return errno == ENXIO || errno == EISDIR ? ENODATA : errno;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (!error && (status.st_size < PINSIGHT_BUFFER_HEAD_BYTES || status.st_size > MOST_MAPPED))
        error = ENODATA;
    if (!error) {
        void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ | (writes ? PROT_WRITE : 0),
                            MAP_SHARED, fd, 0);
        error = mapped == MAP_FAILED ? errno : 0;
        if (!error)
            *file = (struct pinsight_buffer_file){mapped, (size_t)status.st_size};
    }
    close(fd);
    return error;
}

void pinsight_buffer_unmap(struct pinsight_buffer_file *file) {
    if (file->head)
        munmap(file->head, file->mapped);
    *file = (struct pinsight_buffer_file){0};
}

/* Checks the constant members of the head. A buffer's size is not constant. */
static bool is_buffer(const struct pinsight_buffer_file *file) {
    const struct pinsight_buffer_head *head = file->head;
    return __atomic_load_n(&head->magic, __ATOMIC_ACQUIRE) == PINSIGHT_BUFFER_MAGIC &&
           (head->version == PINSIGHT_BUFFER_VERSION ||
            head->version == PINSIGHT_BUFFER_OF_ONE_PACKET) &&
           head->head_bytes == PINSIGHT_BUFFER_HEAD_BYTES;
}

/* Returns the begin of the last packet. `base` is the head's. */
static uint64_t look_at_packet(const struct pinsight_buffer_head *head, uint64_t base) {
    return head->version == PINSIGHT_BUFFER_OF_ONE_PACKET
               ? base
               : __atomic_load_n(&head->packet, __ATOMIC_ACQUIRE);
}

/* Computes the positions from members of a head. All are equal for an empty buffer. */
static struct pinsight_buffer_places places_by(uint64_t base, uint64_t packet, uint64_t pos) {
    if (pos == base)
        packet = base;
    if (pos - packet <= sizeof(struct pinsight_packet_head))
        pos = packet;
    return (struct pinsight_buffer_places){base, packet, pos};
}

struct pinsight_buffer_places pinsight_buffer_places_of(const struct pinsight_buffer_head *head) {
    return places_by(head->base, look_at_packet(head, head->base), head->pos);
}

void pinsight_buffer_fill_in(const struct pinsight_buffer_places *places, unsigned char *content,
                             uint64_t last, uint64_t lost_events) {
    struct pinsight_packet_head packet;
    if (places->end == places->packet)
        return;
    memcpy(&packet, content + (places->packet - places->base), sizeof packet);
    packet.end = last;
    packet.content = packet.size = (places->end - places->packet) * 8;
    packet.discarded = lost_events;
    memcpy(content + (places->packet - places->base), &packet, sizeof packet);
}

/* Returns whether the numbers of a head are possible, with `room` bytes behind the head. */
static bool can_be(uint64_t origin, uint64_t base, uint64_t packet, uint64_t pos, uint64_t room) {
    return origin <= base && base <= INT64_MAX && pos >= base && pos - base <= room &&
           (pos == base || (packet >= base && packet <= pos));
}

bool pinsight_buffer_is_sound(const struct pinsight_buffer_file *file) {
    const struct pinsight_buffer_head *head = file->head;
    return is_buffer(file) && head->size <= file->mapped - PINSIGHT_BUFFER_HEAD_BYTES &&
           can_be(head->origin, head->base, look_at_packet(head, head->base), head->pos,
                  head->size);
}

enum pinsight_buffer_owner pinsight_buffer_owner(const struct pinsight_buffer_head *head) {
    const struct pinsight_proc process = {head->pid, head->start};
    char host[sizeof head->host] = "";
    const uint64_t namespace = pinsight_machine_namespace();
    gethostname(host, sizeof host - 1);
    if (strncmp(host, head->host, sizeof host - 1) != 0 ||
        pinsight_machines_differ(head->boot, pinsight_machine_boot()) ||
        (namespace && namespace != head->namespace))
        return PINSIGHT_OWNER_ELSEWHERE;
    return pinsight_process_alive(&process) ? PINSIGHT_OWNER_ALIVE : PINSIGHT_OWNER_ENDED;
}

bool pinsight_buffer_is_name(const char *name) {
    int parts = 0;
    if (*name++ != '.')
        return false;
    for (; *name; name++) {
        if (*name == '-')
            parts++;
        else if (!isxdigit((unsigned char)*name))
            return false;
    }
    return parts == 2 || parts == 3;
}

/* ---- snapshots ---- */

/* Reads the end of the data, the begin of its packet, and the time there. A recorder stores the
 * time first. If two readings of the time are equal, at most the event of that time has ended in
 * between. Returns false if the packet changed. */
static bool look_at_end(const struct pinsight_buffer_head *head, uint64_t base, uint64_t *packet,
                        uint64_t *pos, uint64_t *last) {
    uint64_t again;
    int looks = 0;
    *packet = look_at_packet(head, base);
    do {
        *last = __atomic_load_n(&head->last, __ATOMIC_ACQUIRE);
        *pos = __atomic_load_n(&head->pos, __ATOMIC_ACQUIRE);
        again = __atomic_load_n(&head->last, __ATOMIC_RELAXED);
    } while (again != *last && ++looks < MOST_LOOKS);
    return look_at_packet(head, base) == *packet;
}

static uint64_t sequence_of(const void *packet) {
    struct pinsight_packet_head head;
    memcpy(&head, packet, sizeof head);
    return head.sequence;
}

/* Makes zeroed pages, with one more behind them. */
static int make_room(struct pinsight_snapshot *snapshot, uint64_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t mapped = ((size_t)bytes + page - 1) / page * page + page;
    void *room = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return errno;
    snapshot->packets = room;
    snapshot->size = (size_t)bytes;
    snapshot->mapped = mapped;
    return 0;
}

/* Returns 0 if the positions of a buffer are unchanged; see copy(). */
static int have_changed(const struct pinsight_buffer_head *head, uint64_t origin, uint64_t base,
                        uint32_t number) {
    if (__atomic_load_n(&head->number, __ATOMIC_ACQUIRE) != number)
        return ENOENT;
    return __atomic_load_n(&head->base, __ATOMIC_ACQUIRE) == base &&
                   __atomic_load_n(&head->origin, __ATOMIC_ACQUIRE) == origin
               ? 0
               : EAGAIN;
}

/* Copies a buffer. Returns EAGAIN if it was flushed meanwhile, or is larger than the mapping.
 * Returns ENOENT if it belongs to another file than the one with this number, before or after. */
static int copy(struct pinsight_snapshot *snapshot, const struct pinsight_buffer_file *file,
                uint32_t number) {
    const struct pinsight_buffer_head *head = file->head;
    const unsigned char *buffer = (const unsigned char *)head + PINSIGHT_BUFFER_HEAD_BYTES;
    uint64_t room = file->mapped - PINSIGHT_BUFFER_HEAD_BYTES;

    if (!is_buffer(file))
        return head->magic ? EBADMSG : ENODATA;
    snapshot->owner = pinsight_buffer_owner(head);
    uint64_t origin = __atomic_load_n(&head->origin, __ATOMIC_ACQUIRE);
    uint64_t base = __atomic_load_n(&head->base, __ATOMIC_ACQUIRE);
    uint64_t packet, pos;
    if (!look_at_end(head, base, &packet, &pos, &snapshot->last) &&
        snapshot->owner != PINSIGHT_OWNER_ENDED)
        return EAGAIN;
    if (!can_be(origin, base, packet, pos, room))
        return snapshot->owner == PINSIGHT_OWNER_ENDED ? EBADMSG : EAGAIN;
    struct pinsight_buffer_places places = places_by(base, packet, pos);
    snapshot->base = base - origin;
    snapshot->last_packet = places.packet - origin;
    if (places.end == base)
        return have_changed(head, origin, base, number);
    int error = make_room(snapshot, places.end - base);
    if (error)
        return error;
    memcpy(snapshot->packets, buffer, snapshot->size);
#ifndef __SANITIZE_THREAD__ /* the sanitizer does not support fences */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
    /* A buffer that could not be written is overwritten at the same position, with the next
     * sequence number. */
    if (sequence_of(buffer) != sequence_of(snapshot->packets))
        return EAGAIN;
    pinsight_buffer_fill_in(&places, snapshot->packets, snapshot->last,
                            __atomic_load_n(&head->lost_events, __ATOMIC_RELAXED));
    return have_changed(head, origin, base, number);
}

int pinsight_snapshot_take(struct pinsight_snapshot *snapshot, const char *stream) {
    const char *slash = strrchr(stream, '/');
    const char *name = slash ? slash + 1 : stream;
    char path[PATH_MAX], dotted[NAME_MAX + 1];
    const char *dash = strrchr(name, '-');
    uint32_t number = dash ? (uint32_t)strtoul(dash + 1, NULL, 10) : 0;
    int error = EAGAIN;

    *snapshot = (struct pinsight_snapshot){0};
    if (snprintf(path, sizeof path, "%.*s.", (int)(name - stream), stream) >= (int)sizeof path ||
        snprintf(dotted, sizeof dotted, ".%s", name) >= (int)sizeof dotted)
        return ENAMETOOLONG;
    int folder = pinsight_open_folder(AT_FDCWD, path, 0);
    if (folder < 0)
        return errno;
    enum pinsight_buffer_use use = pinsight_look_at_owner(folder) == PINSIGHT_OWN
                                       ? PINSIGHT_BUFFER_READ
                                       : PINSIGHT_BUFFER_READ_STRANGE;
    for (int tries = 0; error == EAGAIN && tries < MOST_TRIES; tries++) {
        struct pinsight_buffer_file file;
        pinsight_snapshot_clear(snapshot);
        error = pinsight_buffer_map(&file, folder, dotted, use);
        if (!error)
            error = copy(snapshot, &file, number);
        pinsight_buffer_unmap(&file);
    }
    close(folder);
    if (error)
        pinsight_snapshot_clear(snapshot);
    return error;
}

void pinsight_snapshot_clear(struct pinsight_snapshot *snapshot) {
    if (snapshot->packets)
        munmap(snapshot->packets, snapshot->mapped);
    *snapshot = (struct pinsight_snapshot){0};
}

uint64_t pinsight_snapshot_now(const char *folder) {
    struct pinsight_control control;
    struct pinsight_clocks now;
    int fd = pinsight_open_folder(AT_FDCWD, folder, 0);
    bool is_known = fd >= 0 && pinsight_file_control_read(fd, &control);
    if (fd >= 0)
        close(fd);
    if (!is_known)
        return UINT64_MAX;
    pinsight_file_clocks(&now, control.has_counter);
    return now.ticks >= control.first.ticks ? now.ticks : UINT64_MAX;
}
