/* `pinsight config show`: shows the valid configuration, and the origin of each value. */
#include "base/grid.h"
#include "base/memory.h"
#include "base/message.h"
#include "cli/config_options.h"
#include "views/kit/screen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN_ROOM 4200 /* for a path and a line number */
#define KEY_WIDTH 16
#define VALUE_WIDTH 20
#define VALUE_COLUMN (4 + KEY_WIDTH + 3)

/* Prints a value from the column VALUE_COLUMN on. A list that is wider than the screen takes more
 * lines, as in a file. Returns the number of columns of its last line. */
static size_t print_value(const char *value, size_t width) {
    size_t column = VALUE_COLUMN;

    while (*value) {
        size_t length = strcspn(value, ",");

        length += value[length] == ',';
        if (width && column > VALUE_COLUMN && column + length > width) {
            printf("\n%*s", VALUE_COLUMN, "");
            column = VALUE_COLUMN;
            length -= *value == ' ';
            value += *value == ' ';
        }
        printf("%.*s", (int)length, value);
        column += length;
        value += length;
    }
    return column - VALUE_COLUMN;
}

static void print_setting(const struct pinsight_config *config,
                          const struct pinsight_config_setting *setting) {
    const size_t width = pinsight_screen_terminal_width(stdout);
    const char *value = pinsight_config_text_of(config, setting);
    char room[ORIGIN_ROOM];
    const char *origin = pinsight_config_format_origin(&setting->origin, room, sizeof room);

    printf("    %-*s = ", KEY_WIDTH, pinsight_config_key_word(setting->key));
    size_t used = print_value(value, width);

    size_t taken = used < VALUE_WIDTH ? VALUE_WIDTH : used;

    if (width && VALUE_COLUMN + taken + strlen(" # ") + strlen(origin) > width)
        printf("\n%*s", VALUE_COLUMN - 1, "");
    else
        printf("%*s", (int)(taken - used), "");
    printf(" # %s\n", origin);
}

static void print_title(const struct pinsight_config *config,
                        const struct pinsight_config_section *section) {

    const char *limits = pinsight_config_limits_of(config, section);
    printf("\n%s%s%s\n", section->title, *limits ? " : " : "", limits);
}

/* Prints the first part: the settings that apply if no section is more precise. */
static void print_general(const struct pinsight_config *config) {
    const struct pinsight_config_section *section = config->sections;

    for (; section && section->origin.source == PINSIGHT_FROM_DEFAULT; section = section->next) {
        print_title(config, section);
        for (int key = 0; key < PINSIGHT_KEYS; key++) {
            const struct pinsight_config_setting *setting = section->settings[key];
            const struct pinsight_config_section *other = section->next;
            if (!setting)
                continue;
            for (; other; other = other->next)
                if (other->kind == section->kind && other->domain == section->domain &&
                    other->punit == section->punit && !other->limit_count && other->settings[key] &&
                    pinsight_config_stronger(other, setting->section, NULL) > 0)
                    setting = other->settings[key];
            print_setting(config, setting);
        }
    }
}

/* Returns whether the first part contains the section. */
static bool is_general(const struct pinsight_config_section *section) {
    return !section->limit_count && section->kind <= PINSIGHT_SECTION_LEXGIONS;
}

/* Prints the second part: sections for less code or for some units, in the file's order. */
static void print_precise(const struct pinsight_config *config) {
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        if (is_general(section))
            continue;
        print_title(config, section);
        for (int key = 0; key < PINSIGHT_KEYS; key++)
            if (section->settings[key])
                print_setting(config, section->settings[key]);
    }
}

/* ---- one region ---- */

/* Prints a line: a setting's section and its place, between two texts. A line that is wider than
 * the screen goes on below. */
static void name_setting(const struct pinsight_config *config,
                         const struct pinsight_config_setting *setting, const char *before,
                         const char *after) {
    const unsigned width = pinsight_screen_terminal_width(stdout);
    const char *limits = pinsight_config_limits_of(config, setting->section);
    char origin[ORIGIN_ROOM];
    char *text = pinsight_format(
        "%s%s%s (%s)%s", setting->section->title, *limits ? " : " : "", limits,
        pinsight_config_format_origin(&setting->origin, origin, sizeof origin), after);

    fputs(before, stdout);
    pinsight_wrap(stdout, width ? width : UINT_MAX, strlen(before), strlen(before), text);
    putchar('\n');
    free(text);
}

/* Prints each other section that sets the key, with the reason why it does not decide. */
static void explain(const struct pinsight_config *config,
                    const struct pinsight_config_region *region,
                    const struct pinsight_config_setting *winner) {
    bool after = false; /* after the winner in the list */

    name_setting(config, winner, "  decided by ", "");
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        const struct pinsight_config_setting *setting = section->settings[winner->key];
        const char *why = "";
        if (section == winner->section) {
            after = true;
            continue;
        }
        if (!setting || section->origin.source == PINSIGHT_FROM_DEFAULT ||
            !pinsight_config_section_matches(section, region))
            continue;
        bool stronger = after ? pinsight_config_stronger(section, winner->section, &why) > 0
                              : pinsight_config_stronger(winner->section, section, &why) < 0;
        if (stronger) /* but not the winner */
            why = "it decides where its limits hold";
        char *after = pinsight_format(", %s: %s", pinsight_config_text_of(config, setting), why);

        name_setting(config, setting, "  not by     ", after);
        free(after);
    }
}

static int show_region(const struct pinsight_config *config, const char *text) {
    struct pinsight_config_region region;
    size_t room = strlen(text) + 1;
    char *store = malloc(room), error[ORIGIN_ROOM];

    if (!store || pinsight_config_region_read(config->domains, config->domain_count, text, &region,
                                              store, room, error, sizeof error) != 0) {
        pinsight_error("--for %s", store ? error : "no memory");
        free(store);
        return 2;
    }
    printf("%s\n", text);
    for (int key = PINSIGHT_KEY_STARTS_AT; key < PINSIGHT_KEYS; key++) {
        if (key == PINSIGHT_KEY_LINES && region.kind != PINSIGHT_SELECT_SOURCE)
            continue;
        const struct pinsight_config_setting *setting =
            pinsight_config_lexgion_setting(config, &region, (enum pinsight_config_key)key, NULL);
        printf("\n%s = %s\n", pinsight_config_key_word(setting->key),
               pinsight_config_text_of(config, setting));
        explain(config, &region, setting);
    }
    free(store);
    return 0;
}

/* Prints the origins of the settings. A path that is too wide has a line for itself. */
static void print_sources(const char *path) {
    const size_t width = pinsight_screen_terminal_width(stdout);

    if (width && strlen("# defaults,  and the environment") + strlen(path) > width)
        printf("# defaults, the environment and\n# %s\n", path);
    else
        printf("# defaults, %s and the environment\n", path);
}

int pinsight_cmd_config_show(int argc, char **argv) {
    struct config_wanted wanted = {.path = NULL};
    int rc;

    if (!pinsight_config_options(&cli_config_show, 'c', argc, argv, &wanted, &rc))
        return rc;
    struct pinsight_config *config = pinsight_config_load(wanted.path, pinsight_config_getenv);
    if (!config)
        return 1;
    rc = 0;
    if (wanted.region) {
        rc = show_region(config, wanted.region);
    } else {
        if (config->path)
            print_sources(config->path);
        else
            puts("# defaults and the environment; no file");
        print_general(config);
        print_precise(config);
    }
    pinsight_config_free(config);
    return rc ? rc : pinsight_config_flush();
}
