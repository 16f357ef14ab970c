/* `pinsight config check`: explains a configuration file in words. */
#include "base/message.h"
#include "cli/config_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *mode_meaning(enum pinsight_mode mode) {
    switch (mode) {
    case PINSIGHT_MODE_OFF:
        return "nothing is observed";
    case PINSIGHT_MODE_STANDBY:
        return "nothing is recorded, until that is changed";
    case PINSIGHT_MODE_MONITORING:
        return "counts and times, no events";
    case PINSIGHT_MODE_TRACING:
        return "events are recorded";
    }
    return "";
}

static void print_modules(const struct pinsight_config *config,
                          const struct pinsight_config_setting *setting) {
    bool filter = setting->key == PINSIGHT_KEY_MODULE_FILTER;

    const char *value = pinsight_config_text_of(config, setting);
    if (setting->modules.count)
        printf("  %s these modules with all their submodules: %s\n", filter ? "only" : "without",
               value);
    else
        printf("  %s\n", filter ? "all modules" : "no module is left out");
}

static const char *const import_meaning[] = {
    [PINSIGHT_IMPORT_MODULES] = "  within imports only code of yours is recorded",
    [PINSIGHT_IMPORT_FULL] = "  what runs within imports is recorded",
};
static const char *const allocations_meaning[] = {
    [PINSIGHT_ALLOCATIONS_OFF] = "  allocations are not counted",
    [PINSIGHT_ALLOCATIONS_ON] = "  allocations are counted by function and line",
    [PINSIGHT_ALLOCATIONS_LIVE] =
        "  allocations are counted by function and line, and what of them lives",
};
static const char *const activity_meaning[] = {
    [PINSIGHT_DEVICE_ACTIVITY_OFF] = "  what devices do is not recorded",
    [PINSIGHT_DEVICE_ACTIVITY_ON] = "  what devices do is recorded, a graph as a whole",
    [PINSIGHT_DEVICE_ACTIVITY_ONE_PER_NODE] =
        "  what devices do is recorded, also each node of a graph",
};

static void print_domain_setting(const struct pinsight_config *config,
                                 const struct pinsight_config_setting *setting) {

    switch (setting->key) {
    case PINSIGHT_KEY_TRACE_MODE:
        printf("  %s: %s\n", pinsight_config_mode_word(setting->mode), mode_meaning(setting->mode));
        break;
    case PINSIGHT_KEY_EVENTS:
        printf("  events: %s\n", pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_NAMES:
        puts(setting->registry ? "  names are explained once, events have numbers"
                               : "  events have their names in them");
        break;
    case PINSIGHT_KEY_IMPORT:
        puts(import_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_ALLOCATIONS:
        puts(allocations_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_DEVICE_ACTIVITY:
        puts(activity_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_SHORTEST_VECTOR:
        printf("  calls of BLAS 1 with vectors of fewer than %s elements are counted\n",
               pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_OPERATORS:
        printf(setting->types.count ? "  operators of these types and their subclasses: %s\n"
                                    : "  operators of no type\n",
               pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_PROPERTIES:
        printf(setting->types.count ? "  properties of these types and their subclasses: %s\n"
                                    : "  properties of no type\n",
               pinsight_config_text_of(config, setting));
        break;
    default:
        print_modules(config, setting);
        break;
    }
}

static void print_range(const struct pinsight_config *config,
                        const struct pinsight_config_section *section) {
    const struct pinsight_config_setting *range = section->settings[PINSIGHT_KEY_RANGE];
    const struct pinsight_description *domain = &config->domains[section->domain];

    if (!range->ranges.count)
        printf("  every %s\n", domain->punit_kinds[section->punit]);
    else
        printf("  %s %s only\n", domain->punit_kinds[section->punit],
               pinsight_config_text_of(config, range));
}

static void print_after(const struct pinsight_config *config,
                        const struct pinsight_config_setting *setting) {
    const struct pinsight_config_after *after = &setting->after;

    const char *value = pinsight_config_text_of(config, setting);
    switch (after->kind) {
    case PINSIGHT_AFTER_LEXGION:
        if (after->mode == PINSIGHT_MODE_TRACING)
            puts("  after that, the region goes on being recorded (TRACING)");
        else if (after->mode == PINSIGHT_MODE_MONITORING)
            puts("  after that, the region is only counted and timed (MONITORING)");
        else
            printf("  after that, the region is not observed any more (%s)\n", value);
        break;
    case PINSIGHT_AFTER_DOMAINS:
        printf("  after that, whole domains change their mode: %s\n", value);
        break;
    case PINSIGHT_AFTER_INTROSPECT:
        printf("  after that, %s is run on the recorded trace, and the mode becomes %s (%s)\n",
               after->script ? after->script : "no script", pinsight_config_mode_word(after->mode),
               value);
        break;
    }
}

static void print_window_setting(const struct pinsight_config *config,
                                 const struct pinsight_config_setting *setting) {
    int64_t number = setting->number;

    const char *value = pinsight_config_text_of(config, setting);
    switch (setting->key) {
    case PINSIGHT_KEY_STARTS_AT:
        if (number)
            printf("  the first %s executions are skipped\n", value);
        else
            puts("  recorded from the first execution on");
        break;
    case PINSIGHT_KEY_RATE:
        if (number > 1)
            printf("  one execution in %s is recorded\n", value);
        else
            puts("  every execution is recorded");
        break;
    case PINSIGHT_KEY_MAX_TRACES:
        if (number < 0)
            puts("  any number of executions");
        else
            printf("  at most %s execution%s recorded\n", value, number == 1 ? " is" : "s are");
        break;
    case PINSIGHT_KEY_TIMEOUT:
        if (number)
            printf("  for %s s at most\n", value);
        else
            puts("  for any time");
        break;
    default:
        print_after(config, setting);
        break;
    }
}

static void print_section(const struct pinsight_config *config,
                          const struct pinsight_config_section *section) {

    printf("\n%s", section->title);
    if (section->limit_count)
        printf(" in %s", pinsight_config_limits_of(config, section));
    printf("  (line %u)\n", section->origin.line);
    bool any = false;
    for (int key = 0; key < PINSIGHT_KEYS; key++) {
        const struct pinsight_config_setting *setting = section->settings[key];
        if (!setting)
            continue;
        any = true;
        if (key < PINSIGHT_KEY_RANGE)
            print_domain_setting(config, setting);
        else if (key == PINSIGHT_KEY_RANGE)
            print_range(config, section);
        else
            print_window_setting(config, setting);
    }
    if (!any)
        puts("  says nothing");
}

int pinsight_cmd_config_check(int argc, char **argv) {
    int rc;

    if (!cli_parse(&cli_config_check, argc, argv, NULL, NULL, &rc))
        return rc;
    if (argc - optind != 1) {
        pinsight_error(argc == optind ? "config check wants a file, such as pinsight.ini"
                                      : "config check takes one file");
        return 2;
    }
    struct pinsight_config *config = pinsight_config_load(argv[optind], NULL);
    if (!config)
        return 1;
    printf("%s has no errors. Its meaning:\n", argv[optind]);
    bool any = false;
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        if (section->origin.source == PINSIGHT_FROM_FILE) {
            print_section(config, section);
            any = true;
        }
    }
    if (!any)
        puts("\nnothing: all is as it is without a file");
    puts("\nAll else is as without a file; `pinsight config show -c FILE` prints it.");
    pinsight_config_free(config);
    return pinsight_config_flush();
}
