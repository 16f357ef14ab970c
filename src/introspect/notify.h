/* Notifies the other processes of a run that their session was rotated. */
#ifndef PINSIGHT_INTROSPECT_NOTIFY_H
#define PINSIGHT_INTROSPECT_NOTIFY_H

/*
 * Asks every traced process of this user, except `served`, for its session (the request `status` of
 * `pinsight ctl`), and those of `session` to record their definitions again (`define`). Runs in a
 * process of its own, for a few seconds at most. The caller does not wait for it.
 */
void pinsight_notify_others(const char *session, const char *served);

#endif
