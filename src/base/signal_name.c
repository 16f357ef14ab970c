/* Names of signals; see signal_name.h. */
#include "base/signal_name.h"

#include <signal.h>
#include <stddef.h>
#include <strings.h>

int pinsight_signal_number(const char *text) {
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"HUP", SIGHUP},     {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                   {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR}};

    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        if (strcasecmp(text, signals[i].name) == 0)
            return signals[i].number;
    return 0;
}
