/* The checks of `pinsight doctor`; each adds what it found. None changes anything that stays. */
#ifndef PINSIGHT_DOCTOR_CHECKS_H
#define PINSIGHT_DOCTOR_CHECKS_H

#include "doctor/findings.h"

struct pinsight_session_recorder;

/* The files of the installation, and what they need. Answers whether its folder was found. */
bool pinsight_check_installation(struct pinsight_findings *findings, char libdir[]);

/* The recorder that a run would take: what it needs of this machine, and with `trial` a run of
 * `true` in a folder that is removed: the whole chain. `libdir` is "" where the installation was
 * not found. */
void pinsight_check_recorder(struct pinsight_findings *findings, const char *libdir, bool trial);

/* The recorder that needs packages: their versions, and its daemon (src/doctor/lttng). `level` is
 * what it means that it cannot be used. */
void pinsight_check_lttng(struct pinsight_findings *findings, const char *libdir,
                          enum pinsight_level level);

/* The recorder that a run would take. */
const struct pinsight_session_recorder *pinsight_doctor_recorder(void);

/* What each Python and runtime would load and have recorded: see checks.def. `command` is what
 * would run (NULL: none). */
#define CHECK(name, needs_libdir)                                                                  \
    void pinsight_check_##name(struct pinsight_findings *findings, const char *libdir,             \
                               char *const *command);
#include "doctor/checks.def"
#undef CHECK

/* Memory for buffers, disk, permissions, limits. */
void pinsight_check_system(struct pinsight_findings *findings);

#endif
