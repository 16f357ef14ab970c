/* Names of signals that a user may choose for a request to a program. */
#ifndef PINSIGHT_BASE_SIGNAL_NAME_H
#define PINSIGHT_BASE_SIGNAL_NAME_H

/* The names, for messages. */
#define PINSIGHT_SIGNAL_NAMES "HUP, QUIT, USR1, USR2, WINCH, IO or PWR"

/* Returns the number of a signal with one of these names ("USR2" or "SIGUSR2", in either case), or
 * 0 for any other text. Any thread. */
int pinsight_signal_number(const char *text);

#endif
