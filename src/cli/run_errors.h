/* Messages for commands that cannot be executed, and exit statuses like those of a shell. */
#ifndef PINSIGHT_CLI_RUN_ERRORS_H
#define PINSIGHT_CLI_RUN_ERRORS_H

/* Reports that the command was not found. `error` is the result of pinsight_program_find(). Returns
 * the exit status. */
int pinsight_run_report_start(const char *name, int error);

/* Reports that execve(2) failed with `error`, although the file was found and executable. Returns
 * the exit status. */
int pinsight_run_report_exec(const char *name, int error);

/* Reports that the interpreter in a script's first line does not exist. Returns the exit status. */
int pinsight_run_report_line(const char *name, const char *interpreter);

#endif
