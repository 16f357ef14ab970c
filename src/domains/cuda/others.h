/*
 * Other profilers in the process. CUPTI serves one at a time: with ours in its place the program's
 * own, such as torch.profiler, would find its subscription refused and record nothing. So when the
 * program subscribes, ours goes, and the program has what it would have without PInsight.
 */
#ifndef PINSIGHT_CUDA_OTHERS_H
#define PINSIGHT_CUDA_OTHERS_H

/* Looks for objects that call cuptiSubscribe, which is led over us from then on; `yield` is called
 * before the program's first subscription is tried. Does nothing where no object was loaded since
 * the last time. Serialised by the caller. */
void pinsight_cuda_others_watch(void (*yield)(void));

#endif
