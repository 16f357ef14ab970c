/* The registry of domains; see domain.h. */
#include "core/domain.h"

#include "core/log.h"
#include "core/mode.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Filled from the front, never emptied: readers need no lock. */
static _Atomic(struct pinsight_domain *) registry[PINSIGHT_DOMAINS_MAX];
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

/* Is `name` a word of the comma-separated `list`? */
static bool list_has(const char *list, const char *name) {
    size_t length = strlen(name);
    while (*list) {
        list += strspn(list, ", \t");
        size_t word = strcspn(list, ", \t");
        if (word == length && strncasecmp(list, name, length) == 0)
            return true;
        list += word;
    }
    return false;
}

static enum pinsight_mode first_mode(const struct pinsight_domain *domain) {
    char variable[64];
    snprintf(variable, sizeof variable, "PINSIGHT_TRACE_%s", domain->name);
    for (char *c = variable; *c; c++)
        *c = (char)toupper((unsigned char)*c);

    const char *value = getenv(variable);
    if (value) {
        enum pinsight_mode mode;
        if (pinsight_mode_parse(value, &mode) == 0)
            return mode;
        static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
        pinsight_log_once(&once,
                          "%s=%s is not a mode; the domain stays OFF (OFF, STANDBY, MONITORING or "
                          "TRACING; did you mean %s?)",
                          variable, value, pinsight_mode_nearest(value));
        return PINSIGHT_MODE_OFF;
    }
    const char *domains = getenv("PINSIGHT_DOMAINS");
    if (domains && !list_has(domains, domain->name))
        return PINSIGHT_MODE_OFF;
    return PINSIGHT_MODE_TRACING;
}

int pinsight_domain_register(struct pinsight_domain *domain) {
    int result = -1;
    pthread_mutex_lock(&registry_lock);
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *there = atomic_load(&registry[slot]);
        if (there == domain) {
            result = 0;
            break;
        }
        if (!there) {
            domain->slot = slot;
            atomic_store(&domain->mode, (int)first_mode(domain));
            atomic_store(&registry[slot], domain);
            result = 0;
            break;
        }
    }
    pthread_mutex_unlock(&registry_lock);
    return result;
}

struct pinsight_domain *pinsight_domain_at(unsigned slot) {
    return slot < PINSIGHT_DOMAINS_MAX ? atomic_load(&registry[slot]) : NULL;
}

struct pinsight_domain *pinsight_domain_find(const char *name) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        if (domain && strcasecmp(domain->name, name) == 0)
            return domain;
    }
    return NULL;
}
