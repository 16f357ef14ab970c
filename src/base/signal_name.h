/* Names of signals that a user may choose to ask a program for something. */
#ifndef PINSIGHT_BASE_SIGNAL_NAME_H
#define PINSIGHT_BASE_SIGNAL_NAME_H

/* For messages. */
#define PINSIGHT_SIGNAL_NAMES "HUP, QUIT, USR1, USR2, WINCH, IO or PWR"

/* Returns the number of one of these: USR2 or SIGUSR2, in either case. 0 for anything else. Any
 * thread. */
int pinsight_signal_number(const char *text);

#endif
