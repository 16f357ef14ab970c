/* `pinsight config check`: explains a configuration file in words. */
#include "base/grid.h"
#include "base/memory.h"
#include "base/message.h"
#include "cli/config_options.h"
#include "views/kit/screen.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line, which begins with blanks. A line that is wider than the screen goes on below. */
static void say(const char *format, ...) {
    const unsigned width = pinsight_screen_terminal_width(stdout);
    va_list arguments;

    va_start(arguments, format);
    char *text = pinsight_format_list(format, arguments);
    va_end(arguments);
    const size_t indent = strspn(text, " ");

    printf("%*s", (int)indent, "");
    pinsight_wrap(stdout, width ? width : UINT_MAX, indent, indent + 2, text + indent);
    putchar('\n');
    free(text);
}

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
        say("  %s these modules with all their submodules: %s", filter ? "only" : "without", value);
    else
        say("  %s", filter ? "all modules" : "no module is left out");
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
        say("  %s: %s", pinsight_config_mode_word(setting->mode), mode_meaning(setting->mode));
        break;
    case PINSIGHT_KEY_EVENTS:
        say("  events: %s", pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_NAMES:
        say("%s", setting->registry ? "  names are explained once, events have numbers"
                                    : "  events have their names in them");
        break;
    case PINSIGHT_KEY_IMPORT:
        say("%s", import_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_ALLOCATIONS:
        say("%s", allocations_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_EXCEPTIONS:
        say(setting->choice ? "  exceptions are recorded: where raised, and where handled"
                            : "  exceptions are not recorded");
        break;
    case PINSIGHT_KEY_DEVICE_ACTIVITY:
        say("%s", activity_meaning[setting->choice]);
        break;
    case PINSIGHT_KEY_SHORTEST_VECTOR:
        say("  calls of BLAS 1 with vectors of fewer than %s elements are counted",
            pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_NESTED:
        say(setting->choice ? "  routines that a recorded routine calls are recorded, too"
                            : "  routines that a recorded routine calls belong to it");
        break;
    case PINSIGHT_KEY_BUDGET:
        if (setting->number)
            say("  recording costs at most %s of the program's own processor time",
                pinsight_config_text_of(config, setting));
        else
            say("  the cost of recording has no limit");
        break;
    case PINSIGHT_KEY_OPERATORS:
        say(setting->types.count ? "  operators of these types and their subclasses: %s"
                                 : "  operators of no type",
            pinsight_config_text_of(config, setting));
        break;
    case PINSIGHT_KEY_PROPERTIES:
        say(setting->types.count ? "  properties of these types and their subclasses: %s"
                                 : "  properties of no type",
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

    if (!range->ranges.count && !range->ranges.name_count)
        say("  every %s", domain->punit_kinds[section->punit]);
    else
        say("  %s %s only", domain->punit_kinds[section->punit],
            pinsight_config_text_of(config, range));
}

static void print_after(const struct pinsight_config *config,
                        const struct pinsight_config_setting *setting) {
    const struct pinsight_config_after *after = &setting->after;

    const char *value = pinsight_config_text_of(config, setting);
    switch (after->kind) {
    case PINSIGHT_AFTER_LEXGION:
        if (after->mode == PINSIGHT_MODE_TRACING)
            say("  after that, the region goes on being recorded (TRACING)");
        else if (after->mode == PINSIGHT_MODE_MONITORING)
            say("  after that, the region is only counted and timed (MONITORING)");
        else
            say("  after that, the region is not observed any more (%s)", value);
        break;
    case PINSIGHT_AFTER_DOMAINS:
        say("  after that, whole domains change their mode: %s", value);
        break;
    case PINSIGHT_AFTER_INTROSPECT:
        say("  after that, %s is run on the recorded trace, and the mode becomes %s (%s)",
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
            say("  the first %s executions are skipped", value);
        else
            say("  recorded from the first execution on");
        break;
    case PINSIGHT_KEY_RATE:
        if (number > 1)
            say("  one execution in %s is recorded", value);
        else
            say("  every execution is recorded");
        break;
    case PINSIGHT_KEY_MAX_TRACES:
        if (number < 0)
            say("  any number of executions");
        else
            say("  at most %s execution%s recorded", value, number == 1 ? " is" : "s are");
        break;
    case PINSIGHT_KEY_TIMEOUT:
        if (number)
            say("  for %s s at most", value);
        else
            say("  for any time");
        break;
    case PINSIGHT_KEY_LINES:
        say(setting->choice ? "  its lines are counted and timed" : "  its lines are not measured");
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
        say("  says nothing");
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
    say("%s has no errors. Its meaning:", argv[optind]);
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
    putchar('\n');
    say("All else is as without a file; `pinsight config show -c FILE` prints it.");
    pinsight_config_free(config);
    return pinsight_config_flush();
}
