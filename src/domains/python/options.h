/* What is recorded in this process: the configuration, and what the program itself asked for. */
#ifndef PINSIGHT_PYTHON_OPTIONS_H
#define PINSIGHT_PYTHON_OPTIONS_H

/* What pinsight.activate() was given wins over the configuration: kinds of events ("function",
 * "c_call", "import", "gil", "lock", comma-separated, or "none") and names ("inline" or
 * "registry"); NULL leaves it as it was. Holds the GIL. Returns 0, or -1 with an exception set for
 * a word that is not known.
 */
int pinsight_python_override(const char *events, const char *names);

/* Fill pinsight_python with the configuration in force. */
void pinsight_python_read_settings(void);

#endif
