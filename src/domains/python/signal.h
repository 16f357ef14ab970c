/* signal.signal() of the program's: SIGUSR1 is taken again after it, in front of what it set. */
#ifndef PINSIGHT_PYTHON_SIGNAL_H
#define PINSIGHT_PYTHON_SIGNAL_H

/* Lead the function over here, where a configuration file is in force. Holds the GIL. */
void pinsight_signal_start(void);

#endif
