/* Messages of traced processes; see reported.h. */
#include "base/reported.h"
#include "base/safe_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MARK ".pinsight-said-"

int pinsight_reported_mark(const char *output, const char *topic, bool *reported) {
    char path[PATH_MAX];

    *reported = false;
    if (output == NULL || output[0] != '/' ||
        snprintf(path, sizeof(path), "%s/" MARK "%s", output, topic) >= PATH_MAX) {
        return -1;
    }
    int fd = pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_EXCL, 0644);
    *reported = fd == -1 && errno == EEXIST;
    return fd;
}

bool pinsight_reported_read(const char *output, const char *topic, char *sentence, size_t room) {
    char path[PATH_MAX];

    *sentence = '\0';
    if (snprintf(path, sizeof(path), "%s/" MARK "%s", output, topic) >= PATH_MAX) {
        return false;
    }
    int fd = pinsight_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    ssize_t n = fd >= 0 ? read(fd, sentence, room - 2) : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (n <= 0) {
        *sentence = '\0';
        return false;
    }
    sentence[n] = '\0';
    sentence[strcspn(sentence, "\n")] = '\0';
    for (unsigned char *at = (unsigned char *)sentence; *at != '\0'; at++) {
        if (*at < ' ' || *at == 127) {
            *at = '?';
        }
    }
    size_t length = strlen(sentence);
    if (length == 0) {
        return false;
    }
    sentence[0] = (char)toupper((unsigned char)sentence[0]);
    memcpy(sentence + length, ".", 2);
    return true;
}

void pinsight_reported_list(const char *output, const char *prefix, char *list, size_t room) {
    size_t used = 0;
    DIR *folder = opendir(output);

    *list = '\0';
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *topic = entry->d_name + strlen(MARK);
        if (strncmp(entry->d_name, MARK, strlen(MARK)) != 0 ||
            strncmp(topic, prefix, strlen(prefix)) != 0) {
            continue;
        }
        int length = snprintf(list + used, room - used, "%s%s", used != 0 ? ", " : "",
                              topic + strlen(prefix));
        if (length < 0 || (size_t)length >= room - used) {
            list[used] = '\0';
            break;
        }
        used += (size_t)length;
    }
    if (folder != NULL) {
        closedir(folder);
    }
}
