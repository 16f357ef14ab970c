/* signal.signal() of the program. PInsight's handler of SIGUSR1 is installed again afterwards, in
 * front of the program's. */
#ifndef PINSIGHT_PYTHON_SIGNAL_H
#define PINSIGHT_PYTHON_SIGNAL_H

/* Redirects the function, if there is a configuration file. Holds the GIL. */
void pinsight_signal_start(void);

#endif
