#!/usr/bin/env python3
"""Makes docs/api.md from the headers: every public name, with its signature and the first sentence of its comment.

  docs/api.py           writes the page, and names what has no comment
  docs/api.py --check   compares it, and exits with 1 if it differs or a comment is missing

It reads C++ as clang-format lays it out, by its indentation. tests/docs/pages.py finds the types by their braces.
"""
import dataclasses, pathlib, re, sys

root = pathlib.Path(__file__).resolve().parent.parent
headers = root / "include/heddle"
parts = {
    "": ("heddle", "Contracts, coordinates and macros: [your own](your_own.md), [embedding](embedding.md)."),
    "order": ("order", "A map from launch index to tile and back: [order.md](order.md)."),
    "schedule": ("schedule", "Which block takes which tile: [schedule.md](schedule.md)."),
    "recipe": ("recipe", "A launch as one value, at run time: [recipe.md](recipe.md)."),
    "expand": ("expand", "Work that spawns work, in two passes: [expand.md](expand.md)."),
    "reorder": ("reorder", "Threads by what they will do: [reorder.md](reorder.md)."),
    "launch": ("launch", "Launches, and parameters by architecture: [launch_box.md](launch_box.md)."),
    "laws": ("laws", "Checkers for the host, in `heddle::laws`: [your own](your_own.md)."),
    "predict": ("predict", "Predictions for the host, in `heddle::predict`: [predict.md](predict.md)."),
    "choose": ("choose", "The fastest of your own candidates, by timing a few: [choose.md](choose.md)."),
    "trace": ("trace", "What ran where and when, from a launch: [trace.md](trace.md)."),
    "draw": ("draw", "Pictures, for the host, in `heddle::draw`: the pictures of these pages."),
    "device": ("device", "The card at hand, for predictions, by a CUDA compiler: [device.md](device.md)."),
    "guest": ("guest", "Tile schedulers of frameworks, in `heddle::guest`: [guests.md](guests.md)."),
}
preface = """# Every public name

By part and header, with its signature and what it does. A member runs on the host, on the device, or on both where the
column is empty. Names in a folder or namespace `detail` are not public. The least architecture of each part is on
[another page](embedding.md#the-least-architecture-of-each-part). This page is made from the headers.
"""
annotations = r"alignas\(\d+\) |HEDDLE_FN |HEDDLE_HOST |HEDDLE_DEVICE |constexpr |inline |explicit |\[\[nodiscard\]\] "
unlisted = ("static_assert", "friend ", "= delete", "~", "operator==", "->", "private:", "extern ")


@dataclasses.dataclass
class declaration:
    """Its comment, its lines with the body, what stands behind it in its last line, and whether it is public."""
    comment: list
    text: list
    trailing: str
    is_public: bool

    def head(self):
        """Returns it without its body, in one line."""
        code = (parted(line)[0].strip() for line in self.text)
        text, parens = " ".join(line for line in code if line and line[0] != "#"), 0
        for at, letter in enumerate(text):
            parens += (letter == "(") - (letter == ")")
            if parens == 0 and (letter in "{;" or (text[at : at + 2] == ": " and text[at - 1] != ":")):
                return text[:at].strip().removesuffix(" =").strip()
        return text.removesuffix(",").strip()


def parted(line):
    """Returns the code of a line, and the comment behind it."""
    found = re.match(r'((?:"(?:[^"\\]|\\.)*"|(?!//).)*)//(.*)', line)
    return (found[1].rstrip(), found[2].strip()) if found else (line, "")


def indent(line):
    return len(line) - len(line.lstrip(" ")) if line.strip() else 0


def declarations(text, level, of_enum=False):
    """Yields the declarations at an indentation. A comma ends an enumerator alone: a list of bases goes on after it."""
    comment, detail, is_public, at = [], 0, True, 0
    while at < len(text):
        line, bare = text[at], text[at].strip()
        at += 1
        if bare.startswith("///"):
            if indent(line) == level:
                comment.append(bare[4:])
            continue
        if level == 0 and bare.startswith("#define HEDDLE_") and comment:
            yield declaration(comment, [bare], "", detail == 0)
            comment = []
        if not bare:
            comment = []
        if not bare or bare[0] == "#" or bare.startswith("//"):
            continue
        if level > 0 and indent(line) == level - 1 and bare[-1] == ":":
            is_public = bare == "public:"
            continue
        if bare.startswith("namespace ") and bare[-1] == "{":
            detail += detail > 0 or "detail" in bare
            continue
        if bare[0] == "}":
            detail -= detail > 0
            continue
        found = declaration(comment, [], "", detail == 0 and is_public)
        comment, open_braces, parens, is_over, at = [], 0, 0, False, at - 1
        while not is_over and at < len(text):
            line, at = text[at], at + 1
            if line.strip().startswith("#"):
                found.text.append(line)
                continue
            code, behind = parted(line)
            open_braces += code.count("{") - code.count("}")
            parens += code.count("(") - code.count(")")
            ends_enumerator = of_enum and code and (code[-1] == "," or text[at : at + 1] and text[at].strip() == "};")
            is_over = open_braces == 0 and parens == 0 and bool(code) and (code[-1] in ";}" or bool(ends_enumerator))
            found.text.append(line)
            found.trailing = behind if is_over else ""
        yield found


