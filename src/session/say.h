/* What the command says to its user: one line on stderr, after the program's name. */
#ifndef PINSIGHT_SESSION_SAY_H
#define PINSIGHT_SESSION_SAY_H

/*
 * Writes "pinsight: <message>\n" to stderr in one write, so that lines of several processes do not
 * mix. `format` is printf's; a message says what happened, then what to do, without a final dot or
 * newline. Async-signal-unsafe; keeps errno.
 */
void pinsight_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Turns pinsight_say off (for --quiet) or on again; errors are said with pinsight_complain. */
void pinsight_say_quietly(int quiet);

/* As pinsight_say, but also with --quiet: what the user must know. */
void pinsight_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
