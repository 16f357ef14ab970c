/* See recorded.h. */
#include "recorded.h"

#include "tracer/record/counted.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const struct pinsight_event_number small = {WIDE + 1, SMALL, 0, 0};
static const struct pinsight_event_number long_one = {WIDE + 2, LONG, 0, 0};
static const struct pinsight_event_number wide = {WIDE, PINSIGHT_NOT_FREQUENT, 1, 0};

struct pinsight_counts pinsight_recorded_counts; /* the core's */

char output[] = "/tmp/pinsight-record-XXXXXX";
char folder[PATH_MAX];

/* ---- reading back ---- */

static unsigned thread_of(struct found *found, uint32_t tid) {
    for (unsigned i = 0; i < found->tid_count; i++)
        if (found->tids[i] == tid)
            return i;
    assert_true(found->tid_count < MOST_THREADS);
    found->tids[found->tid_count] = tid;
    return found->tid_count++;
}

static void read_packet(const uint8_t *at, const uint8_t *end, struct found *found) {
    struct pinsight_packet_head packet;
    memcpy(&packet, at, sizeof packet);
    assert_int_equal(packet.magic, PINSIGHT_CTF_MAGIC);
    assert_true(packet.begin <= packet.end);
    unsigned thread = thread_of(found, packet.vtid);
    uint64_t last = packet.begin;
    for (at += sizeof packet; at < end;) {
        uint32_t word, number;
        memcpy(&word, at, 4);
        if ((word & 31) == PINSIGHT_EXTENDED) {
            uint32_t event;
            uint64_t now;
            memcpy(&event, at + 1, 4);
            memcpy(&now, at + 5, 8);
            assert_true(now >= last);
            last = now;
            at += PINSIGHT_EXTENDED_BYTES;
            if (event == pinsight_file_clock_sync) {
                struct pinsight_clocks clocks;
                memcpy(&clocks, at, sizeof clocks);
                assert_true(clocks.ticks <= now &&
                            clocks.real > 1500000000u * UINT64_C(1000000000));
                at += sizeof clocks;
                found->syncs++;
                continue;
            }
            if (event == pinsight_file_thread_clock) {
                struct clock_reading reading = {.ticks = now};
                memcpy(&reading.processor_ns, at, 16);
                if (found->reading_count < MOST_READINGS)
                    found->readings[found->reading_count] = reading;
                found->reading_count++;
                at += 16;
                continue;
            }
            if (event == pinsight_file_process_memory) {
                at += 8;
                continue;
            }
            if (event == WIDE) {
                size_t bytes = strlen((const char *)at) + 1;
                found->text_bytes += bytes;
                found->wide++;
                at += bytes;
                continue;
            }
            word = event == WIDE + 1 ? SMALL : event == WIDE + 2 ? LONG : PINSIGHT_EXTENDED;
        } else {
            last += ((word >> 5) - (uint32_t)last) & ((1u << 27) - 1);
            at += 4;
        }
        if ((word & 31) == LONG) {
            at += LONG_BYTES;
            found->long_ones++;
            continue;
        }
        assert_int_equal(word & 31, SMALL);
        memcpy(&number, at, 4);
        at += 4;
        found->small++;
        found->sums[thread] += number;
    }
    assert_ptr_equal(at, end);
    assert_true(last <= packet.end);
}

static void read_stream(const char *name, struct found *found) {
    char path[PATH_MAX + 256];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    uint8_t *bytes = malloc((size_t)status.st_size);
    assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
    close(fd);
    for (uint8_t *at = bytes; at < bytes + status.st_size;) {
        struct pinsight_packet_head packet;
        memcpy(&packet, at, sizeof packet);
        assert_int_equal(packet.size, packet.content);
        read_packet(at, at + packet.size / 8, found);
        at += packet.size / 8;
        found->packets++;
    }
    free(bytes);
}

void read_all(struct found *found) {
    memset(found, 0, sizeof *found);
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            read_stream(entry->d_name, found);
    closedir(list);
}

void read_after(void (*work)(void), struct found *after) {
    in_child(work);
    read_all(after);
}

void read_around(void (*work)(void), struct found *before, struct found *after) {
    read_all(before);
    read_after(work, after);
}

/* ---- recording ---- */

void put_small(uint32_t number) {
    struct pinsight_event_place place;
    if (!pinsight_stream_take(SMALL, 0, &place))
        assert_true(pinsight_stream_reserve(&small, sizeof number, &place));
    pinsight_stream_commit(&place, PINSIGHT_STORE(place.at, number));
}

void put_long(void) {
    enum { MORE = sizeof(uint32_t) + LONG_BYTES - PINSIGHT_STREAM_SPARE };
    struct pinsight_event_place place;
    if (!pinsight_stream_take_more(LONG, false, MORE, 0, &place))
        assert_true(pinsight_stream_reserve(&long_one, LONG_BYTES, &place));
    assert_true(place.at + LONG_BYTES <= place.stream->buffer + place.stream->size);
    memset(place.at, 0, LONG_BYTES);
    pinsight_stream_commit(&place, place.at + LONG_BYTES);
}

bool put_text(const char *text) {
    struct pinsight_event_place place;
    size_t bytes = pinsight_stream_text_bytes(text);
    if (!pinsight_stream_reserve(&wide, bytes, &place))
        return false;
    pinsight_stream_commit(&place, pinsight_store_text(place.at, text, bytes));
    return true;
}

void in_child(void (*work)(void)) {
    pid_t child = fork();
    if (!child) {
        work();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct pinsight_file_finished finished;
    assert_int_equal(pinsight_file_folder_finish(output, &finished), 0);
    assert_int_equal(finished.error, 0);
}

/* ---- fixtures ---- */

int set_up(void **state) {
    struct pinsight_counts_grant grant;
    (void)state;
    if (!mkdtemp(output))
        return -1;
    setenv("PINSIGHT_OUTPUT", output, 1);
    return pinsight_recorder_file.join(&grant) == PINSIGHT_JOINED &&
                   pinsight_file_folder_path(folder, output)
               ? 0
               : -1;
}

int take_down(void **state) {
    char command[sizeof output + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", output);
    return system(command);
}
