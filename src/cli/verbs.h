/* The verbs of the command. Each reads its own arguments and returns an exit status. */
#ifndef PINSIGHT_CLI_VERBS_H
#define PINSIGHT_CLI_VERBS_H

/*
 * The word that runs this command again: its name if $PATH leads to it, or the path that was typed.
 */
extern const char *pinsight_command_word;
/* Sets this word from the first word of the command line, at the start of main(). */
void pinsight_set_command_word(const char *typed);

/* Prints a text on stdout. Returns the exit status: 0, or 1 after a message. */
int pinsight_print(const char *text);

/* Run the verbs. argv[0] is the verb. */
int pinsight_cmd_run(int argc, char **argv);
int pinsight_cmd_report(int argc, char **argv);
int pinsight_cmd_top(int argc, char **argv);
int pinsight_cmd_view(int argc, char **argv);
int pinsight_cmd_dump(int argc, char **argv);
int pinsight_cmd_diff(int argc, char **argv);
int pinsight_cmd_compare(int argc, char **argv);
int pinsight_cmd_export(int argc, char **argv);
int pinsight_cmd_sql(int argc, char **argv);
int pinsight_cmd_store(int argc, char **argv);
int pinsight_cmd_pack(int argc, char **argv);
int pinsight_cmd_config(int argc, char **argv);
int pinsight_cmd_attach(int argc, char **argv);
int pinsight_cmd_detach(int argc, char **argv);
int pinsight_cmd_dump_stacks(int argc, char **argv);
int pinsight_cmd_ctl(int argc, char **argv);
int pinsight_cmd_doctor(int argc, char **argv);

/* Sends rows to the library of pinsight.data, which starts this command. */
int pinsight_cmd_rows(int argc, char **argv);

#endif
