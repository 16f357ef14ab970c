/* Collects and sends batches; see batch.h. */
#include "views/data/batch.h"

#include "base/escape.h"
#include "base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* A batch with longer dictionaries is sent before it is full. */
#define MOST_TEXT ((size_t)32 << 20)

static size_t aligned(size_t size) {
    return (size + PINSIGHT_DATA_ALIGNED - 1) / PINSIGHT_DATA_ALIGNED * PINSIGHT_DATA_ALIGNED;
}

static size_t column_size(const struct pinsight_data_column *column) {
    switch (column->type) {
    case PINSIGHT_DATA_I64:
        return (size_t)PINSIGHT_DATA_ROWS * 8;
    case PINSIGHT_DATA_BOOL:
        return PINSIGHT_DATA_ROWS / 8;
    default:
        return (size_t)PINSIGHT_DATA_ROWS * 4;
    }
}

void pinsight_data_batch_make(struct pinsight_data_batch *batch,
                              const struct pinsight_data_table *table, int socket) {
    *batch = (struct pinsight_data_batch){.table = table, .socket = socket, .memory = -1};
    for (uint32_t i = 0; i < table->column_count; i++)
        batch->size += column_size(&table->columns[i]);
}

static void forget_memory(struct pinsight_data_batch *batch) {
    if (batch->begin)
        munmap(batch->begin, batch->size);
    if (batch->memory >= 0)
        close(batch->memory);
    batch->begin = NULL;
    batch->memory = -1;
}

void pinsight_data_batch_clear(struct pinsight_data_batch *batch) {
    forget_memory(batch);
    for (uint32_t i = 0; i < batch->table->column_count; i++)
        pinsight_strings_clear(&batch->words[i]);
}

/* Sends a message, with a descriptor unless it is negative. */
static void send_message(struct pinsight_data_batch *batch,
                         const struct pinsight_data_message *message, int memory) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)message, sizeof(*message)};
    struct msghdr whole = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;

    if (memory >= 0) {
        whole.msg_control = &control;
        whole.msg_controllen = sizeof(control);
        control.head = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &memory, sizeof(memory));
    }
    do
        sent = sendmsg(batch->socket, &whole, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    batch->ended = batch->ended || sent < 0;
}

static void fail(struct pinsight_data_batch *batch, const char *what) {
    struct pinsight_data_message message = {.kind = PINSIGHT_DATA_ERROR};

    if (batch->ended)
        return;
    snprintf(message.text, sizeof(message.text), "%s", what);
    send_message(batch, &message, -1);
    batch->ended = true;
}

static void fail_for_memory(struct pinsight_data_batch *batch) {
    char *text =
        pinsight_format("memory for a batch of rows could not be had: %s", strerror(errno));

    fail(batch, text);
    free(text);
}

/* Makes the memory of a batch. Pages that are never written to take no memory. */
static bool begin_batch(struct pinsight_data_batch *batch) {
    void *memory;
    size_t at = 0;

    if (batch->ended)
        return false;
    batch->memory = memfd_create("pinsight-rows", MFD_CLOEXEC);
    if (batch->memory < 0 || ftruncate(batch->memory, (off_t)batch->size) != 0) {
        fail_for_memory(batch);
        return false;
    }
    memory = mmap(NULL, batch->size, PROT_READ | PROT_WRITE, MAP_SHARED, batch->memory, 0);
    if (memory == MAP_FAILED) {
        fail_for_memory(batch);
        return false;
    }
    batch->begin = memory;
    for (uint32_t i = 0; i < batch->table->column_count; i++) {
        batch->values[i] = batch->begin + at;
        at += column_size(&batch->table->columns[i]);
    }
    batch->number++;
    return true;
}

bool pinsight_data_row(struct pinsight_data_batch *batch) {
    batch->column = 0;
    return batch->begin || begin_batch(batch);
}

uint32_t pinsight_data_word(struct pinsight_data_batch *batch, uint32_t column, const char *text) {
    struct pinsight_strings *words = &batch->words[column];
    char *valid = pinsight_escape_if(text, NULL);
    size_t length = strlen(valid), before = words->count;
    uint32_t number = pinsight_strings_add(words, valid, length);

    if (words->count != before)
        batch->text_size += length;
    free(valid);
    return number;
}

