/* SPDX-License-Identifier: MIT */
#include "cuda_text.h"

#include "cuda_tokens.h"
#include "cuda_words.h"

#include <stdlib.h>
#include <string.h>

struct rewriter {
    struct tokens tokens;
    const char *const *own;
    const char *const *kernels; /* that are looked for, and whether they were found */
    size_t kernel_count;
    bool found[MAX_LOOKED_FOR];
    size_t statement; /* the token at which the current statement starts */
    unsigned int variables;
    char *error; /* "" so far */
    size_t error_size;
};

static struct token *token_at(struct rewriter *rewriter, size_t at)
{
    return &rewriter->tokens.tokens[at];
}

static bool is(const struct rewriter *rewriter, size_t at, const char *text)
{
    return token_is(&rewriter->tokens, at, text);
}

static bool is_word(const struct rewriter *rewriter, size_t at)
{
    return at < rewriter->tokens.count && rewriter->tokens.tokens[at].kind == TOKEN_WORD;
}

static bool has_failed(const struct rewriter *rewriter)
{
    return rewriter->error[0] != '\0';
}

/* The place in messages is that of the token. */
static void refuse(struct rewriter *rewriter, const struct token *token, const char *what)
{
    if (has_failed(rewriter))
        return;
    snprintf(rewriter->error, rewriter->error_size,
             "%.*s:%d: error: '%.*s' (%s) is not there "
             "without nvcc: give one by --nvcc, or leave it out",
             (int)token->file_length - 2, token->file + 1, token->line, (int)token->length,
             token->start, what);
}

/* A header of ours, rather than what a user wrote. */
static bool is_own(const struct rewriter *rewriter, const struct token *token)
{
    for (int k = 0; k < OWN_FOLDERS; k++) {
        size_t length = strlen(rewriter->own[k]);

        if (token->file_length > length + 4 &&
            strncmp(token->file + 1, rewriter->own[k], length) == 0 &&
            memcmp(token->file + token->file_length - 3, ".h\"", 3) == 0)
            return true;
    }
    return false;
}

/* ---- The place of a token, as an object of its own ---- */

/* The text of an expression: the address of a struct simt_site. */
#define SITE "[]{static constexpr ::simt_site simt_here={%.*s,%d,nullptr,0};return &simt_here;}()"
#define SITE_VALUES(token) (int)(token)->file_length, (token)->file, (token)->line

/* ---- Declarations ---- */

/* Words behind which a bracket is no list of parameters. */
static size_t behind_attribute(const struct rewriter *rewriter, size_t at)
{
    static const char *const words[] = {"__attribute__",     "__attribute", "alignas",
                                        "__launch_bounds__", "decltype",    "noexcept",
                                        "__cluster_dims__",  "explicit",    "__declspec",
                                        "__block_size__",    "__maxnreg__", "throw"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(rewriter, at, words[w]) && is(rewriter, at + 1, "("))
            return tokens_behind(&rewriter->tokens, at + 1);
    if (is(rewriter, at, "[") && is(rewriter, at + 1, "["))
        return tokens_behind(&rewriter->tokens, at);
    return at;
}

/* What a declaration turns out to be. */
struct declaration {
    bool is_function;
    size_t name;                /* of a function */
    size_t end;                 /* its ; or the { of its body */
    size_t names[64], last[64]; /* of variables: their names, and where their declarators end */
    size_t name_count;
    size_t most_threads; /* of __launch_bounds__(: the token behind that bracket; 0: none */
};

static void add_name(struct declaration *declaration, size_t name, size_t last)
{
    if (declaration->name_count == sizeof declaration->names / sizeof *declaration->names)
        return;
    declaration->names[declaration->name_count] = name;
    declaration->last[declaration->name_count++] = last;
}

/* From the list of parameters at `at` to the body or the end. */
static void scan_function(const struct rewriter *rewriter, size_t at,
                          struct declaration *declaration)
{
    const struct tokens *tokens = &rewriter->tokens;
    bool initialises = false; /* members of a class */

