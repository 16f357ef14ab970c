/* Words of a command in a shell's notation: words with other than plain letters are in
 * apostrophes. */
#ifndef PINSIGHT_BASE_SHELL_H
#define PINSIGHT_BASE_SHELL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a shell reads the word unchanged, without quotes. */
bool pinsight_shell_is_plain(const char *word, size_t length);

/*
 * Turns the words in text[0, used), which are separated by zero bytes, into one line of a shell, in
 * place. Quotes words that are not plain. Leaves out text that does not fit into `room` bytes (at
 * least 1), including the final zero byte; a quoted part is always closed. Does not allocate, for
 * use in a traced process.
 */
void pinsight_shell_join(char *text, size_t used, size_t room);

/*
 * Returns the next word of a line without quotes, or NULL at the end. Overwrites the line with the
 * word, and sets *rest to the text behind it.
 */
char *pinsight_shell_next(char **rest);

#endif
