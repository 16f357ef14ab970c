/* Listener for pinsight ctl. */
#ifndef PINSIGHT_CORE_LISTENER_H
#define PINSIGHT_CORE_LISTENER_H
void pinsight_listener_start(void);
void pinsight_listener_fork_child(void);
#endif
