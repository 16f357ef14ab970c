/* Interpreters other than the main one; see interpreters.h. */
#include "reader/python/interpreters.h"

#include "reader/lookup.h"
#include "reader/python/gil.h"

/* The events are repeated for sessions that start later, so that the numbers count. */
void pinsight_interpreters_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_interpreters *interpreters = &pinsight_python_of(model)->interpreters;
    const struct pinsight_process *process = pinsight_lookup_process(model, event);
    uint32_t recorded =
        pinsight_event_integer(event, PINSIGHT_PYTHON_INTERPRETER_INFO_RECORDED) != 0;
    uint32_t number =
        (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_INTERPRETER_INFO_INTERPRETER);
    uint32_t known = pinsight_map_get(&interpreters->numbers, process->index, recorded, 0);

    known = known == PINSIGHT_MAP_NONE ? 0 : known;
    if (number <= known || number == PINSIGHT_MAP_NONE)
        return;
    pinsight_map_set(&interpreters->numbers, process->index, recorded, 0, number);
    *(recorded ? &interpreters->recorded : &interpreters->unseen) += number - known;
}
