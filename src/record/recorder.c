/* The one place where libpinsight.so's recorder is chosen; see recorder.h. */
#include "record/recorder.h"

const struct pinsight_recorder *const pinsight_recorder = &pinsight_recorder_lttng;
