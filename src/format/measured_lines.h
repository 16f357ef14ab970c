/* The event lines_wanted. */
#ifndef PINSIGHT_FORMAT_MEASURED_LINES_H
#define PINSIGHT_FORMAT_MEASURED_LINES_H

/* In place of a number of functions: this CPython reports no lines of single functions. */
#define PINSIGHT_LINES_UNSEEN UINT32_MAX

#endif
