/* Work with files where the process has no descriptor left. */
#ifndef PINSIGHT_RECORD_FILE_BESIDE_H
#define PINSIGHT_RECORD_FILE_BESIDE_H

/*
 * Calls `work(data)`, which opens files and closes them, and returns 0 or an errno. Where it has no
 * descriptor it is called again by a child that shares the memory but not the descriptors
 * (clone(2), CLONE_VM without CLONE_FILES), and that closes its own first. The calling thread waits
 * meanwhile; nobody else sees the child. Any thread.
 */
int pinsight_file_work(int (*work)(void *data), void *data);

#endif
