/* Why a process refuses to be recorded, as it says to `pinsight attach`. */
#ifndef PINSIGHT_BASE_ATTACHED_H
#define PINSIGHT_BASE_ATTACHED_H

/* It is recorded, or the end of its last recording is not complete yet. */
#define PINSIGHT_RECORDED_ALREADY "it is recorded already"

#endif
