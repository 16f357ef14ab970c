/* The abilities of the terminal that a stream writes to. For a stream of base/ascii.h, the stream
 * below it counts. */
#ifndef PINSIGHT_VIEWS_SCREEN_H
#define PINSIGHT_VIEWS_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* Returns whether to use colour. CLICOLOR_FORCE (set and not 0) wants colour everywhere, but
 * NO_COLOR goes before it. Without them, a terminal gets colour unless TERM is dumb. */
bool pinsight_screen_colour(FILE *out);

/* Returns the width in columns, at least 60: that of the terminal, or of COLUMNS, or 100. */
unsigned pinsight_screen_width(FILE *out);

/* Returns the terminal's width, at least 60, or 0 if the stream is no terminal. It is for text
 * whose lines programs read. */
unsigned pinsight_screen_terminal_width(FILE *out);

/* Returns the terminal's lines, 0 if the stream is no terminal. */
unsigned pinsight_screen_height(FILE *out);

#endif
