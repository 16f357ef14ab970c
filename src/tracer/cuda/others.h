/*
 * Other profilers in the process. CUPTI serves one subscriber at a time. With PInsight as the
 * subscriber, the program's own profiler, such as torch.profiler, could not subscribe and would
 * record nothing. Therefore PInsight ends its subscription when the program subscribes, and the
 * program behaves as without PInsight.
 */
#ifndef PINSIGHT_CUDA_OTHERS_H
#define PINSIGHT_CUDA_OTHERS_H

/* Looks for loaded objects that call cuptiSubscribe, and redirects these calls. `yield` is called
 * before the program's first subscription. Does nothing if no object was loaded since the last
 * call. The caller serialises calls. */
void pinsight_cuda_others_watch(void (*yield)(void));

#endif
