/* Packets of a stream file that are there twice, or stand behind later ones, as after a copy that
 * went wrong: their numbers say so. */
#ifndef PINSIGHT_READER_CTF_IN_ORDER_H
#define PINSIGHT_READER_CTF_IN_ORDER_H

#include "reader/ctf/mapped.h"

/* Puts a copy of the whole packets into the place of the file's bytes, each once and in the order
 * of their times and numbers, with what is behind them. Counts what was wrong in `twice` and
 * `late`. Without memory, the file stays as it is. */
void ctf_file_set_in_order(struct ctf_file *file);

#endif
