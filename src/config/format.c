/* Formats values in the form of a configuration file. */
#include "config/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S INT64_C(1000000000)

/* Text in a buffer with a fixed room. */
struct out {
    char *text;
    size_t used, room;
};

static void put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct out *out, const char *format, ...) {
    va_list arguments;

    if (out->used + 1 >= out->room)
        return;
    va_start(arguments, format);
    int n = vsnprintf(out->text + out->used, out->room - out->used, format, arguments);
    va_end(arguments);
    if (n > 0)
        out->used += (size_t)n < out->room - out->used ? (size_t)n : out->room - out->used - 1;
}

static struct out start(char *text, size_t room) {
    if (room)
        text[0] = '\0';
    return (struct out){.text = text, .room = room};
}

/* Writes a word. Quotes it if it contains a character with a meaning, such as a comma or "#". */
static void put_word(struct out *out, const char *word) {
    if (!strpbrk(word, "#;,'\" \t=()") && *word) {
        put(out, "%s", word);
        return;
    }
    put(out, "\"");
    for (; *word; word++)
        put(out, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
    put(out, "\"");
}

/* Writes a name, quoted if it could be a number. */
static void put_name(struct out *out, const char *name) {
    if (strspn(name, "0123456789-") != strlen(name) && strcmp(name, "*") != 0)
        put_word(out, name);
    else
        put(out, "\"%s\"", name);
}

static void put_ranges(struct out *out, const struct pinsight_config_ranges *ranges) {
    if (!ranges->count && !ranges->name_count)
        put(out, "*");
    for (size_t i = 0; i < ranges->count; i++) {
        const struct pinsight_config_range *range = &ranges->items[i];
        put(out, "%s%u", i ? "," : "", range->first);
        if (range->last != range->first)
            put(out, "-%u", range->last);
    }
    for (size_t i = 0; i < ranges->name_count; i++) {
        put(out, "%s", i || ranges->count ? "," : "");
        put_name(out, ranges->names[i]);
    }
}

static void put_seconds(struct out *out, int64_t ns) {
    char part[16];

    put(out, "%" PRId64, ns / NS_PER_S);
    if (ns % NS_PER_S) {
        snprintf(part, sizeof part, "%09" PRId64, ns % NS_PER_S);
        for (size_t length = strlen(part); length && part[length - 1] == '0';)
            part[--length] = '\0';
        put(out, ".%s", part);
    }
}

static void put_events(struct out *out, const struct pinsight_description *domain,
                       uint64_t events) {
    const char *between = "";

    if (!events)
        put(out, "none");
    for (size_t i = 0; i < domain->event_count; i++) {
        if (events >> i & 1) {
            put(out, "%s%s", between, domain->events[i].name);
            between = ", ";
        }
    }
}

static void put_after(struct out *out, const struct pinsight_config *config,
                      const struct pinsight_config_after *after) {
    switch (after->kind) {
    case PINSIGHT_AFTER_LEXGION:
        put(out, "%s", pinsight_config_mode_word(after->mode));
        break;
    case PINSIGHT_AFTER_DOMAINS:
        for (size_t i = 0; i < after->count; i++)
            put(out, "%s%s:%s", i ? ", " : "", config->domains[after->domains[i].domain].name,
                pinsight_config_mode_word(after->domains[i].mode));
        break;
    case PINSIGHT_AFTER_INTROSPECT:
        put(out, "INTROSPECT:");
        if (after->pause_ns < 0)
            put(out, "-1");
        else
            put_seconds(out, after->pause_ns);
        put(out, ":");
        if (!after->script)
            put(out, "-");
        else if (strcmp(after->script_written, "-") == 0) /* a file, not the word for none */
            put(out, "\"-\"");
        else
            put_word(out, after->script_written);
        put(out, ":%s", pinsight_config_mode_word(after->mode));
        break;
    }
}

static void put_list(struct out *out, const struct pinsight_config_list *names,
                     const char *nothing) {
    if (!names->count)
        put(out, "%s", nothing);
    for (size_t i = 0; i < names->count; i++) {
        put(out, "%s", i ? ", " : "");
        put_word(out, names->items[i]);
    }
}

const char *pinsight_config_format(const struct pinsight_config *config,
                                   const struct pinsight_config_setting *setting, char *text,
                                   size_t room) {
    struct out out = start(text, room);

    switch (setting->key) {
    case PINSIGHT_KEY_TRACE_MODE:
        put(&out, "%s", pinsight_config_mode_word(setting->mode));
        break;
    case PINSIGHT_KEY_EVENTS:
        put_events(&out, &config->domains[setting->section->domain], setting->events);
        break;
    case PINSIGHT_KEY_MODULE_FILTER:
        put_list(&out, &setting->modules, "*");
        break;
    case PINSIGHT_KEY_MODULE_EXCLUDE:
        put_list(&out, &setting->modules, "none");
        break;
    case PINSIGHT_KEY_NAMES:
        put(&out, "%s", setting->registry ? "registry" : "inline");
        break;
    case PINSIGHT_KEY_IMPORT:
    case PINSIGHT_KEY_ALLOCATIONS:
    case PINSIGHT_KEY_EXCEPTIONS:
    case PINSIGHT_KEY_DEVICE_ACTIVITY:
    case PINSIGHT_KEY_NESTED:
    case PINSIGHT_KEY_LINES:
        put(&out, "%s", pinsight_config_choices(setting->key)[setting->choice]);
        break;
    case PINSIGHT_KEY_OPERATORS:
    case PINSIGHT_KEY_PROPERTIES:
        put_list(&out, &setting->types, "none");
        break;
    case PINSIGHT_KEY_MINE:
        put_list(&out, &setting->types, "default");
        break;
    case PINSIGHT_KEY_RANGE:
        put_ranges(&out, &setting->ranges);
        break;
    case PINSIGHT_KEY_TIMEOUT:
        put_seconds(&out, setting->number);
        break;
    case PINSIGHT_KEY_BUDGET:
        if (setting->number) {
            put_seconds(&out, setting->number * (NS_PER_S / 1000)); /* up to three decimals */
            put(&out, "%%");
        } else {
            put(&out, "none");
        }
        break;
    case PINSIGHT_KEY_MODE_AFTER:
        put_after(&out, config, &setting->after);
        break;
    default:
        put(&out, "%" PRId64, setting->number);
        break;
    }
    return text;
}

const char *pinsight_config_format_ranges(const struct pinsight_config_ranges *ranges, char *text,
                                          size_t room) {
    struct out out = start(text, room);

    put_ranges(&out, ranges);
    return text;
}

const char *pinsight_config_format_limits(const struct pinsight_config *config,
                                          const struct pinsight_config_section *section, char *text,
                                          size_t room) {
    struct out out = start(text, room);

    for (size_t i = 0; i < section->limit_count; i++) {
        const struct pinsight_config_limit *limit = &section->limits[i];
        const struct pinsight_description *domain = &config->domains[limit->domain];
        put(&out, "%s%s.%s(", i ? ", " : "", domain->name, domain->punit_kinds[limit->punit]);
        put_ranges(&out, &limit->ranges);
        put(&out, ")");
    }
    return text;
}

const char *pinsight_config_format_origin(const struct pinsight_config_origin *origin, char *text,
                                          size_t room) {
    struct out out = start(text, room);

    switch (origin->source) {
    case PINSIGHT_FROM_DEFAULT:
        put(&out, "default");
        break;
    case PINSIGHT_FROM_FILE:
        put(&out, "%s:%u", origin->name, origin->line);
        break;
    case PINSIGHT_FROM_ENVIRONMENT:
        put(&out, "environment, %s", origin->name);
        break;
    }
    return text;
}
