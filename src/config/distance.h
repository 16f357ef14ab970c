/* How far two words are apart: how many letters to insert, remove, change or swap. */
#ifndef PINSIGHT_CONFIG_DISTANCE_H
#define PINSIGHT_CONFIG_DISTANCE_H

#include <stddef.h>

/* The longest word that is looked at. */
#define PINSIGHT_DISTANCE_LETTERS_MAX 40

/*
 * The distance of Damerau and Levenshtein, with swaps of neighbours only, without regard to case.
 * Words longer than PINSIGHT_DISTANCE_LETTERS_MAX bytes are cut to that. Any thread.
 */
int pinsight_config_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
