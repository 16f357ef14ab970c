/* The checks of `pinsight doctor`. Each adds its findings, and changes nothing permanently. */
#ifndef PINSIGHT_DOCTOR_CHECKS_H
#define PINSIGHT_DOCTOR_CHECKS_H

#include "doctor/findings.h"

struct pinsight_session_recorder;

/* Checks the files of the installation, and the libraries that they need. Returns whether the
 * installation's folder was found, and writes it to `libdir`. */
bool pinsight_check_installation(struct pinsight_findings *findings, char libdir[]);

/* Checks the needs of a run's default recorder on this machine. With `trial`, also runs `true` into
 * a folder that is removed, as a test of the whole chain. `libdir` is "" if the installation was
 * not found. */
void pinsight_check_recorder(struct pinsight_findings *findings, const char *libdir, bool trial);

/* Checks the recorder that needs packages: their versions, and its daemon (src/doctor/lttng).
 * `level` is the level of a finding that makes it unusable. */
void pinsight_check_lttng(struct pinsight_findings *findings, const char *libdir,
                          enum pinsight_level level);

/* Returns a run's default recorder. */
const struct pinsight_session_recorder *pinsight_doctor_recorder(void);

/* Check the parts of each Python and runtime that would be loaded and recorded; see checks.def.
 * `command` is the command of the run, or NULL. */
#define CHECK(name, needs_libdir)                                                                  \
    void pinsight_check_##name(struct pinsight_findings *findings, const char *libdir,             \
                               char *const *command);
#include "doctor/checks.def"
#undef CHECK

/* Measures the floating-point peak of the processor, in about a second, and keeps it. */
void pinsight_check_peak(struct pinsight_findings *findings);

/* Checks memory for buffers, disk, permissions and limits. */
void pinsight_check_system(struct pinsight_findings *findings);

#endif