def sentence(comment):
    """Returns the first sentence of a comment."""
    first = []
    for line in comment:
        if not line or line.startswith(("  ", "**")):
            break
        first.append(line)
    text = " ".join(first)
    found = re.match(r"((?:`[^`]*`|[^`])*?)\.(?: |$)", text)
    return found[1] if found else text.removesuffix(":")


def after_template(head):
    """Returns where a declaration goes on after its parameters of a template."""
    at, angles = 0, 0
    if head.startswith("template <"):
        while at == 0 or head[at - 1] != ">" or angles > 0:
            angles += (head[at] == "<") - (head[at] == ">")
            at += 1
        at += 1
    return at


def signature(head):
    """Returns a signature as a reader writes a call to it. What has no public name is `auto`."""
    head = re.sub(annotations + r"|\[\[maybe_unused\]\] | requires requires\(.*| = default$", "", head).replace("decltype(sizeof 0)", "size_t")
    begin = after_template(head)
    parameters, rest = head[:begin].replace("detail::", ""), head[begin:]
    if rest.startswith("using "):
        return parameters + rest.partition(" =")[0]
    before, paren, _ = rest.partition("(")
    hidden = "detail::" in before or re.match(r"cursor<|typename Self::|walk_", before)
    if paren and hidden and (name := re.search(r"\w*$", before)[0]):
        rest = ("static auto " if rest.startswith("static ") else "auto ") + rest[len(before) - len(name) :]
    return parameters + rest.replace("detail::", "")


def where(head):
    if "(" not in head or "HEDDLE_FN " in head or "concept " in head or head.startswith("using "):
        return ""
    return "device" if "HEDDLE_DEVICE " in head else "host"


def kind_and_name(head):
    """Returns what a declaration declares."""
    head = re.sub(r"\[\[\w+\]\] |alignas\(\d+\) ", "", head).replace("decltype(sizeof 0)", "size_t")
    if head.startswith("enum class "):
        return "enum", head.split()[2]
    rest = re.sub(r"^requires ?\((?:[^()]|\([^()]*\))*\) ", "", head[after_template(head) :])
    if found := re.match(r"(class|struct|concept) (\w+)(<?)", rest):
        return found[1], "" if found[3] else found[2]  # without specialisations
    if found := re.search(r"operator.[^(]*", head):
        return "operator", found[0] if not found[0].startswith("operator(") else "operator()"
    if head.startswith("using "):
        return "using", head.split()[1]
    call = "(" in head
    end = head.index("(") if call else head.find(" = ") if " = " in head else len(head)
    if not call and "[" in head[:end]:
        end = head.index("[")
    return "function" if call else "value", re.search(r"\w*$", head[:end])[0]


def row(text, runs, line):
    return "| `{}` | {} | {} |\n".format(text.replace("|", "\\|"), runs, line.replace("|", "\\|"))


def table(rows, title=""):
    return f"\n|{title} | runs on | |\n|---|---|---|\n{rows}" if rows else ""


def seen_by_nvcc(text):
    """Yields the lines of a class that nvcc compiles for a kernel: a base declares others for a host compiler."""
    seen = [True]
    for line in text:
        word = line.strip()
        if word.startswith("#if"):
            seen.append("__CUDACC__" not in word or not word.startswith("#if !"))
        elif word.startswith("#else"):
            seen[-1] = not seen[-1]
        elif word.startswith("#endif"):
            seen.pop()
        elif all(seen):
            yield line


def body_of(found):
    """Returns the lines in the braces of a type."""
    first = next((at for at, line in enumerate(found.text) if "{" in parted(line)[0]), len(found.text))
    return ([" private:"] if kind_and_name(found.head())[0] == "class" else []) + found.text[first + 1 :]


def without_public_name(paths):
    """Returns what headers declare in `detail`, by its name: bases of public types, and what `using` gives a name."""
    found = {}
    for path in paths:
        for each in declarations(path.read_text().splitlines(), 0):
            name = kind_and_name(each.head())[1] if each.head() else ""
            if name and not each.is_public:
                found.setdefault(name, each)
    return found


details = without_public_name(sorted(headers.rglob("*.hpp")))


def base_of(found):
    """Returns the base of a type that has no public name."""
    head = " ".join(map(str.strip, found.text)).partition("{")[0]
    inherits = re.search(r" : (?:public )?(?:detail::)?(?:\w+::)*(\w+)<", head)
    return details.get(inherits[1]) if inherits else None


