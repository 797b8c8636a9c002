#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples.py [--write] DECODER ISA ANSWERS PAGE [PTXAS]

Expands the patterns of ISA to example instructions, and compares three things: what ptxas 13.0
accepts for sm_90a, what the simulator decodes (DECODER is decode_examples), and what
unsupported_forms.c lists. ANSWERS has the recorded answers of ptxas, for machines without it. PAGE
has a table of the shares that the simulator supports. --write renews that table
and, with ptxas 13.0, ANSWERS.
"""
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

MOST_COMBINATIONS = 32  # above this, a pattern is expanded to some of its spellings
TYPES = r"pred|[busf]\d+(?:x2|x4)?|bf16(?:x2)?|tf32|e\dm\dx?\d?|ue8m0x2"
BITS = {"pred": 1, "tf32": 32}
SPACES = {"global": "global", "const": "const", "shared": "shared", "local": "local"}


def read_patterns(path):
    """Yields section, line number, pattern and operands, after expansion of the words."""
    words, section = {}, ""

    def replace(match):
        value = words.get(match[2])
        if value is None:
            return match[0]
        if value[0] not in "([":
            return match[1] + value + match[3]
        return "[" + value[1:-1] + "]" if match[1] == "[" else value

    for number, line in enumerate(re.sub(r"\\\n *", "", open(path).read()).split("\n"), 1):
        if line.startswith("## "):
            section = line[3:].split()[0]
        elif line and line[0] != "#":
            word = re.match(r"([A-Z]\w*) = (.*)", line)
            text = re.sub(r"([(\[])([A-Z]\w*)([)\]])", replace, word[2] if word else line)
            text = re.sub(r"([(\[])([A-Z]\w*)([)\]])", replace, text)
            if word:
                words[word[1]] = text
            else:
                pattern, _, operands = text.partition(";")
                yield section, number, pattern.strip(), operands.strip()


GROUP = re.compile(r"\((?=[.:%\w])([^()\[\]{}]*\|[^()\[\]{}]*|\.[\w:.]+)\)|\[(\.[^()\[\]{}]*)\]")


def expand(text):
    """Returns the spellings of a text with groups."""
    pieces, groups, last = [], [], 0
    for match in GROUP.finditer(text):
        pieces.append(text[last : match.start()])
        choices = (match[1] or match[2]).split("|")
        groups.append(([""] if match[2] is not None else []) + choices)
        last = match.end()
    pieces.append(text[last:])
    sizes = [len(group) for group in groups]
    if math.prod(sizes) <= MOST_COMBINATIONS:
        chosen = itertools.product(*map(range, sizes))
    else:  # each choice with the first ones of the other groups, and all groups at once
        chosen = {(0,) * len(sizes)}
        for g, size in enumerate(sizes):
            chosen |= {(0,) * g + (k,) + (0,) * (len(sizes) - g - 1) for k in range(size)}
        for k in range(2 * max(sizes)):
            chosen.add(tuple((k + k // size) % size for size in sizes))
        chosen = sorted(chosen)
    for one in chosen:
        yield "".join(p + (groups[i][one[i]] if i < len(one) else "") for i, p in enumerate(pieces))


def bits(name):
    if name in BITS:
        return BITS[name]
    if name in ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2"):
        return 16
    if name in ("e4m3x4", "e5m2x4"):
        return 32
    size = int(re.sub(r"^(bf|[busf])", "", name).split("x")[0])
    return size * (int(name.split("x")[1]) if "x" in name else 1)


class Registers:
    """Gives each operand a register of its own, and remembers their declarations."""

    def __init__(self):
        self.counts = {}

    def new(self, width):
        letter = {1: "p", 8: "b", 16: "h", 32: "r", 64: "d", 128: "q"}[max(width, 1)]
        self.counts[letter] = self.counts.get(letter, 0) + 1
        return "%%%s%d" % (letter, self.counts[letter])

    def list(self, width, count):
        return "{" + ", ".join(self.new(width) for _ in range(count)) + "}"

    def declarations(self):
        types = {"p": "pred", "b": "b8", "h": "b16", "r": "b32", "d": "b64", "q": "b128"}
        return " ".join(
            ".reg .%s %%%s<%d>;" % (types[k], k, n + 1) for k, n in sorted(self.counts.items())
        )


ELEMENT = {"b1": 1, "s4": 4, "u4": 4, "e2m1": 8, "e3m2": 8, "e2m3": 8, "e4m3": 8, "e5m2": 8}


def element(name):
    return ELEMENT.get(name) or bits(name)


def matrix_operands(opcode, registers):
    parts = opcode.split(".")
    shape = next(p for p in parts if re.fullmatch(r"m\d+n\d+k\d+", p))
    m, n, k = map(int, re.findall(r"\d+", shape))
    types = [p for p in parts if p in ELEMENT or re.fullmatch(TYPES, p)]

    def registers_of(name, elements):
        width = element(name)
        wide = 64 if width == 64 else 32
        return registers.list(wide, max(1, elements * width // 32 // wide))

    if parts[0] == "wgmma":
        count = n // 2 * (1 if types[0] in ("f32", "s32") else 1)
        return registers.list(32, count // 2 if types[0] == "f16" else count)
    if parts[0] == "wmma" and parts[1] in ("load", "store"):
        kind, name = parts[2], types[0]
        if kind in "cd":
            return registers.list(64, 2) if name == "f64" else registers_of(name, m * n)
        if name == "f16":
            return registers.list(32, 8)
        return registers_of(name, m * k if kind == "a" else k * n)
    if parts[0] == "wmma":
        if len(types) == 2:
            types = [types[0], "f16", "f16", types[1]]
        half = types[1] == "f16"
        a = registers.list(32, 8) if half else registers_of(types[1], m * k)
        b = registers.list(32, 8) if half else registers_of(types[2], k * n)
        return ", ".join([registers_of(types[0], m * n), a, b, registers_of(types[3], m * n)])
    if shape == "m8n8k4" and types[1] == "f16":
        d, c = (registers.list(32, 4 if t == "f16" else 8) for t in (types[0], types[3]))
        return ", ".join([d, registers.list(32, 2), registers.list(32, 2), c])
    sparse = 2 if parts[1].startswith("sp") else 1
    return ", ".join(
        [
            registers_of(types[0], m * n),
            registers_of(types[1], m * k // sparse),
            registers_of(types[2], k * n),
            registers_of(types[3], m * n),
        ]
    )


COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4}


def space_of(opcode):
    for part in re.split(r"[.]", opcode):
        base = part.split("::")[0]
        if base in SPACES:
            return base
        if base == "param":
            return "param"
    return ""


def operand(token, opcode, registers):
    parts = opcode.split(".")
    types = [p for p in parts[1:] if re.fullmatch(TYPES, p)]
    if token in "1234":
        return registers.new(max(8 if token == "0" else 16, bits(types[int(token) - 1])))
    if token == "w":
        return registers.new(2 * bits(types[0]))
    if token in "phrdqb":
        return registers.new({"p": 1, "b": 8, "h": 16, "r": 32, "d": 64, "q": 128}[token])
    if token == "A":
        space = space_of(opcode)
        named = {"": "", "param": "params"}.get(space, space + "_array")
        return "[%s]" % (named or registers.new(64))
    if token == "S":
        return space_of(opcode) + "_array"
    if token == "V":
        width = max(16, bits(types[-1]))
        count = next((int(p[1]) for p in parts if p in ("v2", "v4", "v8")), 1)
        return registers.new(width) if count == 1 else registers.list(width, count)
    if token == "M":
        return matrix_operands(opcode, registers)
    if token == "X":
        count = next(int(p[1]) for p in parts if re.fullmatch(r"x\d", p))
        return registers.list(32, count * (2 if "m16n16" in parts else 1))
    if token == "H":
        return ", " + registers.new(64) if "cache_hint" in opcode else ""
    if token == "K":
        return ", " + registers.new(16) if "multicast" in opcode else ""
    if token in "CO":
        count = next(int(p[0]) for p in parts if re.fullmatch(r"\dd", p))
        return registers.list(32, count) if token == "C" else registers.list(16, count - 2)
    if token == "T":
        return "surface" if opcode.startswith("su") or "surfref" in opcode else "texture"
    if token == "G":
        geometry = next(p for p in parts if p in COORDINATES or p.endswith("ms"))
        return registers.list(32, COORDINATES.get(geometry, 4))
    raise ValueError(token)


def examples(path):
    """Yields section, line, instruction, and whether it needs texture mode 'independent'."""
    seen = set()
    for section, number, pattern, operands in read_patterns(path):
        for text in expand(pattern + " ; " + operands):
            opcode, _, rest = text.partition(" ; ")
            registers = Registers()
            rest = re.sub(r"texture_object", lambda m: registers.new(64), rest)
            try:
                rest = re.sub(r"\$(\w)", lambda m: operand(m[1], opcode, registers), rest)
            except (StopIteration, IndexError):
                raise SystemExit("%s:%d: %s" % (path, number, text))
            instruction = (opcode + " " + rest).strip() + ";"
            if instruction not in seen:
                seen.add(instruction)
                yield section, number, instruction, registers.declarations()


HEADER = """.version 9.0
.target sm_90a%s
.address_size 64
.global .align 128 .b8 global_array[4096];
.const .align 128 .b8 const_array[4096];
.shared .align 128 .b8 shared_array[4096];
.global .texref texture;
.global .surfref surface;
%s.func device_function() { ret; }
.visible .entry kernel() { ret; }
"""


def module_of(items):
    """Returns PTX with one kernel for each item, each on two lines."""
    independent = any("sampler_object" in item[2] for item in items)
    text = HEADER % (
        (", texmode_independent", ".global .samplerref sampler_object;\n")
        if independent
        else ("", "")
    )
    lines = {}
    for k, (_, _, instruction, declarations) in enumerate(items):
        extra = ""
        if " branches" in instruction:
            extra += "branches: .branchtargets label, label; "
        if " prototype" in instruction:
            extra += "prototype: .callprototype _ (); "
        if " targets" in instruction:
            extra += "targets: .calltargets device_function; "
        local = ".local .align 128 .b8 local_array[4096]; " if "local_array" in instruction else ""
        text += ".visible .entry k%d(.param .align 128 .b8 params[256]) { %s %s%s\n" % (
            k,
            declarations,
            local,
            extra,
        )
        lines[text.count("\n") + 1] = k
        text += instruction + "\nlabel: ret; }\n"
    return text, lines


def ask(items, ptxas, folder):
    """Returns the indices of the items that ptxas rejects, each with its first message.

    The message is None if ptxas ends without an error message: it has failed, and did not answer.
    """
    rejected, left = {}, list(range(len(items)))
    path = os.path.join(folder, "examples.ptx")
    while left:
        text, lines = module_of([items[k] for k in left])
        open(path, "w").write(text)
        result = subprocess.run(
            [ptxas, "--gpu-name", "sm_90a", "-O0", "-w", "-o", path + ".cubin", path],
            capture_output=True,
            text=True,
        )
        if result.returncode == 0:
            break
        found = set()
        for match in re.finditer(r"line (\d+); (?:error|fatal) *: (.*)", result.stderr):
            k = lines.get(int(match[1]))
            if k is None:
                k = lines.get(int(match[1]) - 1)
            if k is not None:
                found.add(k)
                rejected.setdefault(left[k], match[2].strip())
        if not found:
            if len(left) == 1:
                rejected[left[0]] = result.stderr.strip() if "fatal" in result.stderr else None
                if rejected[left[0]] is None:
                    print("ptxas fails with %d: %s" % (result.returncode, items[left[0]][2]))
                break
            half = len(left) // 2
            for part in (left[:half], left[half:]):
                for k, why in ask([items[j] for j in part], ptxas, folder).items():
                    rejected[part[k]] = why
            break
        left = [k for j, k in enumerate(left) if j not in found]
    return rejected


def ask_all(items, ptxas):
    """Returns whether ptxas accepts each example, by its instruction."""
    accepted = {item[2]: True for item in items}
    with tempfile.TemporaryDirectory() as folder:
        for independent in (False, True):
            chosen = [i for i in items if ("sampler_object" in i[2]) == independent]
            for first in range(0, len(chosen), 400):
                part = chosen[first : first + 400]
                for k, why in ask(part, ptxas, folder).items():
                    accepted[part[k][2]] = False
                    if os.environ.get("EXAMPLES_WHY"):
                        print(part[k][2], "|", why)
    return accepted


def find_changes(items, accepted, recorded, ptxas):
    """Returns an error for each example that ptxas, asked for it alone, answers differently."""
    changes = []
    with tempfile.TemporaryDirectory() as folder:
        for item in items:
            if accepted[item[2]] != recorded[item[2]]:
                why = ask([item], ptxas, folder).get(0, "")
                if why is not None and (why == "") != recorded[item[2]]:
                    changes.append("ptxas %s: %s" % ("says " + why if why else "accepts", item[2]))
    return changes


def answers_text(items, accepted):
    """Returns a line for each pattern: its line number, and a letter for each example."""
    lines = {}
    for _, number, instruction, _ in items:
        lines[number] = lines.get(number, "") + ("y" if accepted[instruction] else "n")
    return "".join("%d\t%s\n" % line for line in lines.items())


def read_answers(items, text):
    letters = "".join(line.split("\t")[1] for line in text.splitlines())
    if len(letters) != len(items):
        raise SystemExit("the recorded answers are for other examples: run examples.py --write")
    return {item[2]: letter == "y" for item, letter in zip(items, letters)}


def decode(items, decoder):
    """Returns the answer of decode_examples to each example, and the rows that reject."""
    text = "".join("%s// end %s\n" % (module_of([item])[0], item[2]) for item in items)
    lines = subprocess.run([decoder], input=text, capture_output=True, text=True, check=True)
    fields = [line.split("\t") for line in lines.stdout.splitlines()]
    return fields[: len(items)], [line[1] for line in fields[len(items) :]]


def find_errors(items, accepted, decoded, rows):
    """Returns what is wrong with the table of capabilities."""
    errors, used = [], set()
    for item, answer in zip(items, decoded):
        if answer[0] == "rejected":
            used.add(answer[1])
            if accepted[item[2]] and "sm_100" in answer[2]:
                errors.append("ptxas accepts for sm_90a: " + item[2])
        elif answer[0] == "unknown" and accepted[item[2]]:
            errors.append("unsupported_forms.c gives no reason for: %s %s" % (item[2], answer[1]))
    errors += ["no example needs the row of unsupported_forms.c: " + r for r in rows if r not in used]
    return errors


def share_table(items, accepted, decoded):
    """Returns the table of docs/capabilities.md: how many examples the simulator decodes."""
    counts = {}
    for item, answer in zip(items, decoded):
        if accepted[item[2]]:
            for section in (item[0], "all"):
                count = counts.setdefault(section, [0, 0])
                count[0] += 1
                count[1] += answer[0] == "supported"
    counts["all"] = counts.pop("all")
    text = "| chapter | examples that ptxas accepts | supported | share |\n| --- | --- | --- | --- |\n"
    for section, (total, good) in counts.items():
        text += "| %s | %d | %d | %d %% |\n" % (section, total, good, 100 * good // total)
    return text


START, END = "<!-- examples -->\n", "<!-- end of examples -->\n"


def check_page(path, table, write):
    page = open(path).read()
    before, _, rest = page.partition(START)
    after = rest.partition(END)[2]
    wanted = before + START + "\n" + table + "\n" + END + after
    if write:
        open(path, "w").write(wanted)
    return [] if write or page == wanted else [path + " has other numbers: run examples.py --write"]


def is_asked(ptxas):
    """The answers are those of ptxas 13.0."""
    if ptxas is None:
        return False
    version = subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout
    return "release 13.0" in version


def main():
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    decoder, isa, recorded, page, *ptxas = arguments[write:]
    items = list(examples(isa))
    errors = []
    if is_asked(ptxas[0] if ptxas else None):
        accepted = ask_all(items, ptxas[0])
        if write:
            open(recorded, "w").write(answers_text(items, accepted))
        else:
            before = read_answers(items, open(recorded).read())
            errors += find_changes(items, accepted, before, ptxas[0])
    accepted = read_answers(items, open(recorded).read())
    decoded, rows = decode(items, decoder)
    errors += find_errors(items, accepted, decoded, rows)
    errors += check_page(page, share_table(items, accepted, decoded), write)
    print("\n".join(errors[:40]))
    print("%d examples, %d errors" % (len(items), len(errors)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