    declaration->is_function = true;
    while (at < tokens->count && !is(rewriter, at, ";")) {
        size_t behind = behind_attribute(rewriter, at);
        if (is(rewriter, at, "__launch_bounds__"))
            declaration->most_threads = at + 2;
        if (behind != at) {
            at = behind;
        } else if (is(rewriter, at, "(") || is(rewriter, at, "[")) {
            at = tokens_behind(tokens, at);
        } else if (is(rewriter, at, "{")) {
            if (!initialises || !(is_word(rewriter, at - 1) || is(rewriter, at - 1, ">")))
                break;
            at = tokens_behind(tokens, at);
        } else {
            initialises = initialises || is(rewriter, at, ":");
            at++;
        }
    }
    declaration->end = at;
}

/* Does a declarator end in front of that token? */
static bool ends_declarator(const struct rewriter *rewriter, size_t at)
{
    return is(rewriter, at, "=") || is(rewriter, at, "{") || is(rewriter, at, ",") ||
           is(rewriter, at, ";");
}

/* Variables: `at` is behind the name of the first, or a token that ends it. */
static void scan_variables(const struct rewriter *rewriter, size_t at, size_t name,
                           struct declaration *declaration)
{
    const struct tokens *tokens = &rewriter->tokens;
    bool is_named = false;

    for (; at < tokens->count; at++) {
        if (!is_named && ends_declarator(rewriter, at)) {
            add_name(declaration, name, at - 1);
            is_named = true;
        }
        if (is(rewriter, at, ";"))
            break;
        if (is(rewriter, at, ","))
            is_named = false;
        else if (!is_named && is_word(rewriter, at))
            name = at;
        else if (is(rewriter, at, "[") || is(rewriter, at, "{") || is(rewriter, at, "("))
            at = tokens_behind(tokens, at) - 1;
    }
    declaration->end = at;
}

/* int (*name)(float): the bracket at `at` is of a pointer. */
static bool is_pointer_bracket(const struct rewriter *rewriter, size_t at)
{
    return is(rewriter, at + 1, "*") && is_word(rewriter, at + 2) &&
           (is(rewriter, at + 3, ")") || is(rewriter, at + 3, "["));
}

/* From a word such as __device__ on. */
static void scan_declaration(const struct rewriter *rewriter, size_t at,
                             struct declaration *declaration)
{
    const struct tokens *tokens = &rewriter->tokens;
    size_t start = at;

    *declaration = (struct declaration){.end = tokens->count};
    while (at < tokens->count) {
        size_t behind = behind_attribute(rewriter, at);
        if (is(rewriter, at, "__launch_bounds__"))
            declaration->most_threads = at + 2;
        if (behind != at) {
            at = behind;
        } else if (is(rewriter, at, "operator")) {
            at += is(rewriter, at + 1, "(") ? 3 : 1;
            while (at < tokens->count && !is(rewriter, at, "("))
                at++;
            scan_function(rewriter, at, declaration);
            return;
        } else if (is(rewriter, at, "(") && is_pointer_bracket(rewriter, at) && at > start + 1) {
            scan_variables(rewriter, at, at + 2, declaration);
            return;
        } else if (is(rewriter, at, "(")) {
            declaration->name = at - 1;
            scan_function(rewriter, at, declaration);
            return;
        } else if (is(rewriter, at, "{") && is_word(rewriter, at - 1) && at >= 2 &&
                   (is(rewriter, at - 2, "struct") || is(rewriter, at - 2, "union") ||
                    is(rewriter, at - 1, "struct") || is(rewriter, at - 1, "union"))) {
            at = tokens_behind(tokens, at);
        } else if (is(rewriter, at, "=") || is(rewriter, at, ";") || is(rewriter, at, "[") ||
                   is(rewriter, at, "{") || is(rewriter, at, ",")) {
            scan_variables(rewriter, at, at - 1, declaration);
            return;
        } else if (is(rewriter, at, "<") && is_word(rewriter, at - 1)) {
            behind = tokens_behind_angles(tokens, at);
            at = behind != at ? behind : at + 1;
        } else {
            at++;
        }
    }
}

