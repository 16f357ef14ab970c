/* What the screen that is written to can do. A stream of base/ascii.h is what it writes to. */
#ifndef PINSIGHT_VIEWS_SCREEN_H
#define PINSIGHT_VIEWS_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* Whether to use colour: on a terminal, unless NO_COLOR is set or TERM is dumb; anywhere where
 * CLICOLOR_FORCE is set and not 0. */
bool pinsight_screen_colour(FILE *out);

/* Columns: those of the terminal, else what COLUMNS says, else 100. */
unsigned pinsight_screen_width(FILE *out);

/* Lines of the terminal, 0 where out is none. */
unsigned pinsight_screen_height(FILE *out);

#endif
