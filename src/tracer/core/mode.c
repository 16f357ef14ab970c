/* Modes; see mode.h. */
#include "tracer/core/mode.h"

#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
    [PINSIGHT_MODE_OFF] = "OFF",
    [PINSIGHT_MODE_STANDBY] = "STANDBY",
    [PINSIGHT_MODE_MONITORING] = "MONITORING",
    [PINSIGHT_MODE_TRACING] = "TRACING",
};
#define MODE_COUNT (sizeof names / sizeof names[0])

const char *pinsight_mode_name(enum pinsight_mode mode) {
    return (unsigned)mode < MODE_COUNT ? names[mode] : "unknown";
}

int pinsight_mode_parse(const char *text, enum pinsight_mode *mode) {
    for (unsigned i = 0; i < MODE_COUNT; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *mode = (enum pinsight_mode)i;
            return 0;
        }
    }
    return -1;
}

/* The modes' names differ in their first letters, so the longest common prefix decides. */
const char *pinsight_mode_nearest(const char *text) {
    unsigned best = PINSIGHT_MODE_TRACING;
    size_t longest = 0;
    for (unsigned i = 0; i < MODE_COUNT; i++) {
        size_t common = 0;
        while (text[common] && strncasecmp(text, names[i], common + 1) == 0)
            common++;
        if (common > longest) {
            longest = common;
            best = i;
        }
    }
    return names[best];
}

/* Changes the mode and keeps PINSIGHT_PAUSED. Decisions are made again, because the new mode may
 * want lexgions that the old one did not. */
static enum pinsight_mode put(struct pinsight_domain *domain, enum pinsight_mode mode) {
    int from = atomic_load(&domain->mode);
    while (
        !atomic_compare_exchange_weak(&domain->mode, &from, (int)mode | (from & PINSIGHT_PAUSED)))
        ;
    if ((from & ~PINSIGHT_PAUSED) != (int)mode)
        pinsight_decision_version_next();
    return (enum pinsight_mode)(from & ~PINSIGHT_PAUSED);
}

int pinsight_domain_set_mode(struct pinsight_domain *domain, enum pinsight_mode mode,
                             const char *reason) {
    if (pinsight_process.silent)
        return mode == PINSIGHT_MODE_OFF ? 0 : -1;
    enum pinsight_mode from = put(domain, mode);
    if (from == mode)
        return 0;
    if (mode > PINSIGHT_MODE_STANDBY)
        atomic_store(&pinsight_process.stuck, false);
    if (mode == PINSIGHT_MODE_TRACING)
        pinsight_window_version_next();
    else
        pinsight_decision_version_next(); /* a lexgion that was refused in TRACING may be counted */
    if (domain->apply_mode && domain->apply_mode(domain, from, reason) != 0) {
        put(domain, from);
        return -1;
    }
    pinsight_info_mode_change(domain->name, from, mode, reason);
    return 0;
}

void pinsight_domain_request_mode(struct pinsight_domain *domain, enum pinsight_mode mode) {
    put(domain, mode);
}

const char *pinsight_domain_refusal(struct pinsight_domain *domain, char *text, size_t room) {
    const char *why = atomic_load(&domain->refusal);
    snprintf(text, room, "%s%s", why ? ": " : "", why ? why : "");
    return text;
}

int pinsight_set_mode(const char *name, enum pinsight_mode mode) {
    struct pinsight_domain *domain = pinsight_domain_find(name);
    if (!domain || (unsigned)mode >= MODE_COUNT)
        return -1;
    return pinsight_domain_set_mode(domain, mode, "api");
}

int pinsight_get_mode(const char *name) {
    struct pinsight_domain *domain = pinsight_domain_find(name);
    return domain ? (int)pinsight_domain_mode(domain) : -1;
}
