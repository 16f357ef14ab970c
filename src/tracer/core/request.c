/* Requests in datagrams; see request.h. */
#include "tracer/core/request.h"

#include "base/ctl.h"
#include "base/pairs.h"
#include "tracer/core/mode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)
#define WAIT_MS 2000u /* the default */
#define WAIT_MS_MAX 600000u

static const struct {
    const char *word;
    enum pinsight_request_verb verb;
    enum pinsight_order_kind kind;
} verbs[] = {
    {"status", PINSIGHT_REQUEST_STATUS, 0},
    {"resume", PINSIGHT_REQUEST_RESUME, 0},
    {"reload", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_RELOAD},
    {"mode", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_MODE},
    {"introspect", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_INTROSPECT},
    {"stop", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_STOP},
    {"detach", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_DETACH},
    {"define", PINSIGHT_REQUEST_ORDER, PINSIGHT_ORDER_DEFINE},
};

/* The text of the first error. */
struct request_error {
    char *text;
    size_t room;
    bool any;
};

static void report(struct request_error *error, const char *format, const char *what) {
    if (!error->any)
        snprintf(error->text, error->room, format, what);
    error->any = true;
}

/* Returns the domain with a name. On an error, lists the domains of this process. */
static struct pinsight_domain *find_domain(const char *name, struct request_error *error) {
    struct pinsight_domain *domain = pinsight_domain_find(name);
    char text[256];
    size_t used = 0;

    if (domain)
        return domain;
    text[0] = '\0';
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX && used < sizeof text; slot++) {
        struct pinsight_domain *there = pinsight_domain_at(slot);
        if (there)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     there->name);
    }
    if (!error->any)
        snprintf(error->text, error->room, "this process has no domain '%.60s'; it has %.200s",
                 name, used ? text : "none");
    error->any = true;
    return NULL;
}

static bool read_mode(const char *word, enum pinsight_mode *mode, struct request_error *error) {
    if (pinsight_mode_parse(word, mode) == 0)
        return true;
    report(error, "'%.60s' is no mode; there are OFF, STANDBY, MONITORING and TRACING", word);
    return false;
}

/* Reads a change of a mode, such as "Python=TRACING". */
static void read_change(struct pinsight_order *order, const char *value,
                        struct request_error *error) {
    const char *equals = strchr(value, '=');
    char name[64];

    if (!equals || equals == value || equals - value >= (ptrdiff_t)sizeof name) {
        report(error, "'%.60s' is not DOMAIN=MODE", value);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    struct pinsight_domain *domain = find_domain(name, error);
    enum pinsight_mode mode;
    if (!domain || !read_mode(equals + 1, &mode, error))
        return;
    unsigned i = 0;
    while (i < order->mode_count && order->modes[i].domain != domain)
        i++;
    if (i < order->mode_count) {
        report(error, "the domain '%.60s' stands here twice", domain->name);
    } else if (i < PINSIGHT_DOMAINS_MAX) {
        order->modes[i].domain = domain;
        order->modes[i].mode = mode;
        order->mode_count++;
    }
}

/* Reads seconds with decimals, in the C locale's form, or -1 for no limit. */
static void read_pause(int64_t *ns, const char *value, struct request_error *error) {
    int64_t seconds = 0, part = 0, unit = NS_PER_S;
    const char *at = value;

    if (strcmp(value, "-1") == 0) {
        *ns = -1;
        return;
    }
    for (; *at >= '0' && *at <= '9' && seconds <= 1000000000; at++)
        seconds = seconds * 10 + (*at - '0');
    bool good = at > value;
    if (*at == '.') {
        good = good && at[1];
        for (at++; *at >= '0' && *at <= '9'; at++) {
            unit /= 10; /* cuts off parts of a nanosecond */
            part += (*at - '0') * unit;
        }
    }
    if (good && !*at && seconds <= 1000000000)
        *ns = seconds * NS_PER_S + part;
    else
        report(error, "'%.60s' is no pause; it is seconds from 0 to 1000000000, or -1 for no limit",
               value);
}

static void read_script(struct pinsight_introspection *how, const char *value,
                        struct request_error *error) {
    if (*value != '/' || strlen(value) >= sizeof how->script)
        report(error, "the script '%.60s' has no whole path, or one that is too long", value);
    else
        strcpy(how->script, value);
}

static void read_wait(unsigned *ms, const char *value, struct request_error *error) {
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || number > WAIT_MS_MAX)
        report(error, "'%.60s' is no number of milliseconds to wait", value);
    else
        *ms = (unsigned)number;
}

