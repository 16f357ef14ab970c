/* Asks a program which Python it starts; see ask_python.h. */
#include "doctor/ask_python.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "doctor/capture.h"

enum { ANSWER_MS = 3000 };

/* Begins the answer, which may stand among other output. */
#define MARK "pinsight-interpreter "
static const char question[] = "import sys; print('\\n" MARK "' + sys.executable)";

bool pinsight_ask_python(const char *program, char interpreter[PATH_MAX],
                         char why[PINSIGHT_ASK_WHY]) {
    char *const words[] = {(char *)program, "-I", "-S", "-c", (char *)question, NULL};
    char text[PATH_MAX + 1024];
    int status = pinsight_capture(words, ANSWER_MS, text, sizeof(text));
    char *answer = strstr(text, "\n" MARK);

    if (status == 0 && answer != NULL) {
        answer += strlen("\n" MARK);
        answer[strcspn(answer, "\n")] = '\0';
        return snprintf(interpreter, PATH_MAX, "%s", answer) < PATH_MAX;
    }
    char *first = text + strspn(text, " \t\r\n");
    first[strcspn(first, "\r\n")] = '\0';
    if (status == -1) {
        snprintf(why, PINSIGHT_ASK_WHY, "it does not answer");
    } else if (WIFSIGNALED(status)) {
        snprintf(why, PINSIGHT_ASK_WHY, "it is ended by signal %d", WTERMSIG(status));
    } else if (status == 0) {
        snprintf(why, PINSIGHT_ASK_WHY, "it does not say which version it is");
    } else if (*first != '\0') {
        snprintf(why, PINSIGHT_ASK_WHY, "%s", first);
    } else {
        snprintf(why, PINSIGHT_ASK_WHY, "it ends with %d", WEXITSTATUS(status));
    }
    return false;
}
