/* The layout of help on a screen. Texts are broken into lines that fit the width of stdout. */
#ifndef PINSIGHT_CLI_HELP_H
#define PINSIGHT_CLI_HELP_H

#include <stddef.h>

/* Prints the rest of a line that has `width` columns already. The text begins at `column`, and so
 * do its further lines. A '\n' in it counts as a blank. */
void cli_help_rest(const char *text, size_t width, size_t column);

/*
 * Prints a text of lines, each ended by '\n'. Adjacent lines that begin with a letter are a
 * paragraph, which is filled. Other lines stay lines. In these, two blanks or more stand before a
 * remark, which continues below its begin if the line is too wide. A line of ten blanks or more at
 * its begin continues that remark.
 */
void cli_help_text(const char *text);

#endif
