/*
 * What RCU (liburcu) orders, told to the thread sanitizer: it does not see that a grace period puts
 * what readers did before what comes after it, for liburcu is not built for it. For a file that has
 * readers and their writer; nothing without that sanitizer.
 */
#ifndef PINSIGHT_CORE_GRACE_H
#define PINSIGHT_CORE_GRACE_H

#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define PINSIGHT_THREAD_SANITIZER
#endif
#endif
#if defined __SANITIZE_THREAD__ || defined PINSIGHT_THREAD_SANITIZER
void __tsan_acquire(void *);
void __tsan_release(void *);
static char grace;
/* Before a reader's end; after the grace period. */
#define READER_LEAVES() __tsan_release(&grace)
#define READERS_LEFT() __tsan_acquire(&grace)
#else
#define READER_LEAVES()
#define READERS_LEFT()
#endif

#endif
