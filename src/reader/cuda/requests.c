/* Calls that request work of a device, until their records have come. */
#include "reader/cuda/state.h"

#include <string.h>

static void unlink_call(struct pinsight_cuda_process *calls, struct pinsight_cuda_request *call) {
    struct pinsight_cuda_list *list = &calls->lists[call->met];

    *(call->before ? &call->before->after : &list->first) = call->after;
    *(call->after ? &call->after->before : &list->last) = call->before;
    list->count--;
}

static void append(struct pinsight_cuda_process *calls, struct pinsight_cuda_request *call) {
    struct pinsight_cuda_list *list = &calls->lists[call->met];

    call->before = list->last;
    call->after = NULL;
    *(list->last ? &list->last->after : &list->first) = call;
    list->last = call;
    list->count++;
}

static void count_unanswered(struct pinsight_process *process,
                             const struct pinsight_cuda_request *call) {
    struct pinsight_cuda *cuda = pinsight_model_cuda(process->model);

    cuda->captured += !call->met && call->captured;
    cuda->unanswered += !call->met && !call->captured;
}

static void forget(struct pinsight_process *process, struct pinsight_cuda_request *call) {
    count_unanswered(process, call);
    unlink_call(pinsight_process_cuda(process), call);
    pinsight_pool_remove(&pinsight_process_cuda(process)->calls, call);
}

void pinsight_cuda_request_add(struct pinsight_process *process,
                               const struct pinsight_thread *thread, uint32_t correlation,
                               bool captured) {
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_CUDA);
    struct pinsight_cuda_process *calls = pinsight_cuda_process_of(process);
    struct pinsight_cuda_request *call = pinsight_pool_find(&calls->calls, correlation, 0);
    bool again = call != NULL;

    if (call)
        forget(process, call);
    if (calls->lists[0].count == PINSIGHT_CUDA_WAITING)
        forget(process, calls->lists[0].first);
    call = pinsight_pool_add(&calls->calls, correlation, 0);
    call->from = thread->track;
    call->from_ns = frame->begin_ns;
    call->number = frame->out;
    call->site = frame->id;
    call->tid = thread->tid;
    call->again = again;
    call->captured = captured;
    append(calls, call);
}

void pinsight_cuda_request_withdraw(struct pinsight_process *process, uint32_t correlation,
                                    uint64_t number) {
    struct pinsight_cuda_request *call =
        pinsight_process_cuda(process)
            ? pinsight_pool_find(&pinsight_process_cuda(process)->calls, correlation, 0)
            : NULL;

    if (!call || call->met || call->number != number)
        return;
    unlink_call(pinsight_process_cuda(process), call);
    pinsight_pool_remove(&pinsight_process_cuda(process)->calls, call);
}

struct pinsight_cuda_request *pinsight_cuda_request_find(struct pinsight_process *process,
                                                         uint32_t correlation) {
    struct pinsight_cuda_process *calls = pinsight_process_cuda(process);
    struct pinsight_cuda_request *call =
        calls ? pinsight_pool_find(&calls->calls, correlation, 0) : NULL;

    if (!call)
        return NULL;
    unlink_call(calls, call);
    call->met = true;
    if (calls->lists[1].count == PINSIGHT_CUDA_MET)
        forget(process, calls->lists[1].first);
    append(calls, call);
    return call;
}

void pinsight_cuda_forget_calls(struct pinsight_process *process) {
    struct pinsight_cuda_process *calls = pinsight_process_cuda(process);

    if (!calls)
        return;
    for (const struct pinsight_cuda_request *call = calls->lists[0].first; call; call = call->after)
        count_unanswered(process, call);
    pinsight_pool_clear(&calls->calls);
    memset(calls->lists, 0, sizeof(calls->lists));
}
