/* A datagram of any content to a traced process: what is read is complete, and lines that are
 * written can be read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctl.h"
#include "base/pairs.h"
#include "tracer/core/mode.h"
#include "tracer/core/request.h"

/* ---- a process with two domains ---- */

static struct pinsight_domain python = {.name = "Python", .mode = PINSIGHT_MODE_STANDBY};
static struct pinsight_domain mpi = {.name = "MPI", .mode = PINSIGHT_MODE_TRACING};

struct pinsight_domain *pinsight_domain_at(unsigned slot) {
    return slot == 0 ? &python : slot == 1 ? &mpi : NULL;
}

struct pinsight_domain *pinsight_domain_find(const char *name) {
    return strcmp(name, "Python") == 0 ? &python : strcmp(name, "MPI") == 0 ? &mpi : NULL;
}

int pinsight_mode_parse(const char *text, enum pinsight_mode *mode) {
    if (strcmp(text, "OFF") != 0 && strcmp(text, "TRACING") != 0)
        return -1;
    *mode = *text == 'O' ? PINSIGHT_MODE_OFF : PINSIGHT_MODE_TRACING;
    return 0;
}

/* ---- */

static void check(int is_right) {
    if (!is_right)
        abort();
}

static void check_request(const uint8_t *data, size_t size) {
    static struct pinsight_request request;
    char *packet = malloc(size + 1), error[300] = "";

    memcpy(packet, data, size);
    bool good = pinsight_request_read(packet, size, &request, error, sizeof error);
    check(good == !*error && memchr(error, '\0', sizeof error));
    check(memchr(request.id, '\0', sizeof request.id) != NULL && !strchr(request.id, '\n'));
    free(packet);
    if (!good || request.verb != PINSIGHT_REQUEST_ORDER)
        return;
    const struct pinsight_order *order = &request.order;
    check(order->reason != NULL && request.wait_ms <= 600000);
    if (order->kind == PINSIGHT_ORDER_MODE)
        check(order->mode_count >= 1 && order->mode_count <= 2);
    for (unsigned i = 0; i < order->mode_count; i++)
        check(order->modes[i].domain && order->modes[i].mode <= PINSIGHT_MODE_TRACING);
    if (order->kind == PINSIGHT_ORDER_INTROSPECT) {
        const struct pinsight_introspection *how = &order->introspection;
        check(how->domain && how->after <= PINSIGHT_MODE_TRACING && how->pause_ns >= -1);
        check(!*how->script || *how->script == '/');
    }
}

/* Every line that is read is written, and read again. */
static void check_lines(const uint8_t *data, size_t size) {
    char *first = malloc(size + 1), *second = malloc(2 * size + 64), *copy = malloc(size + 1);
    struct pinsight_pairs_reader reader, again;
    struct pinsight_pairs_writer writer;
    const char *key, *value, *key_again, *value_again;

    memcpy(first, data, size);
    memcpy(copy, data, size);
    pinsight_pairs_write(&writer, second, 2 * size + 64);
    pinsight_pairs_read(&reader, first, size);
    while (pinsight_pairs_next(&reader, &key, &value))
        pinsight_pairs_put(&writer, key, "%s", value);
    if (size < 8192)
        check(!writer.full && strlen(second) == writer.used);
    pinsight_pairs_read(&again, second, writer.used);
    pinsight_pairs_read(&reader, copy, size);
    while (size < 8192 && pinsight_pairs_next(&reader, &key, &value)) {
        check(pinsight_pairs_next(&again, &key_again, &value_again));
        /* An empty key and an empty value are a line with a blank. */
        check(strcmp(key, key_again) == 0 && strcmp(value, value_again) == 0);
    }
    free(first);
    free(second);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > PINSIGHT_CTL_MAX)
        return 0;
    check_request(data, size);
    check_lines(data, size);
    char *name = malloc(size + 1);
    memcpy(name, data, size);
    name[size] = '\0';
    check(pinsight_ctl_name_pid(name) >= 0);
    free(name);
    return 0;
}
