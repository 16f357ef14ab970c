/* Snapshots of buffers: of made files, of torn numbers, and of a buffer that is flushed meanwhile.
 */
#include "unit.h"

#include "base/machine.h"
#include "base/paths.h"
#include "base/process.h"
#include "format/folder.h"
#include "format/process_name.h"
#include "format/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 8192, EVENTS = 500 };

static char folder[] = "/tmp/pinsight-snapshot-XXXXXX";
static char stream[PATH_MAX];
static struct pinsight_buffer_head *head;
static unsigned char *buffer;

static int make(void **state) {
    char path[PATH_MAX];

    (void)state;
    snprintf(stream, sizeof stream, "%s/%d-1-0", folder, (int)getpid());
    snprintf(path, sizeof path, "%s/.%d-1-0", folder, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(ftruncate(fd, PINSIGHT_BUFFER_HEAD_BYTES + BUFFER), 0);
    head =
        mmap(NULL, PINSIGHT_BUFFER_HEAD_BYTES + BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(head, MAP_FAILED);
    close(fd);
    buffer = (unsigned char *)head + PINSIGHT_BUFFER_HEAD_BYTES;
    *head = (struct pinsight_buffer_head){
        .magic = PINSIGHT_BUFFER_MAGIC,
        .version = PINSIGHT_BUFFER_VERSION,
        .head_bytes = PINSIGHT_BUFFER_HEAD_BYTES,
        .size = BUFFER,
        .pid = (int32_t)getpid(),
        .start = 1,
    };
    return 0;
}

static int unmake(void **state) {
    char path[PATH_MAX];

    (void)state;
    munmap(head, PINSIGHT_BUFFER_HEAD_BYTES + BUFFER);
    snprintf(path, sizeof path, "%s/.%d-1-0", folder, (int)getpid());
    unlink(path);
    return 0;
}

static void begin(uint64_t sequence) {
    struct pinsight_packet_head packet = {.magic = PINSIGHT_CTF_MAGIC, .sequence = sequence};

    __atomic_store_n(&head->packet, head->base, __ATOMIC_RELAXED);
    memcpy(buffer, &packet, sizeof packet);
    __atomic_store_n(&head->pos, head->base + sizeof packet, __ATOMIC_RELEASE);
}

/* An event is its packet's number. */
static void put(uint64_t number) {
    uint64_t pos = head->pos;

    head->last++;
    memcpy(buffer + (pos - head->base), &number, sizeof number);
    __atomic_store_n(&head->pos, pos + sizeof number, __ATOMIC_RELEASE);
}

static void flush(void) {
    __atomic_store_n(&head->base, head->pos, __ATOMIC_RELEASE);
#ifndef __SANITIZE_THREAD__ /* which knows no fences */
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/* Takes a snapshot, whose events all have to be of one packet; how many there are. None where the
 * buffer was flushed at each try: that is said (EAGAIN), and may be where `is_busy`. */
static size_t events(uint64_t *base, bool is_busy) {
    struct pinsight_snapshot snapshot;
    struct pinsight_packet_head packet;
    size_t count = 0;
    int error = pinsight_snapshot_take(&snapshot, stream);

    if (error == EAGAIN && is_busy) {
        pinsight_snapshot_clear(&snapshot);
        return 0;
    }
    assert_int_equal(error, 0);
    *base = snapshot.base;
    if (snapshot.packets) {
        memcpy(&packet, snapshot.packets, sizeof packet);
        assert_int_equal(packet.content, snapshot.size * 8);
        assert_int_equal(packet.size, snapshot.size * 8);
        assert_int_equal(packet.end, snapshot.last);
        assert_int_equal(packet.sequence, snapshot.base / (sizeof packet + EVENTS * 8));
        for (size_t at = sizeof packet; at < snapshot.size; at += 8, count++)
            assert_memory_equal(snapshot.packets + at, &packet.sequence, 8);
    }
    pinsight_snapshot_clear(&snapshot);
    return count;
}

static void what_is_there(void **state) {
    uint64_t base;

    (void)state;
    assert_int_equal(events(&base, false), 0);
    begin(0);
    assert_int_equal(events(&base, false), 0);
    put(0);
    put(0);
    assert_int_equal(events(&base, false), 2);
    while (head->pos < sizeof(struct pinsight_packet_head) + EVENTS * 8)
        put(0);
    flush();
    assert_int_equal(events(&base, false), 0);
    assert_int_equal(base, sizeof(struct pinsight_packet_head) + EVENTS * 8);
    begin(1);
    put(1);
    assert_int_equal(events(&base, false), 1);
}

/* Two packets in one buffer: the first is whole, and the second is filled in. Of one that has no
 * event yet nothing is told, and a buffer of the older version has one packet. */
static void two_packets(void **state) {
    struct pinsight_packet_head packet = {.magic = PINSIGHT_CTF_MAGIC};
    struct pinsight_snapshot snapshot;

    (void)state;
    begin(0);
    put(0);
    uint64_t first = head->pos;
    packet.content = packet.size = first * 8;
    memcpy(buffer, &packet, sizeof packet);
    __atomic_store_n(&head->packet, first, __ATOMIC_RELEASE);
    for (uint64_t number = 0; number < 3; number++) {
        assert_int_equal(pinsight_snapshot_take(&snapshot, stream), 0);
        uint64_t second = number ? sizeof packet + (number - 1) * 8 : 0;
        second = second > sizeof packet ? second : 0;
        assert_int_equal(snapshot.size, first + second);
        assert_int_equal(snapshot.last_packet, first);
        memcpy(&packet, snapshot.packets, sizeof packet);
        assert_int_equal(packet.content, first * 8);
        if (second) {
            memcpy(&packet, snapshot.packets + first, sizeof packet);
            assert_int_equal(packet.content, second * 8);
            assert_int_equal(packet.sequence, 1);
        }
        pinsight_snapshot_clear(&snapshot);
        if (number) {
            put(1);
            continue;
        }
        packet = (struct pinsight_packet_head){.magic = PINSIGHT_CTF_MAGIC, .sequence = 1};
        memcpy(buffer + first, &packet, sizeof packet);
        __atomic_store_n(&head->pos, first + sizeof packet, __ATOMIC_RELEASE);
    }
    head->version = PINSIGHT_BUFFER_OF_ONE_PACKET;
    assert_int_equal(pinsight_snapshot_take(&snapshot, stream), 0);
    memcpy(&packet, snapshot.packets, sizeof packet);
    assert_int_equal(packet.content, snapshot.size * 8);
    assert_int_equal(snapshot.size, head->pos);
    assert_int_equal(snapshot.last_packet, 0);
    pinsight_snapshot_clear(&snapshot);
}

/* Every 8th packet rests half full: the others follow each other faster than a snapshot can be
 * taken.
 */
static void *record(void *end) {
    for (uint64_t number = 0; !__atomic_load_n((bool *)end, __ATOMIC_ACQUIRE); number++) {
        begin(number);
        for (int i = 0; i < EVENTS; i++) {
            put(number);
            if (number % 8 == 0 && i == EVENTS / 2)
                usleep(100);
        }
        flush();
    }
    return NULL;
}

static void a_base_that_moves(void **state) {
    pthread_t thread;
    bool end = false;
    uint64_t base;
    size_t with_events = 0;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, record, &end), 0);
    for (int i = 0; i < 3000; i++)
        with_events += events(&base, true) > 0;
    __atomic_store_n(&end, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert_true(with_events > 0);
}

static int error_of(void) {
    struct pinsight_snapshot snapshot;
    int error = pinsight_snapshot_take(&snapshot, stream);

    pinsight_snapshot_clear(&snapshot);
    return error;
}

/* The buffer is of a process of this host that has ended: nobody writes into it. */
static void be_of_ended(void) {
    struct stat status;

    assert_int_equal(stat("/proc/self/ns/pid", &status), 0);
    head->namespace = status.st_ino;
    gethostname(head->host, sizeof head->host - 1);
}

static void numbers_that_cannot_be(void **state) {
    static const uint64_t many[] = {1, BUFFER + 1, UINT64_MAX - 2 * BUFFER, UINT64_MAX / 2,
                                    (uint64_t)1 << 63};

    (void)state;
    begin(0);
    put(0);
    be_of_ended();
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        uint64_t pos = head->pos;
        head->base = head->pos + many[i];
        assert_int_equal(error_of(), EBADMSG);
        head->base = 0;
        head->pos = BUFFER + many[i];
        assert_int_equal(error_of(), EBADMSG);
        head->pos = pos;
        head->packet = head->pos + many[i];
        assert_int_equal(error_of(), EBADMSG);
        head->packet = 0;
    }
    head->version++;
    assert_int_equal(error_of(), EBADMSG);
    head->magic = 0;
    assert_int_equal(error_of(), ENODATA);
}

static void files_that_are_none(void **state) {
    char path[PATH_MAX];

    (void)state;
    snprintf(path, sizeof path, "%s/.%d-1-0", folder, (int)getpid());
    assert_int_equal(truncate(path, PINSIGHT_BUFFER_HEAD_BYTES - 1), 0);
    assert_int_equal(error_of(), ENODATA);
    unlink(path);
    assert_int_equal(error_of(), ENOENT);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(error_of(), ENODATA);
}

static void names(void **state) {
    (void)state;
    assert_true(pinsight_buffer_is_name(".12-a0f-3"));
    assert_true(pinsight_buffer_is_name(".12-a0f-f0000152-3"));
    assert_false(pinsight_buffer_is_name(".12-a0f-f0000152-3-4"));
    assert_false(pinsight_buffer_is_name("12-a0f-3"));
    assert_false(pinsight_buffer_is_name(".control"));
    assert_false(pinsight_buffer_is_name("."));
    assert_false(pinsight_buffer_is_name(".12-3"));
}

static const char *name_of(uint64_t namespace) {
    static char name[PINSIGHT_PROCESS_NAME_BYTES];
    const struct pinsight_buffer_head of = {.pid = 1, .start = 0xa0f, .namespace = namespace};

    pinsight_file_process_name(&of, name);
    return name;
}

/* Two processes that are 1 in namespaces of their own and began at one moment have two names. */
static void names_of_processes(void **state) {
    (void)state;
    assert_string_equal(name_of(0), "1-a0f");
    assert_string_equal(name_of(0xeffffffc), "1-a0f"); /* the machine's own numbers */
    assert_string_equal(name_of(0xf0000152), "1-a0f-f0000152");
    assert_string_equal(name_of(0xf0000154), "1-a0f-f0000154");
}

static void whose_it_is(void **state) {
    struct pinsight_proc own;

    (void)state;
    be_of_ended();
    assert_int_equal(pinsight_buffer_owner(head), PINSIGHT_OWNER_ENDED);
    assert_true(pinsight_process_find(getpid(), &own));
    head->start = own.start;
    assert_int_equal(pinsight_buffer_owner(head), PINSIGHT_OWNER_ALIVE);
    head->boot = pinsight_machine_boot();
    assert_int_equal(pinsight_buffer_owner(head), PINSIGHT_OWNER_ALIVE);
    head->namespace ++;
    assert_int_equal(pinsight_buffer_owner(head), PINSIGHT_OWNER_ELSEWHERE);
    head->namespace --;
    /* Another machine of the same name. */
    head->boot ^= 2;
    assert_int_equal(pinsight_buffer_owner(head),
                     pinsight_machine_boot() ? PINSIGHT_OWNER_ELSEWHERE : PINSIGHT_OWNER_ALIVE);
}

/* A folder that another machine of this name records into is left to it. */
static void folders_of_two_machines(void **state) {
    char path[PATH_MAX], again[PATH_MAX], why[256];
    struct pinsight_file_finished finished;
    struct pinsight_control *control;
    enum pinsight_owned owned;
    int fd;

    (void)state;
    assert_int_equal(pinsight_file_folder_make(folder, &owned, why, sizeof why), 0);
    assert_true(pinsight_file_folder_path(path, folder));
    fd = pinsight_open_folder(AT_FDCWD, path, 0);
    control = pinsight_file_control_map(fd);
    close(fd);
    assert_non_null(control);
    if (control->boot) {
        control->boot ^= 2;
        assert_int_equal(pinsight_file_folder_make(folder, &owned, why, sizeof why), 0);
        assert_true(pinsight_file_folder_path(again, folder));
        assert_string_not_equal(again, path);
        assert_int_equal(strncmp(again, path, strlen(path)), 0);
        assert_int_equal(pinsight_file_folder_finish(folder, &finished), 0);
    }
    munmap(control, PINSIGHT_CONTROL_BYTES);
    snprintf(path, sizeof path, "%s/trace", folder);
    pinsight_path_remove(path);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    return UNIT_RUN(((struct unit_fixtures){make_folder, remove_folder, make, unmake}),
                    what_is_there, two_packets, a_base_that_moves, numbers_that_cannot_be,
                    files_that_are_none, names, names_of_processes, whose_it_is,
                    folders_of_two_machines);
}
