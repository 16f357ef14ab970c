/* A configuration of any content: what is read can be looked up, printed, and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"

static const char *const punits[] = {"thread", "rank", NULL};
static const char *const no_punits[] = {NULL};
static const struct pinsight_event_descriptor events[] = {{"function", true, ""},
                                                          {"c_call", false, ""}};
static const struct pinsight_description domains[] = {
    {.name = "Python",
     .punit_kinds = punits,
     .events = events,
     .event_count = 2,
     .selectors = PINSIGHT_SELECT_SOURCE | PINSIGHT_SELECT_CALLEE,
     .has_modules = true,
     .has_names = true,
     .has_operators = true,
     .has_properties = true,
     .has_allocations = true,
     .has_exceptions = true,
     .has_budget = true,
     .has_device_activity = true,
     .has_import = true,
     .has_shortest_vector = true,
     .has_nested = true,
     .process_punits = 2},
    {.name = "MPI",
     .punit_kinds = punits,
     .events = events,
     .event_count = 1,
     .selectors = PINSIGHT_SELECT_NATIVE,
     .process_punits = 2},
    {.name = "User",
     .punit_kinds = no_punits,
     .events = events,
     .event_count = 2,
     .selectors = PINSIGHT_SELECT_NAME,
     .is_own = true},
};

static int64_t unit(const void *data, unsigned domain, unsigned punit) {
    (void)data;
    return domain == 1 && punit == 1 ? 3 : -1;
}

static struct pinsight_config *read_text(const char *text, size_t length,
                                         struct pinsight_config_errors *errors) {
    struct pinsight_config_input input = {
        .domains = domains, .domain_count = 3, .path = "f", .text = text, .length = length};
    return pinsight_config_read(&input, errors);
}

static void check_errors(const struct pinsight_config_errors *errors) {
    char text[PINSIGHT_CONFIG_ERROR_ROOM + 64];

    if (!errors->count || errors->count > PINSIGHT_CONFIG_ERRORS_MAX)
        abort();
    for (size_t i = 0; i < errors->count; i++) {
        pinsight_config_error_text(errors, i, text, sizeof text);
        if (!*errors->list[i].text)
            abort();
        for (const char *at = text; *at; at++)
            if ((unsigned char)*at < 0x20)
                abort();
    }
}

/* A value that is printed in full can be read again, and is printed the same. */
static void check_again(const struct pinsight_config *config,
                        const struct pinsight_config_setting *setting) {
    static char value[1 << 20], text[(1 << 20) + 256], again[1 << 20];
    struct pinsight_config_errors errors;
    const char *title = setting->section->title;

    pinsight_config_format(config, setting, value, sizeof value);
    if (strlen(value) > 4096)
        return;
    strcpy(text, strlen(title) < 100 ? title : "[Lexgion.default]");
    strcat(text, "\n");
    strcat(text, pinsight_config_key_word(setting->key));
    strcat(text, " = ");
    strcat(text, value);
    struct pinsight_config *second = read_text(text, strlen(text), &errors);
    if (!second)
        abort();
    const struct pinsight_config_section *last = second->sections;
    while (last->next)
        last = last->next;
    pinsight_config_format(second, last->settings[setting->key], again, sizeof again);
    if (strcmp(value, again) != 0)
        abort();
    pinsight_config_free(second);
}

static void look_up(const struct pinsight_config *config) {
    static const struct pinsight_config_region regions[] = {
        {.domain = 0, .kind = PINSIGHT_SELECT_SOURCE, .file = "/a/b.py", .name = "f.<locals>.g"},
        {.domain = 0, .kind = PINSIGHT_SELECT_CALLEE, .name = "numpy.dot"},
        {.domain = 1, .kind = PINSIGHT_SELECT_NATIVE, .file = "/lib/m.so", .has_offset = true},
        {.domain = 2, .kind = PINSIGHT_SELECT_NAME, .name = "assembly"},
    };
    struct pinsight_config_place place = {unit, NULL};

    for (int key = 0; key < PINSIGHT_KEYS; key++) {
        for (size_t i = 0; key >= PINSIGHT_KEY_STARTS_AT && i < 4; i++)
            if (!pinsight_config_lexgion_setting(config, &regions[i], (enum pinsight_config_key)key,
                                                 &place))
                abort();
        if (key < PINSIGHT_KEY_RANGE &&
            !pinsight_config_domain_setting(config, 0, (enum pinsight_config_key)key, &place))
            abort();
    }
    if (!pinsight_config_punit_range(config, 1, 1, &place))
        abort();
}

/* The name of a region, as the command gets it. */
static void read_region(const uint8_t *data, size_t size) {
    struct pinsight_config_region region;
    char text[200], store[100], error[120];

    if (size >= sizeof text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (pinsight_config_region_read(domains, 2, text, &region, store, sizeof store, error,
                                    sizeof error) == 0 &&
        !region.name && !region.has_offset)
        abort();
}

static const char *of_all_variables;

static const char *get_variable(const char *name) {
    return strcmp(name, "PINSIGHT_CONFIG") == 0 ? NULL : of_all_variables;
}

/* Variables of the environment that hold it. */
static void read_environment(const uint8_t *data, size_t size) {
    struct pinsight_config_input input = {
        .domains = domains, .domain_count = 2, .environment = get_variable};
    struct pinsight_config_errors errors;
    char text[200];

    if (size >= sizeof text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    of_all_variables = text;
    struct pinsight_config *config = pinsight_config_read(&input, &errors);
    if (!config)
        check_errors(&errors);
    pinsight_config_free(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_region(data, size);
    read_environment(data, size);
    struct pinsight_config_errors errors;
    struct pinsight_config *config = read_text((const char *)data, size, &errors);
    char limits[256];
    int settings = 0;

    if (!config) {
        check_errors(&errors);
        return 0;
    }
    look_up(config);
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        pinsight_config_format_limits(config, section, limits, sizeof limits);
        for (int key = 0; key < PINSIGHT_KEYS; key++)
            if (section->settings[key] && section->origin.source == PINSIGHT_FROM_FILE &&
                settings++ < 20)
                check_again(config, section->settings[key]);
    }
    pinsight_config_free(config);
    return 0;
}
