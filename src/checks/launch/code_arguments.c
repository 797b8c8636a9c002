/* SPDX-License-Identifier: MIT */
#include "code_arguments.h"

#include <stdio.h>
#include <string.h>

/* simt_kind says what a term is: an integer, a float, or no number. simt_given makes the variable
 * of an argument. A number needs none, and an object without members has one byte. The parameter of
 * a lambda is a function pointer or of the lambda's own type, which has no members. */
const char code_arguments_text[] =
    "template <typename Type> Type simt_decayed(Type);\n"
    "template <typename Type> struct simt_kind { enum { is = __is_enum(Type) ? 0 : 2 }; };\n"
    "#define SIMT_KIND(type, kind) template <> struct simt_kind<type> { enum { is = kind }; };\n"
    "SIMT_KIND(bool, 0) SIMT_KIND(char, 0) SIMT_KIND(signed char, 0) SIMT_KIND(unsigned char, 0)\n"
    "SIMT_KIND(short, 0) SIMT_KIND(unsigned short, 0) SIMT_KIND(int, 0) SIMT_KIND(unsigned, 0)\n"
    "SIMT_KIND(long, 0) SIMT_KIND(unsigned long, 0) SIMT_KIND(long long, 0)\n"
    "SIMT_KIND(unsigned long long, 0) SIMT_KIND(wchar_t, 0) SIMT_KIND(char16_t, 0)\n"
    "SIMT_KIND(char32_t, 0) SIMT_KIND(decltype(nullptr), 0) SIMT_KIND(float, 1)\n"
    "SIMT_KIND(double, 1) SIMT_KIND(long double, 1)\n"
    "template <int kind> struct simt_number_of {\n"
    "    template <typename Type> static __host__ __device__ constexpr long long integer(Type t)\n"
    "    { return (long long)t; }\n"
    "    template <typename Type> static __host__ __device__ constexpr double floating(Type t)\n"
    "    { return (double)t; }\n"
    "};\n"
    "template <> struct simt_number_of<2> {\n"
    "    template <typename Type> static __host__ __device__ constexpr long long integer(Type)\n"
    "    { return 0; }\n"
    "    template <typename Type> static __host__ __device__ constexpr double floating(Type)\n"
    "    { return 0; }\n"
    "};\n"
    "template <bool is_empty, typename Parameter> struct simt_given {\n"
    "    typedef Parameter type;\n"
    "    static __host__ __device__ constexpr type of(Parameter value) { return value; }\n"
    "};\n"
    "template <typename Parameter> struct simt_given<true, Parameter> {\n"
    "    typedef unsigned char type;\n"
    "    template <typename Type> static __host__ __device__ constexpr type of(Type) { return 0; "
    "}\n"
    "};\n"
    "template <typename Type, typename Parameter> struct simt_given_as\n"
    "    : simt_given<simt_kind<Type>::is != 2 || __is_empty(Type), Parameter> {};\n"
    "template <typename Lambda, Lambda (*make)(), typename Parameter> struct simt_lambda_as {\n"
    "    typedef unsigned char type;\n"
    "    static __device__ constexpr type value() { return 0; }\n"
    "};\n"
    "template <typename Lambda, Lambda (*make)(), typename Result, typename... Types>\n"
    "struct simt_lambda_as<Lambda, make, Result (*)(Types...)> {\n"
    "    typedef Result (*type)(Types...);\n"
    "    static __device__ Result call(Types... values) { return make()(values...); }\n"
    "    static __device__ constexpr type value() { return &call; }\n"
    "};\n";

bool code_argument_is_lambda(const struct launch_text *launch, uint32_t name)
{
    return launch->names.name[name].text[0] == '[';
}

/* Returns whether the lambda has members, so that the compiler must compute it. */
static bool has_captures(const struct launch_text *launch, uint32_t name)
{
    const char *text = launch->names.name[name].text;

    return text[1 + strspn(text + 1, " ")] != ']';
}

void code_argument_term(const struct launch_text *launch, uint32_t name, char term[TERM_TEXT])
{
    if (code_argument_is_lambda(launch, name))
        snprintf(term, TERM_TEXT, "simt_lambda%u_%u()", launch->place, name);
    else
        snprintf(term, TERM_TEXT, "(%s)", launch->names.name[name].text);
}

void code_arguments_write_lambdas(FILE *to, const struct launch_text *launch)
{
    for (uint32_t k = 0; k < launch->names.count; k++)
        if (launch->name[k].kind == NAME_CONSTANT && code_argument_is_lambda(launch, k))
            fprintf(
                to,
                "#line 1 \"the launch\"\n__device__ %s auto simt_lambda%u_%u() { return %s; }\n",
                has_captures(launch, k) ? "constexpr" : "inline", launch->place, k,
                launch->names.name[k].text);
}

/* Writes the name of the variable of an argument. */
static void name_variable(const struct launch_text *launch, const struct launch_argument *argument,
                          char name[sizeof argument->given])
{
    snprintf(name, sizeof argument->given, "simt_given_%u_%u", launch->place,
             (uint32_t)(argument - launch->arguments));
}

void code_arguments_write(FILE *to, const struct launch_text *launch, uint32_t call,
                          const char *address, struct memory *memory)
{
    const struct launch_call *own = &launch->calls[call];

    for (uint32_t a = 0; a < own->argument_count; a++) {
        const struct launch_argument *argument = &launch->arguments[own->first_argument + a];
        uint32_t k = launch_constant(launch, argument);
        char term[TERM_TEXT], variable[sizeof argument->given];
        const char *as;
        bool is_lambda = k < MAX_NAMES && code_argument_is_lambda(launch, k) &&
                         !has_captures(launch, k); /* others are objects */
        if (k == MAX_NAMES)
            continue;
        code_argument_term(launch, k, term);
        name_variable(launch, argument, variable);
        if (is_lambda)
            as = memory_text(memory,
                             "simt_lambda_as<decltype(%s), &simt_lambda%u_%u, "
                             "simt_points<%u, decltype(%s)>::type>",
                             term, launch->place, k, a, address);
        else
            as = memory_text(memory,
                             "simt_given_as<decltype(simt_decayed(%s)), "
                             "simt_points<%u, decltype(%s)>::type>",
                             term, a, address);
        fprintf(to,
                "extern \"C\" {\n#line 1 \"the launch\"\n__device__ __attribute__((used)) "
                "%s::type %s = %s::%s(%s);\n}\n",
                as, variable, as, is_lambda ? "value" : "of", is_lambda ? "" : term);
    }
}

bool code_argument_bind(struct launch_text *launch, struct launch_argument *argument,
                        const struct entries *entries, uint64_t bytes)
{
    uint32_t k = launch_constant(launch, argument);
    char symbol[sizeof argument->given];
    uint64_t own;

    if (k == MAX_NAMES || launch->name[k].value.kind != NUMBER_NONE)
        return true;
    name_variable(launch, argument, symbol);
    if (!entries_size(entries, symbol, &own) || own != bytes)
        return false;
    strcpy(argument->given, symbol);
    return true;
}
