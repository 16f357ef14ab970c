/* Telling the other processes of a run that their session was rotated. */
#ifndef PINSIGHT_INTROSPECT_NOTIFY_H
#define PINSIGHT_INTROSPECT_NOTIFY_H

/*
 * Asks every traced process of this user, but `served`, for its session (the request `status` of
 * `pinsight ctl`), and those of `session` to record their definitions again (`define`). In a
 * process of its own that takes a few seconds at most; nobody waits for it.
 */
void pinsight_notify_others(const char *session, const char *served);

#endif
