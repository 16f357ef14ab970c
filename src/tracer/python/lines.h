/*
 * Lines of chosen functions: how often each is executed, and how long it takes. CPython 3.12 and
 * later, whose interpreters report the lines of single code objects.
 *
 * A second tool of sys.monitoring does this, so that no other callback looks for lines. It gets the
 * first start of every code object. A function that the settings choose then gets local events for
 * its lines, its resumptions and its ends. All other code keeps no event of this tool, except for
 * exceptions that leave functions, which cannot be reported locally.
 *
 * The time of a line lasts until the next line of the same execution, or until its end. It has the
 * calls that the line makes, which the reader takes out. The callback's own time is in no line. A
 * generator's line does not have the time in which the generator is paused.
 */
#ifndef PINSIGHT_PYTHON_LINES_H
#define PINSIGHT_PYTHON_LINES_H

#include "tracer/python/thread.h"
#include "tracer/python/versions.h"

/* Reads from the settings whether any lines are measured. Says once if this CPython cannot. Holds
 * the GIL. */
void pinsight_lines_read_settings(void);

/* Records the executions since the last call. Holds the GIL. */
void pinsight_lines_write(void);

/* Forgets the executions of the parent process. `thread` is the only one, or NULL. */
void pinsight_lines_fork_child(struct pinsight_python_thread *thread);

#if PINSIGHT_HAS_MONITORING
/* Starts the measurement in the running interpreter, or brings it to new settings. `module` is
 * sys.monitoring, and `*tool` the id of the tool + 1, or 0 without a tool. Returns 0, or -1 with an
 * exception. Without a free id, says so and returns 0. Holds the GIL. */
int pinsight_lines_start(PyObject *module, long *tool);

/* Ends the measurement in the running interpreter, and frees the id. Holds the GIL. */
void pinsight_lines_stop(PyObject *module, long *tool);
#endif

#endif