def named_by_using(name, path):
    """Returns the signature of a function, or of an object that is called like one, to which `using` gives a public name."""
    near = without_public_name([path])
    head = near[name].head()
    if kind_and_name(head)[0] == "value":
        of_type = near[re.search(r"(\w+)<", head)[1]]
        calls = (member.head() for member in declarations(body_of(of_type), 2))
        head = next(call for call in calls if "operator()" in call).replace("operator()", name).removesuffix(" const")
    return signature(head)


def inherited(of_type, found):
    """Returns the public members of the bases of a type that have no public name, as the type has them: base by base."""
    every, base = [], base_of(found)
    persistent = re.search(r"static constexpr bool persistent = (true|false)", "\n".join(found.text))
    while base:
        own_name = kind_and_name(base.head())[1]
        for member in declarations(list(seen_by_nvcc(body_of(base))), 2):
            head = re.sub(r", class Self = Scheduler", "", member.head())
            only = re.search(r" requires ?\((!?)Self::persistent\)", head)
            if only and persistent:
                if (persistent[1] == "true") == bool(only[1]):
                    continue
                head = head.replace(only[0], "")
            head = head.replace("requires(Self::", "requires(").replace("requires(!Self::", "requires(!")
            name = kind_and_name(head)[1] if head else ""
            if member.is_public and name and not any(word in head for word in unlisted) and not re.match("using [^=]*$", head):
                name = of_type if name == own_name else name
                every.append((name, re.sub(rf"\b{own_name}\b", of_type, head), member))
        base = base_of(base)
    return every


def members(of_type, found, missing):
    """Returns the table of a type's members, those of its bases behind its own."""
    kind = kind_and_name(found.head())[0]
    rows, last, own, of_base = "", "", set(), inherited(of_type, found)
    for member in declarations(body_of(found), 2, kind == "enum"):
        head = member.head()
        name = head if kind == "enum" else kind_and_name(head)[1]
        if not member.is_public or not head or any(word in head for word in unlisted) or not name or name[-1] == "_":
            continue
        if name.startswith("operator") and not name.startswith(("operator()", "operator[]")):
            continue
        line = member.trailing or sentence(member.comment)
        if " = default" in head and not line:
            continue
        if head.startswith("using ") and " =" not in head and "::" in head:  # it names what a base has
            of_base = [(each[0], each[1], member if line and each[0] == head.rpartition("::")[2] else each[2]) for each in of_base]
            continue
        own.add(name)
        if not line and name != last:
            missing.append(f"{of_type}::{name}")
        last = name
        rows += row(signature(head), where(head), line)
    seen = set()
    for name, head, member in of_base:
        is_hidden = name in own and name != "push"  # which `using` adds to
        if is_hidden or (name in seen and last != name):
            continue
        seen.add(name)
        line = member.trailing or sentence(member.comment)
        if not line and name != last:
            missing.append(f"{of_type}::{name}")
        last = name
        rows += row(signature(head), where(head), line)
    return table(rows)


def section(path, missing):
    """Returns what the page says of a header."""
    types, functions, last, names = "", "", "", set()  # names: other branches of an #if declare them again
    for found in declarations(path.read_text().splitlines(), 0):
        head, line = found.head(), sentence(found.comment)
        if not found.is_public or not head or any(word in head for word in unlisted):
            continue
        is_macro = head.startswith("#define ")
        kind, name = ("macro", re.split(r"[ (]", head)[1]) if is_macro else kind_and_name(head)
        is_named = kind == "using" and "detail::" in head and " =" not in head
        name = head.rpartition("::")[2] if is_named else name
        if not name or kind == "operator" or (kind != "function" and name in names):
            continue
        if f"::{name}(" in head:  # a member, which its class declares
            continue
        if kind != "function":
            names.add(name)
        is_type = kind in ("class", "struct", "enum")
        if is_type and "}" not in found.text[-1]:  # declared, and defined elsewhere
            continue
        if not line and name != last:
            missing.append(name)
        last = name
        if is_type:
            bare = signature(head.partition(" : ")[0])
            types += f"\n`{bare}`: {line}.\n" + members(name, found, missing)
        else:
            of_concept = head[: head.find(" =", head.find("concept "))] if kind == "concept" else head
            text = named_by_using(name, path) if is_named else name if is_macro else signature(of_concept)
            functions += row(text, "" if is_macro else "host" if is_named else where(head), line)
    return types + table(functions)


def main():
    page, missing = preface, []
    for folder, (title, about) in parts.items():
        page += f"\n## {title}\n\n{about}\n"
        for path in sorted((headers / folder).glob("*.hpp")):
            name = path.relative_to(headers).as_posix()
            if text := section(path, missing):
                page += f"\n### [{name}](../include/heddle/{name})\n{text}"
    for name in missing:
        print(f"{name} has no comment above it")
    committed = root / "docs/api.md"
    differs = page != committed.read_text()
    if "--check" in sys.argv:
        if differs:
            print("docs/api.md differs from the headers: run docs/api.py")
        return 1 if differs or missing else 0
    committed.write_text(page)
    return 1 if missing else 0


sys.exit(main())
