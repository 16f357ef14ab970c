/* Commands that cannot be executed: what is said, and the exit status, as a shell has it. */
#ifndef PINSIGHT_CLI_RUN_ERRORS_H
#define PINSIGHT_CLI_RUN_ERRORS_H

/* `error` is what pinsight_program_find said of the command. Returns the exit status. */
int pinsight_run_report_start(const char *name, int error);

/* `error` is execve(2)'s: the file was there and executable when it was looked for. */
int pinsight_run_report_exec(const char *name, int error);

/* The interpreter of a script's first line is not there. */
int pinsight_run_report_line(const char *name, const char *interpreter);

#endif
