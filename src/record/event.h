/* What an event is to the recorder of this build: chosen here, and in src/events/gen_record.py. */
#ifndef PINSIGHT_RECORD_EVENT_H
#define PINSIGHT_RECORD_EVENT_H

#include "record/lttng/event.h"

#endif