/* Reads a line that some or all kinds of requests have. */
static void read_line(struct pinsight_request *request, const char *key, const char *value,
                      bool *has_after, struct request_error *error) {
    struct pinsight_order *order = &request->order;
    bool is_order = request->verb == PINSIGHT_REQUEST_ORDER;
    bool introspects = is_order && order->kind == PINSIGHT_ORDER_INTROSPECT;

    if (strcmp(key, "id") == 0) {
        if (strlen(value) < sizeof request->id && !strchr(value, '\n'))
            strcpy(request->id, value);
        else
            report(error, "the id '%.60s' is too long", value);
    } else if (strcmp(key, "wait") == 0) {
        read_wait(&request->wait_ms, value, error);
    } else if (is_order && order->kind == PINSIGHT_ORDER_MODE && strcmp(key, "mode") == 0) {
        read_change(order, value, error);
    } else if (introspects && strcmp(key, "pause") == 0) {
        read_pause(&order->introspection.pause_ns, value, error);
    } else if (introspects && strcmp(key, "script") == 0) {
        read_script(&order->introspection, value, error);
    } else if (introspects && strcmp(key, "after") == 0) {
        *has_after = read_mode(value, &order->introspection.after, error);
    } else if (introspects && strcmp(key, "domain") == 0) {
        order->introspection.domain = find_domain(value, error);
    } else {
        report(error,
               "this process does not know '%.60s' here; is it of another version of PInsight?",
               key);
    }
}

/* Fills in the defaults of an introspection. */
static void complete(struct pinsight_introspection *how, bool has_after,
                     struct request_error *error) {
    for (unsigned slot = 0; !how->domain && slot < PINSIGHT_DOMAINS_MAX; slot++)
        how->domain = pinsight_domain_at(slot);
    if (!how->domain)
        report(error, "%s", "this process has no domain that is observed");
    else if (!has_after)
        how->after = pinsight_domain_mode(how->domain);
    strcpy(how->cause, "ctl");
}

bool pinsight_request_read(char *packet, size_t length, struct pinsight_request *request,
                           char *error, size_t room) {
    struct request_error wrong = {.text = error, .room = room};
    struct pinsight_pairs_reader reader;
    const char *key, *value;
    size_t verb = 0;
    bool has_after = false;

    memset(request, 0, sizeof *request);
    request->wait_ms = WAIT_MS;
    request->order.reason = "ctl";
    pinsight_pairs_read(&reader, packet, length);
    if (!pinsight_pairs_next(&reader, &key, &value)) {
        report(&wrong, "%s", "the request is empty");
        return false;
    }
    while (verb < sizeof verbs / sizeof *verbs && strcmp(verbs[verb].word, key) != 0)
        verb++;
    if (verb == sizeof verbs / sizeof *verbs || *value) {
        report(&wrong,
               "this process does not know the request '%.60s'; is it of another version of "
               "PInsight?",
               key);
        verb = 0; /* reads on for the id */
    }
    request->verb = verbs[verb].verb;
    request->order.kind = verbs[verb].kind;
    while (pinsight_pairs_next(&reader, &key, &value))
        read_line(request, key, value, &has_after, &wrong);
    if (request->verb != PINSIGHT_REQUEST_ORDER)
        return !wrong.any;
    if (request->order.kind == PINSIGHT_ORDER_MODE && !request->order.mode_count)
        report(&wrong, "%s", "which mode? The request names none");
    if (request->order.kind == PINSIGHT_ORDER_INTROSPECT)
        complete(&request->order.introspection, has_after, &wrong);
    return !wrong.any;
}
