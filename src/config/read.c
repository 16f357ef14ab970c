/* Reads a whole configuration: defaults, file and environment. */
#include "config/parse.h"

#include <stdlib.h>
#include <string.h>

/* Returns the position of the first control character that a text cannot have, or `length`. Parts
 * of the file are shown on terminals. */
static size_t find_control(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool ends_line = byte == '\r' && (i + 1 == length || text[i + 1] == '\n');
        if ((byte < 0x20 && byte != '\n' && byte != '\t' && !ends_line) || byte == 0x7F)
            return i;
    }
    return length;
}

static void read_text(struct pinsight_config_parser *parser, const char *text, size_t length) {
    size_t control = find_control(text, length);

    if (control < length) {
        unsigned line = 1, column = 1;
        for (size_t i = 0; i < control; i++) {
            line += text[i] == '\n';
            column = text[i] == '\n' ? 1 : column + (((unsigned char)text[i] & 0xC0) != 0x80);
        }
        pinsight_config_error(parser->errors, line, column,
                              "a control character (\\x%02X); no text file has one",
                              (unsigned char)text[control]);
        return;
    }
    pinsight_config_reader_start(&parser->reader, text, length);
    pinsight_config_parse(parser);
}

static void read_file(struct pinsight_config_parser *parser,
                      const struct pinsight_config_input *input) {
    size_t length;
    char *text;

    if (input->text) {
        read_text(parser, input->text, input->length);
    } else if ((text = pinsight_config_file(parser, parser->path, &length))) {
        read_text(parser, text, length);
        free(text);
    }
}

struct pinsight_config *pinsight_config_read(const struct pinsight_config_input *input,
                                             struct pinsight_config_errors *errors) {
    struct pinsight_config_parser parser = {
        .domains = input->domains,
        .domain_count = input->domain_count,
        .errors = errors,
        .arena = pinsight_arena_new(),
    };
    struct pinsight_config *config = NULL;
    const char *path = input->path;

    errors->count = errors->omitted = 0;
    errors->path = path;
    if (!path && input->environment)
        path = input->environment("PINSIGHT_CONFIG");
    errors->path = path;
    parser.no_memory = !parser.arena;
    if (!parser.no_memory)
        config = pinsight_config_take(&parser, sizeof *config);
    if (config)
        pinsight_config_defaults(&parser);
    if (config && path && !*path) {
        pinsight_config_error(errors, 0, 0, "%s",
                              input->path ? "the name of the configuration file is empty"
                                          : "PINSIGHT_CONFIG has no value; name a file, or unset "
                                            "it");
    } else if (config && path) {
        parser.path = pinsight_arena_text(parser.arena, path, strlen(path));
        parser.no_memory = parser.no_memory || !parser.path;
        if (parser.path)
            read_file(&parser, input);
    }
    if (config && input->environment)
        pinsight_config_environment(&parser, input->environment);
    if (parser.no_memory)
        pinsight_config_error(errors, 0, 0, "no memory to read the configuration");
    if (errors->count || parser.no_memory) {
        pinsight_arena_free(parser.arena);
        return NULL;
    }
    config->domains = parser.domains;
    config->domain_count = parser.domain_count;
    config->path = parser.path;
    config->sections = parser.first;
    config->arena = parser.arena;
    return config;
}

void pinsight_config_free(struct pinsight_config *config) {
    if (config)
        pinsight_arena_free(config->arena);
}