/* Is that word among those of the statement so far, or of the declaration? */
static bool has_word(const struct rewriter *rewriter, size_t from, size_t to, const char *word)
{
    for (size_t at = from; at < to; at++)
        if (is(rewriter, at, word))
            return true;
    return false;
}

/* ---- Variables ---- */

/* What stands behind a declaration: a zone that parts the variable from the next, and its row in
 * the table of them. */
#define ZONE " static char simt_zone_%u[4096] __attribute__((section(\"simt_device_%06u\"), used));"
#define ROW                                                                                        \
    " static const ::simt_source_variable simt_row_%u = {\"%.*s\", (void *)&%.*s, sizeof %.*s, "   \
    "::simt_cuda::element_bytes<decltype(%.*s)>(), %s};"                                           \
    " __attribute__((section(\"simt_variables\"), used))"                                          \
    " static const ::simt_source_variable *const simt_listed_%u = &simt_row_%u;"
#define NAME(name) (int)(name)->length, (name)->start

/* Variables of kernels lie in pages of their own. */
static void write_variables(struct rewriter *rewriter, size_t at,
                            const struct declaration *declaration, bool constant)
{
    struct token *token = token_at(rewriter, at);
    struct token *end = token_at(rewriter, declaration->end);

    if (has_word(rewriter, rewriter->statement, at, "extern"))
        return; /* it is defined elsewhere */
    if (has_word(rewriter, rewriter->statement, at, "template")) {
        refuse(rewriter, token, "a variable that is a template");
        return;
    }
    for (size_t n = 0; n < declaration->name_count; n++) {
        const struct token *name = token_at(rewriter, declaration->names[n]);
        unsigned int number = ++rewriter->variables;
        token_append(token_at(rewriter, declaration->last[n]),
                     " __attribute__((section(\"simt_device_%06u\"), used, aligned(16)))", number);
        number = ++rewriter->variables;
        token_append(end, ZONE ROW, number, number, number, NAME(name), NAME(name), NAME(name),
                     NAME(name), constant ? "true" : "false", number, number);
    }
}

/* extern __shared__ T name[] in a function: an array of unknown size where dynamic shared memory
 * is. A declaration of the variable itself loses its name in a template. */
static void write_dynamic(struct rewriter *rewriter, size_t at,
                          const struct declaration *declaration)
{
    token_replace(token_at(rewriter, at), "%s", "");
    for (size_t k = rewriter->statement; k < at; k++)
        if (is(rewriter, k, "extern"))
            token_replace(token_at(rewriter, k), "typedef");
    for (size_t n = 0; n < declaration->name_count; n++) {
        struct token *name = token_at(rewriter, declaration->names[n]);
        token_replace(name, "simt_array_%.*s", NAME(name));
        token_append(token_at(rewriter, declaration->end),
                     " simt_array_%.*s &%.*s = *(simt_array_%.*s *)::simt_dynamic_window;",
                     NAME(name), NAME(name), NAME(name));
    }
}

/* Thread-local storage, as in dialect.h; what is extern is what the launch asks for. */
static void write_shared(struct rewriter *rewriter, size_t at)
{
    struct declaration declaration;

    if (!has_word(rewriter, rewriter->statement, at, "extern")) {
        token_replace(token_at(rewriter, at), "__attribute__((used)) thread_local");
        return;
    }
    scan_declaration(rewriter, at + 1, &declaration);
    if (declaration.end >= rewriter->tokens.count)
        return;
    if (token_at(rewriter, at)->in_device) {
        write_dynamic(rewriter, at, &declaration);
        return;
    }
    token_replace(token_at(rewriter, at), "__thread");
    for (size_t k = at + 1; k <= declaration.end; k++)
        if (is(rewriter, k, ";") || is(rewriter, k, ","))
            token_append(token_at(rewriter, k - 1), " __asm__(\"simt_dynamic_window\")");
}