void pinsight_data_set(struct pinsight_data_batch *batch, uint32_t column, int64_t value) {
    switch (batch->table->columns[column].type) {
    case PINSIGHT_DATA_I64:
        ((int64_t *)batch->values[column])[batch->rows] = value;
        return;
    case PINSIGHT_DATA_BOOL:
        if (value)
            ((unsigned char *)batch->values[column])[batch->rows / 8] |=
                (unsigned char)(1u << batch->rows % 8);
        return;
    default:
        ((int32_t *)batch->values[column])[batch->rows] = (int32_t)value;
    }
}

void pinsight_data_add(struct pinsight_data_batch *batch, int64_t value) {
    pinsight_data_set(batch, batch->column++, value);
}

void pinsight_data_add_text(struct pinsight_data_batch *batch, const char *text) {
    pinsight_data_add(batch, pinsight_data_word(batch, batch->column, text ? text : ""));
}

/* Writes the dictionary of a column behind the values, and notes its place. Returns the end. */
static size_t write_words(struct pinsight_data_batch *batch, uint32_t column, size_t at,
                          struct pinsight_data_place *place) {
    const struct pinsight_strings *words = &batch->words[column];
    size_t size = 0, head = aligned((words->count + 1) * sizeof(int32_t));
    char *bytes;

    for (size_t i = 0; i < words->count; i++)
        size += words->items[i].length;
    bytes = pinsight_calloc(1, head + size + 1);
    *place = (struct pinsight_data_place){
        .values = place->values, .offsets = at, .bytes = at + head, .words = words->count};
    size = 0;
    for (size_t i = 0; i < words->count; i++) {
        memcpy(bytes + head + size, words->items[i].text, words->items[i].length);
        size += words->items[i].length;
        ((int32_t *)(void *)bytes)[i + 1] = (int32_t)size;
    }
    if (pwrite(batch->memory, bytes, head + size, (off_t)at) != (ssize_t)(head + size))
        fail_for_memory(batch);
    free(bytes);
    return at + aligned(head + size);
}

/* Waits until the receiver's consumer has taken all but a few batches. */
static void wait_for_room(struct pinsight_data_batch *batch) {
    char taken[16];
    ssize_t count;

    while (!batch->ended && batch->ahead >= PINSIGHT_DATA_AHEAD) {
        count = recv(batch->socket, taken, sizeof(taken), 0);
        if (count > 0)
            batch->ahead -= (uint32_t)count < batch->ahead ? (uint32_t)count : batch->ahead;
        else if (count == 0 || errno != EINTR)
            batch->ended = true;
    }
}

static void send_batch(struct pinsight_data_batch *batch) {
    struct pinsight_data_message message = {.kind = PINSIGHT_DATA_BATCH, .rows = batch->rows};
    size_t at = batch->size;

    for (uint32_t i = 0; i < batch->table->column_count; i++) {
        message.places[i].values = (uint64_t)((char *)batch->values[i] - batch->begin);
        if (batch->table->columns[i].type == PINSIGHT_DATA_TEXT)
            at = write_words(batch, i, at, &message.places[i]);
        pinsight_strings_clear(&batch->words[i]);
    }
    message.size = at;
    if (!batch->ended && ftruncate(batch->memory, (off_t)at) != 0)
        fail_for_memory(batch);
    wait_for_room(batch);
    if (!batch->ended)
        send_message(batch, &message, batch->memory);
    batch->ahead++;
    forget_memory(batch);
    batch->rows = 0;
    batch->text_size = 0;
}

void pinsight_data_row_end(struct pinsight_data_batch *batch) {
    batch->rows++;
    if (__builtin_expect(batch->rows == PINSIGHT_DATA_ROWS || batch->text_size > MOST_TEXT, 0))
        send_batch(batch);
}

/* Waits until the receiver closes the socket. An answer that is still unread when this process
 * closes it would reset the connection, and take the last message away. */
static void wait_for_end(const struct pinsight_data_batch *batch) {
    char taken[16];
    ssize_t count;

    do
        count = recv(batch->socket, taken, sizeof(taken), 0);
    while (count > 0 || (count < 0 && errno == EINTR));
}

void pinsight_data_end(struct pinsight_data_batch *batch, const char *error) {
    const struct pinsight_data_message message = {.kind = PINSIGHT_DATA_END};

    if (batch->rows)
        send_batch(batch);
    if (error)
        fail(batch, error);
    else if (!batch->ended)
        send_message(batch, &message, -1);
    wait_for_end(batch);
}

bool pinsight_data_is_unread(const struct pinsight_data_batch *batch) {
    struct pollfd look = {.fd = batch->socket, .events = 0};

    return batch->ended || (poll(&look, 1, 0) > 0 && look.revents & (POLLHUP | POLLERR));
}
