/* Streams of batches from the process that reads the trace; see datalib.h. */
#include "datalib/datalib.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct data_stream {
    const struct pinsight_data_table *table;
    int socket; /* -1 once the table has ended */
    pid_t reader;
    int failed; /* errno of the error that ended the table, or 0 */
    char error[1024];
};

const struct pinsight_data_table *pinsight_data_table_at(uint32_t number) {
    return number < PINSIGHT_DATA_TABLES ? &pinsight_data_tables[number] : NULL;
}

/* Closes the socket, and waits for the reader's end. The reader ends soon when nothing reads from
 * the socket. Returns its status for wait(2), or -1. */
static int end_reader(struct data_stream *stream) {
    int status = -1;

    if (stream->socket >= 0)
        close(stream->socket);
    stream->socket = -1;
    if (stream->reader <= 0)
        return -1;
    while (waitpid(stream->reader, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    stream->reader = 0;
    return status;
}

static int fail(struct data_stream *stream, int error, const char *text) {
    end_reader(stream);
    stream->failed = error;
    snprintf(stream->error, sizeof(stream->error), "%s", text);
    return error;
}

/* Fails because the reader ended without a last message. */
static int fail_for_end(struct data_stream *stream) {
    char text[256];
    int status = end_reader(stream);

    if (status != -1 && WIFSIGNALED(status))
        snprintf(text, sizeof(text), "the process that reads the trace was ended by signal %d",
                 WTERMSIG(status));
    else
        snprintf(text, sizeof(text),
                 "the process that reads the trace ended early (exit status %d); its message is on "
                 "stderr",
                 status != -1 ? WEXITSTATUS(status) : -1);
    return fail(stream, EIO, text);
}

/* Receives a message with its descriptor, or -1. Returns whether there was one. */
static bool receive(const struct data_stream *stream, struct pinsight_data_message *message,
                    int *memory) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {message, sizeof(*message)};
    struct msghdr whole = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = sizeof(control)};
    const struct cmsghdr *head;
    ssize_t length;

    do
        length = recvmsg(stream->socket, &whole, MSG_CMSG_CLOEXEC);
    while (length < 0 && errno == EINTR);
    *memory = -1;
    head = length > 0 ? CMSG_FIRSTHDR(&whole) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(memory, CMSG_DATA(head), sizeof(*memory));
    return length == (ssize_t)sizeof(*message);
}

static int get_next(struct ArrowArrayStream *of, struct ArrowArray *array) {
    struct data_stream *stream = of->private_data;
    struct pinsight_data_message message;
    int memory, error;

    *array = (struct ArrowArray){.release = NULL};
    if (stream->socket < 0)
        return stream->failed;
    if (!receive(stream, &message, &memory))
        return fail_for_end(stream);
    if (message.kind == PINSIGHT_DATA_END) {
        end_reader(stream);
        return 0;
    }
    if (message.kind == PINSIGHT_DATA_ERROR) {
        message.text[sizeof(message.text) - 1] = '\0';
        return fail(stream, EINVAL, message.text);
    }
    error = memory < 0 ? EINVAL : pinsight_data_make_array(stream->table, &message, memory, array);
    if (memory >= 0)
        close(memory);
    if (error != 0)
        return fail(stream, error,
                    error == ENOMEM ? "there is no memory for a batch of rows"
                                    : "the process that reads the trace sent a damaged batch");
    send(stream->socket, "", 1, MSG_NOSIGNAL); /* a reader that has ended needs no answer */
    return 0;
}

static int get_schema(struct ArrowArrayStream *of, struct ArrowSchema *schema) {
    const struct data_stream *stream = of->private_data;

    return pinsight_data_make_schema(stream->table, schema);
}

static const char *get_last_error(struct ArrowArrayStream *of) {
    const struct data_stream *stream = of->private_data;

    return *stream->error ? stream->error : NULL;
}

static void release(struct ArrowArrayStream *of) {
    end_reader(of->private_data);
    free(of->private_data);
    of->release = NULL;
}

void pinsight_data_free_stream(struct ArrowArrayStream *stream) {
    if (stream->release != NULL)
        stream->release(stream);
    free(stream);
}

/* Returns whether the reader is to have a variable. It does not record itself, also if this process
 * is recorded. */
static bool is_kept(const char *variable) {
    return strncmp(variable, "LD_PRELOAD=", 11) != 0 && strncmp(variable, "PINSIGHT=", 9) != 0;
}

/* Starts the command with one end of a socket. Returns 0 or an errno. */
static int start(struct data_stream *stream, const char *const *arguments, int theirs) {
    posix_spawn_file_actions_t actions;
    size_t count = 0, variables = 0, kept = 0;
    const char **command, **environment;
    char number[16];
    int error;

    while (arguments[count] != NULL)
        count++;
    while (environ[variables] != NULL)
        variables++;
    command = calloc(count + 5, sizeof(*command));
    environment = calloc(variables + 1, sizeof(*environment));
    if (command == NULL || environment == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        free(command);
        free(environment);
        return ENOMEM;
    }
    for (size_t i = 0; i < variables; i++)
        if (is_kept(environ[i]))
            environment[kept++] = environ[i];
    snprintf(number, sizeof(number), "%d", theirs);
    command[0] = arguments[0];
    command[1] = "--rows";
    command[2] = stream->table->name;
    command[3] = number;
    memcpy(command + 4, arguments + 1, (count - 1) * sizeof(*command));
    /* A descriptor that is duplicated to itself stays open in the new process. */
    posix_spawn_file_actions_adddup2(&actions, theirs, theirs);
    error = posix_spawn(&stream->reader, arguments[0], &actions, NULL, (char *const *)command,
                        (char *const *)environment);
    posix_spawn_file_actions_destroy(&actions);
    free(command);
    free(environment);
    return error;
}

struct ArrowArrayStream *pinsight_data_open(uint32_t number, const char *const *arguments,
                                            char *error, size_t size) {
    const struct pinsight_data_table *table = pinsight_data_table_at(number);
    struct ArrowArrayStream *result = calloc(1, sizeof(*result));
    struct data_stream *stream = calloc(1, sizeof(*stream));
    int sockets[2] = {-1, -1}, failure = ENOMEM;

    if (table == NULL || result == NULL || stream == NULL) {
        failure = table == NULL ? EINVAL : ENOMEM;
    } else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        failure = errno;
    } else {
        *stream = (struct data_stream){.table = table, .socket = sockets[0]};
        failure = start(stream, arguments, sockets[1]);
        close(sockets[1]);
        if (failure != 0)
            close(sockets[0]);
    }
    if (failure != 0) {
        snprintf(error, size, "%s could not be started: %s", arguments[0], strerror(failure));
        free(stream);
        free(result);
        return NULL;
    }
    *result = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = stream};
    return result;
}