/* ---- Functions ---- */

static void mark_body(struct rewriter *rewriter, const struct declaration *declaration,
                      bool is_kernel)
{
    size_t end = tokens_behind(&rewriter->tokens, declaration->end);

    for (size_t at = declaration->end; at < end; at++) {
        token_at(rewriter, at)->in_device = true;
        token_at(rewriter, at)->in_kernel = is_kernel;
    }
}

/* The head of a kernel whose blocks may not be larger. */
static void write_bounds(struct rewriter *rewriter, const struct declaration *declaration)
{
    struct token *brace = token_at(rewriter, declaration->end);
    const struct token *first = token_at(rewriter, declaration->most_threads);
    size_t at = declaration->most_threads;

    while (at < rewriter->tokens.count && !is(rewriter, at, ",") && !is(rewriter, at, ")"))
        at = is(rewriter, at, "(") ? tokens_behind(&rewriter->tokens, at) : at + 1;
    token_append(brace, "::simt_within_bounds(" SITE ", (%.*s));", SITE_VALUES(brace),
                 (int)(token_at(rewriter, at)->start - first->start), first->start);
}

/* Does another word of the declaration say what kind of variable it is? */
static bool is_said_elsewhere(const struct rewriter *rewriter, size_t at, size_t end)
{
    static const char *const words[] = {"__constant__", "__managed__", "__shared__"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (has_word(rewriter, rewriter->statement, at, words[w]) ||
            has_word(rewriter, at + 1, end, words[w]))
            return true;
    return false;
}

/* Is that the name of the kernel, but for namespaces before it and template arguments behind? */
static bool is_named(const char *kernel, const struct token *name)
{
    size_t end = strcspn(kernel, "<"), start;

    while (end > 0 && kernel[end - 1] == ' ')
        end--;
    for (start = end; start > 0 && kernel[start - 1] != ':' && kernel[start - 1] != ' ';)
        start--;
    return name->length == end - start && memcmp(name->start, kernel + start, end - start) == 0;
}

static void look_at_kernel(struct rewriter *rewriter, const struct token *name)
{
    for (size_t k = 0; k < rewriter->kernel_count; k++)
        rewriter->found[k] = rewriter->found[k] || is_named(rewriter->kernels[k], name);
}

static void take_declaration(struct rewriter *rewriter, size_t at)
{
    bool is_kernel = is(rewriter, at, "__global__");
    bool constant = is(rewriter, at, "__constant__");
    struct declaration declaration;

    token_replace(token_at(rewriter, at), "%s", "");
    scan_declaration(rewriter, at + 1, &declaration);
    if (declaration.end >= rewriter->tokens.count)
        return;
    if (!declaration.is_function) {
        if (constant || is(rewriter, at, "__managed__") ||
            !is_said_elsewhere(rewriter, at, declaration.end))
            write_variables(rewriter, at, &declaration, constant);
        return;
    }
    if (is_kernel)
        look_at_kernel(rewriter, token_at(rewriter, declaration.name));
    if (!is(rewriter, declaration.end, "{") || token_at(rewriter, declaration.end)->in_device)
        return;
    mark_body(rewriter, &declaration, is_kernel);
    if (is_kernel && declaration.most_threads != 0)
        write_bounds(rewriter, &declaration);
}

/* ---- Launches ---- */

static bool is_launch(const struct rewriter *rewriter, size_t at, const char *mark)
{
    return is(rewriter, at, mark) && is(rewriter, at + 1, mark) && is(rewriter, at + 2, mark) &&
           token_touches_next(&rewriter->tokens, at) &&
           token_touches_next(&rewriter->tokens, at + 1);
}

/* kernel<<<grid, block>>>(...): of host code, which nobody runs, a call; of kernels, a launch. */
static void take_launch(struct rewriter *rewriter, size_t at)
{
    struct token *open = token_at(rewriter, at);
    size_t end = at + 3;

    while (end < rewriter->tokens.count && !is_launch(rewriter, end, ">"))
        end = is(rewriter, end, "(") || is(rewriter, end, "{") || is(rewriter, end, "[")
                  ? tokens_behind(&rewriter->tokens, end)
                  : end + 1;
    if (end >= rewriter->tokens.count)
        return;
    for (size_t k = at; k < end + 3; k++)
        if (k < at + 3 || k >= end || !open->in_device)
            token_replace(token_at(rewriter, k), "%s", "");
    if (!open->in_device)
        return;
    token_replace(open, "->*::simt_cuda::launch(" SITE ", ", SITE_VALUES(open));
    token_replace(token_at(rewriter, end), ")");
}

/* ---- Words in the bodies of device functions ---- */

static bool is_called(const struct rewriter *rewriter, size_t at)
{
    return is(rewriter, at + 1, "(");
}

static bool is_member(const struct rewriter *rewriter, size_t at)
{
    return at > 0 &&
           (is(rewriter, at - 1, ".") || is(rewriter, at - 1, "->") || is(rewriter, at - 1, "::"));
}

static bool is_of_object(const struct rewriter *rewriter, size_t at)
{
    return at > 0 && (is(rewriter, at - 1, ".") || is(rewriter, at - 1, "->"));
}

static void take_device_word(struct rewriter *rewriter, size_t at)
{
    struct token *token = token_at(rewriter, at);
    const struct cuda_word *word = cuda_word_find(token->start, token->length);

    /* Of other functions those that a kernel may end by: without a value. */
    if (is(rewriter, at, "return") && (token->in_kernel || is(rewriter, at + 1, ";"))) {
        token_replace(token,
                      "for (__builtin_is_constant_evaluated() ? (void)0 "
                      ": ::simt_return(__func__, %d);;) return",
                      token->line);
        return;
    }
    if (word == NULL || is_of_object(rewriter, at) ||
        (is_member(rewriter, at) && word->kind < CUDA_REFUSED))
        return;
    switch (word->kind) {
    case CUDA_VALUE:
        token_replace(token, "%s", word->meaning);
        break;
    case CUDA_CALL:
        if (is_called(rewriter, at))
            token_replace(token, "%s", word->meaning);
        break;
    case CUDA_PLACED_CALL:
        if (!is_called(rewriter, at))
            break;
        token_replace(token, "%s", word->meaning);
        token_append(token_at(rewriter, at + 1), SITE "%s", SITE_VALUES(token),
                     is(rewriter, at + 2, ")") ? "" : ", ");
        break;
    case CUDA_REFUSED:
        refuse(rewriter, token, word->meaning);
        break;
    case CUDA_REFUSED_CALL:
        if (is_called(rewriter, at) || is(rewriter, at + 1, "<"))
            refuse(rewriter, token, word->meaning);
        break;
    case CUDA_REFUSED_WORD:
        if (is(rewriter, at, "new") ? !is_called(rewriter, at) : !is(rewriter, at - 1, "="))
            refuse(rewriter, token, word->meaning);
        break;
    }
}

/* ---- Headers ---- */

/* One of CUDA's own that was found on this machine, and that a host compiler makes nothing of. */
static void refuse_library(struct rewriter *rewriter, size_t at)
{
    const struct token *token = token_at(rewriter, at), *before = token_at(rewriter, at - 1);
    const char *name;

    if (is_own(rewriter, token) || has_failed(rewriter))
        return;
    name = cuda_library_find(token->file + 1, token->file_length - 2);
    if (name == NULL)
        return;
    snprintf(rewriter->error, rewriter->error_size,
             "%.*s:%d: error: behind this line, '%.*s' is included: what that header has is not "
             "there without nvcc: give one by --nvcc",
             (int)before->file_length - 2, before->file + 1, before->line,
             (int)(token->file + token->file_length - 1 - name), name);
}

/* ---- The whole ---- */

static void take_qualifier(struct rewriter *rewriter, size_t at)
{
    struct token *token = token_at(rewriter, at);

    if (is(rewriter, at, "__global__") || is(rewriter, at, "__device__") ||
        is(rewriter, at, "__constant__") || is(rewriter, at, "__managed__")) {
        take_declaration(rewriter, at);
    } else if (is(rewriter, at, "__shared__")) {
        write_shared(rewriter, at);
    } else if (is(rewriter, at, "__host__") || is(rewriter, at, "__forceinline__") ||
               is(rewriter, at, "__grid_constant__")) {
        token_replace(token, "%s", "");
    } else if (is(rewriter, at, "__noinline__") && !is(rewriter, at - 1, "(")) {
        token_replace(token, "__attribute__((noinline))");
    } else if (is(rewriter, at, "__launch_bounds__") && is(rewriter, at + 1, "(")) {
        for (size_t k = at, end = tokens_behind(&rewriter->tokens, at + 1); k < end; k++)
            token_replace(token_at(rewriter, k), "%s", "");
    } else if ((is(rewriter, at, "texture") || is(rewriter, at, "surface")) &&
               is(rewriter, at + 1, "<")) {
        refuse(rewriter, token, "textures and surfaces");
    } else if (is(rewriter, at, "__cluster_dims__")) {
        refuse(rewriter, token, "clusters of blocks");
    }
}

static void take_token(struct rewriter *rewriter, size_t at)
{
    const struct token *token = token_at(rewriter, at);

    if (token->kind == TOKEN_WORD) {
        if (token->length > 6)
            take_qualifier(rewriter, at);
        if (token->in_device && token->instead == NULL)
            take_device_word(rewriter, at);
    } else if (is_launch(rewriter, at, "<")) {
        take_launch(rewriter, at);
    }
}

static void take_all(struct rewriter *rewriter)
{
    for (size_t at = 0; at < rewriter->tokens.count && !has_failed(rewriter); at++) {
        const struct token *token = token_at(rewriter, at);
        if (at > 0 && token->file != token_at(rewriter, at - 1)->file)
            refuse_library(rewriter, at);
        if (!is_own(rewriter, token) && token->instead == NULL)
            take_token(rewriter, at);
        if (is(rewriter, at, ";") || is(rewriter, at, "{") || is(rewriter, at, "}"))
            rewriter->statement = at + 1;
    }
}

static void write_all(const struct tokens *tokens, FILE *to)
{
    const char *at = tokens->text;

    for (size_t k = 0; k < tokens->count; k++) {
        const struct token *token = &tokens->tokens[k];
        fwrite(at, 1, (size_t)(token->start - at), to);
        if (token->instead != NULL)
            fputs(token->instead, to);
        else
            fwrite(token->start, 1, token->length, to);
        if (token->behind != NULL)
            fputs(token->behind, to);
        at = token->start + token->length;
    }
    fwrite(at, 1, (size_t)(tokens->text + tokens->size - at), to);
}

bool cuda_text_write(const char *text, size_t size, const char *const own[OWN_FOLDERS],
                     const char *const *kernels, size_t kernel_count, FILE *to,
                     const char **missing, char *error, size_t error_size)
{
    struct rewriter rewriter = {.own = own, .error = error, .error_size = error_size};

    error[0] = '\0';
    if (!tokens_read(&rewriter.tokens, text, size)) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    rewriter.kernels = kernels;
    rewriter.kernel_count = kernel_count < MAX_LOOKED_FOR ? kernel_count : MAX_LOOKED_FOR;
    take_all(&rewriter);
    *missing = NULL;
    for (size_t k = rewriter.kernel_count; k > 0; k--)
        if (!rewriter.found[k - 1])
            *missing = kernels[k - 1];
    if (!has_failed(&rewriter))
        write_all(&rewriter.tokens, to);
    tokens_free(&rewriter.tokens);
    return error[0] == '\0';
}
