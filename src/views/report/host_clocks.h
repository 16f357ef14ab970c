/* The reader's corrections of hosts' clocks; see reader/host_clocks.h. */
#ifndef PINSIGHT_VIEWS_HOST_CLOCKS_H
#define PINSIGHT_VIEWS_HOST_CLOCKS_H

#include "base/json.h"
#include "views/report/report.h"

/* Returns sentences on the correction, which the caller frees; NULL without one. */
char *pinsight_host_clocks_text(const struct pinsight_report *report);

/* Writes the list `host_clocks`, of the hosts with a correction. Nothing without one. */
void pinsight_host_clocks_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
