/* Reading a configuration as a whole: defaults, file, environment. */
#include "config/parse.h"

#include <string.h>

static void read_file(struct pinsight_config_parser *parser,
                      const struct pinsight_config_input *input) {
    const char *text = input->text;
    size_t length = input->length;

    if (!text)
        text = pinsight_config_file(parser, parser->path, &length);
    if (!text)
        return;
    const char *zero = length ? memchr(text, '\0', length) : NULL;
    if (zero) {
        unsigned line = 1;
        for (const char *at = text; at < zero; at++)
            line += *at == '\n';
        pinsight_config_error(parser->errors, line, 1,
                              "a byte 0 in this line: this is not a text file");
        return;
    }
    pinsight_config_reader_start(&parser->reader, text, length);
    pinsight_config_parse(parser);
}

struct pinsight_config *pinsight_config_read(const struct pinsight_config_input *input,
                                             struct pinsight_config_errors *errors) {
    struct pinsight_config_parser parser = {
        .domains = input->domains,
        .domain_count = input->domain_count,
        .errors = errors,
        .arena = pinsight_config_arena_new(),
    };
    struct pinsight_config *config = NULL;
    const char *path = input->path;

    errors->count = errors->left_out = 0;
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
        parser.path = pinsight_config_arena_text(parser.arena, path, strlen(path));
        parser.no_memory = parser.no_memory || !parser.path;
        if (parser.path)
            read_file(&parser, input);
    }
    if (config && input->environment)
        pinsight_config_environment(&parser, input->environment);
    if (parser.no_memory)
        pinsight_config_error(errors, 0, 0, "no memory to read the configuration");
    if (errors->count || parser.no_memory) {
        pinsight_config_arena_free(parser.arena);
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
        pinsight_config_arena_free(config->arena);
}
