/* Reads keys from the terminal; see top_keys.h. */
#include "cli/top_keys.h"

#include "base/grid.h"

#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Keys are looked for this often, in ms, because a signal may come between two looks. */
#define LOOK_MS 50

static const struct {
    enum pinsight_sort sort;
    const char *name;
} orders[] = {
    {PINSIGHT_SORT_SELF, "own time"}, {PINSIGHT_SORT_TOTAL, "total"},
    {PINSIGHT_SORT_CALLS, "calls"},   {PINSIGHT_SORT_MEAN, "mean"},
    {PINSIGHT_SORT_MAX, "longest"},   {PINSIGHT_SORT_NAME, "name"},
};
enum { ORDERS = sizeof(orders) / sizeof(orders[0]) };

/* ---- the terminal ---- */

/* Signals come from the keys as before, except that of Ctrl-\, which would leave the terminal as
 * it is here (termios(3), "Canonical and noncanonical mode"). */
static void take_terminal(const struct termios *before) {
    struct termios raw = *before;

    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VQUIT] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

void pinsight_top_keys_start(struct pinsight_top_keys *keys) {
    if (!isatty(STDOUT_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
        tcgetattr(STDIN_FILENO, &keys->before) != 0)
        return;
    keys->on = true;
    take_terminal(&keys->before);
}

void pinsight_top_keys_end(struct pinsight_top_keys *keys) {
    if (keys->on && tcgetpgrp(STDIN_FILENO) == getpgrp())
        tcsetattr(STDIN_FILENO, TCSADRAIN, &keys->before);
    keys->on = false;
}

/* A shell gives the terminal its own state while this process is stopped. */
static void retake_terminal(const struct pinsight_top_keys *keys) {
    struct termios now;

    if (tcgetattr(STDIN_FILENO, &now) == 0 && (now.c_lflag & ICANON) &&
        tcgetpgrp(STDIN_FILENO) == getpgrp())
        take_terminal(&keys->before);
}

/* ---- single keys ---- */

static void end_typing(struct pinsight_top_keys *keys, bool clear) {
    keys->is_typing = false;
    if (clear)
        keys->find_length = 0;
    keys->find[keys->find_length] = '\0';
}

static void type(struct pinsight_top_keys *keys, char letter) {
    if (letter == 127 || letter == '\b') {
        while (keys->find_length && (keys->find[--keys->find_length] & 0xC0) == 0x80)
            ; /* the further bytes of a letter in UTF-8 */
    } else if ((unsigned char)letter >= ' ' && keys->find_length + 1 < sizeof(keys->find)) {
        keys->find[keys->find_length++] = letter;
    }
    keys->find[keys->find_length] = '\0';
}

/* Takes a key. Returns whether the screen changes. */
static bool take(struct pinsight_top_keys *keys, char key) {
    if (keys->is_typing) {
        if (key == '\n' || key == '\r' || key == '\033')
            end_typing(keys, key == '\033');
        else
            type(keys, key);
        return true;
    }
    switch (key) {
    case 'q':
        keys->has_quit = true;
        return true;
    case ' ':
        keys->is_frozen = !keys->is_frozen;
        return true;
    case 's':
        keys->sort = (keys->sort + 1) % ORDERS;
        return true;
    case '/':
        end_typing(keys, true);
        keys->is_typing = true;
        return true;
    default:
        return false;
    }
}

/* Returns the length of a sequence such as that of an arrow key, or 0 if there is none: ESC, "[" or
 * "O", and bytes up to a final one (ECMA-48, section 5.4). */
static ssize_t sequence(const char *bytes, ssize_t count) {
    ssize_t length = 2;

    if (count < 3 || bytes[0] != '\033' || (bytes[1] != '[' && bytes[1] != 'O'))
        return 0;
    while (length < count && (bytes[length] < '@' || bytes[length] > '~'))
        length++;
    return length < count ? length + 1 : count;
}

/* Takes the waiting keys. Keys with a sequence have no effect. */
static bool take_waiting(struct pinsight_top_keys *keys) {
    char bytes[64];
    ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
    bool changed = false;

    if (count <= 0) {
        pinsight_top_keys_end(keys); /* the terminal is gone */
        return false;
    }
    for (ssize_t i = 0; i < count;) {
        ssize_t skipped = sequence(bytes + i, count - i);

        if (!skipped)
            changed |= take(keys, bytes[i]);
        i += skipped ? skipped : 1;
    }
    return changed;
}

/* ---- waiting ---- */

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool pinsight_top_keys_wait(struct pinsight_top_keys *keys, double seconds,
                            const volatile sig_atomic_t *stop) {
    double until = now() + seconds;

    while (!*stop && (now() < until || (keys->on && (keys->is_frozen || keys->is_typing)))) {
        struct pollfd input = {.fd = keys->on ? STDIN_FILENO : -1, .events = POLLIN};

        if (keys->on)
            retake_terminal(keys);
        if (poll(&input, 1, LOOK_MS) == 1 && take_waiting(keys))
            return true;
    }
    return false;
}

/* ---- the line about the keys ---- */

enum pinsight_sort pinsight_top_keys_sort(const struct pinsight_top_keys *keys) {
    return orders[keys->sort].sort;
}

void pinsight_top_keys_print(const struct pinsight_top_keys *keys, FILE *out, bool colour) {
    char line[160];

    if (keys->is_typing)
        snprintf(line, sizeof(line), "find: %s_  (Enter: done · Esc: all functions)", keys->find);
    else
        snprintf(line, sizeof(line), "%sq: quit · space: %s · s: sort (%s) · /: find",
                 keys->is_frozen ? "frozen · " : "", keys->is_frozen ? "go on" : "freeze",
                 orders[keys->sort].name);
    pinsight_styled(out, colour, PINSIGHT_DIM, "%s", line);
}
