/* `pinsight config show`: shows the valid configuration, and the origin of each value. */
#include "cli/config_options.h"

#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN_ROOM 4200 /* for a path and a line number */
#define KEY_WIDTH 16
#define VALUE_WIDTH 20

static void print_setting(const struct pinsight_config *config,
                          const struct pinsight_config_setting *setting) {
    char origin[ORIGIN_ROOM];

    printf("    %-*s = %-*s # %s\n", KEY_WIDTH, pinsight_config_key_word(setting->key), VALUE_WIDTH,
           pinsight_config_text_of(config, setting),
           pinsight_config_format_origin(&setting->origin, origin, sizeof origin));
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

/* Prints a setting's section and its place. */
static void name_setting(const struct pinsight_config *config,
                         const struct pinsight_config_setting *setting) {
    char origin[ORIGIN_ROOM];

    const char *limits = pinsight_config_limits_of(config, setting->section);
    printf("%s%s%s (%s)", setting->section->title, *limits ? " : " : "", limits,
           pinsight_config_format_origin(&setting->origin, origin, sizeof origin));
}

/* Prints each other section that sets the key, with the reason why it does not decide. */
static void explain(const struct pinsight_config *config,
                    const struct pinsight_config_region *region,
                    const struct pinsight_config_setting *winner) {
    bool after = false; /* after the winner in the list */

    printf("  decided by ");
    name_setting(config, winner);
    putchar('\n');
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
        printf("  not by     ");
        name_setting(config, setting);
        printf(", %s: %s\n", pinsight_config_text_of(config, setting), why);
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
        const struct pinsight_config_setting *setting =
            pinsight_config_lexgion_setting(config, &region, (enum pinsight_config_key)key, NULL);
        printf("\n%s = %s\n", pinsight_config_key_word(setting->key),
               pinsight_config_text_of(config, setting));
        explain(config, &region, setting);
    }
    free(store);
    return 0;
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
            printf("# defaults, %s and the environment\n", config->path);
        else
            puts("# defaults and the environment; no file");
        print_general(config);
        print_precise(config);
    }
    pinsight_config_free(config);
    return rc ? rc : pinsight_config_flush();
}
