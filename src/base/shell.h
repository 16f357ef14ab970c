/* Words of a command as a shell takes them: those with other than plain letters are in apostrophes.
 */
#ifndef PINSIGHT_BASE_SHELL_H
#define PINSIGHT_BASE_SHELL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a shell takes the word as it is. */
bool pinsight_shell_is_plain(const char *word, size_t length);

/*
 * Makes one line of the words in text[0, used), with a 0 between them: a blank between them, and
 * those quoted that are not plain. What does not fit into `room` (at least 1), with a 0 behind it,
 * is left out, and what is there is quoted to its end. In place, and without allocation: for a
 * traced process.
 */
void pinsight_shell_join(char *text, size_t used, size_t room);

/*
 * Takes the next word of a line, without quotes; NULL where there is none. The word is written over
 * the line, and `rest` goes on behind it.
 */
char *pinsight_shell_next(char **rest);

#endif
