/* The options of this process: the configuration, and the requests of the program itself. */
#ifndef PINSIGHT_PYTHON_OPTIONS_H
#define PINSIGHT_PYTHON_OPTIONS_H

/* Sets the arguments of pinsight.activate(), which override the configuration: kinds of events
 * ("function", "c_call", "import", "gil", "lock", comma-separated, or "none"), and names ("inline"
 * or "registry"). NULL changes nothing. Holds the GIL. Returns 0, or -1 with an exception for an
 * unknown word. */
int pinsight_python_override(const char *events, const char *names);

/* Fills in pinsight_python from the current configuration. */
void pinsight_python_read_settings(void);

#endif
