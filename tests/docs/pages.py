#!/usr/bin/env python3
"""Pages and headers agree: arrows between folders, quotes, links, names, the lines of checks. Prints what is wrong."""
import inspect, math, pathlib, re, sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
include = root / "include/heddle"
pages = {path: path.read_text() for path in [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted((root / "docs").glob("inside/*.md"))]}
headers = {path.relative_to(include).as_posix(): path.read_text() for path in sorted(include.rglob("*.hpp"))}


def named(path):
    return path.relative_to(root).as_posix().removeprefix("docs/")


def page(name):
    return pages[root / "docs" / f"{name}.md"]


def section(text, heading):
    return text.split(f"\n{heading}\n")[1].split("\n## ")[0]


def headers_include_what_the_table_allows():
    """The table is in docs/contributing.md."""
    rows = re.findall(r"\| `(\w+)` \|([^|]*)\|([^|]*)\|\n", section(page("contributing"), "## Includes between parts"))
    allowed = {part: re.findall("`([^`]*)`", cell) for part, _, cell in rows}
    base = {name + ".hpp" for part, names, _ in rows if part == "base" for name in re.findall("`([^`]*)`", names)}
    part_of = {header: "base" if header in base else re.split("[/.]", header)[0] for header in headers}
    yield from (f"the table names {header}, which is not there" for header in base - {*headers})
    yield from (f"{header} belongs to no part of the table" for header in headers if part_of[header] not in allowed)
    yield from (f"no header belongs to {part}" for part in {*allowed} - {*part_of.values()})
    for header, text in headers.items():
        for other in re.findall(r'#\s*include\s*[<"]heddle/([^>"]*)[>"]', text):
            part, target = part_of[header], part_of.get(other)
            if part != target and (target not in allowed.get(part, ()) or "/detail/" in other):
                yield f"{header} includes {other}, which is {'private' if '/detail/' in other else 'not of a part below'}"


def the_header_of_a_folder_includes_its_parts():
    folders = {header.split("/")[0] for header in headers if "/" in header} - {"detail", "guest"}
    for header, text in headers.items():
        folder = header.split("/")[0]
        if folder in folders and header.count("/") == 1 and "where it has moved to" not in text:
            if f"#include <heddle/{header}>\n" not in headers[folder + ".hpp"]:
                yield f"{folder}.hpp does not include {header}"
    yield from (f"heddle.hpp does not include {one}" for one in folders if f"<heddle/{one}.hpp>" not in headers["heddle.hpp"])
    if len(folders) < 11:
        yield f"there are {len(folders)} folders"


def missing(block, name):
    """Returns the first line of a block that the file does not have after the lines before it."""
    left = iter([line.strip() for line in (root / name).read_text().splitlines()])
    return next((line for line in block if line.strip() not in ("", "…") and line.strip() not in left), None)


def code_on_pages_stands_in_files():
    """<!-- quotes FILE --> is above a block, <!-- quotes BEFORE AFTER --> above a diff. A whole program has the includes of
    heddle that its file has."""
    programs = 0
    for path, text in pages.items():
        for above, language, code in re.findall(r"^([^\n]*)\n```(cpp|diff|cmake|python)\n(.*?)^```$", text, re.M | re.S):
            files = re.findall(r"\S+", above)[2:-1]
            if not above.startswith("<!-- quotes ") or len(files) not in (1, 2):
                yield f"{named(path)}: a block of {language} says not which file it quotes: {code.splitlines()[0]}"
                continue
            for file, sign in zip(files, "-+"):
                lines = code.splitlines()
                block = lines if len(files) == 1 else [line[1:] for line in lines if line[:1] in (sign, " ")]
                if (line := missing(block, file)) is not None:
                    yield f"{named(path)} quotes what {file} does not have there: {line}"
                if "int main() {" in block:
                    programs += 1
                    wanted = re.findall("^#include <heddle.*", (root / file).read_text(), re.M)
                    yield from (f"{named(path)}: {file} has {line}" for line in wanted if line not in block)
    if programs < 3:
        yield f"there are {programs} programs"


def examples_in_headers_stand_in_files():
    examples = 0
    for header, text in headers.items():
        for file, code in re.findall(r"/// \*\*Example\*\* \(([^)]*)\).*\n.*\n((?: *///     .*\n)*)", text):
            examples += 1
            line = missing([line.strip()[4:] for line in code.splitlines()], file) if code else "nothing"
            if line is not None:
                yield f"{header} quotes what {file} does not have there: {line}"
    if examples < 50:
        yield f"there are {examples} examples"


def anchors(text):
    """Those that GitHub gives to the headings of a page."""
    found = set()
    for heading in re.findall("^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(anchor if anchor not in found else next(f"{anchor}-{i}" for i in range(1, 99) if f"{anchor}-{i}" not in found))
    return found


def anchors_of_links_are_headings():
    links = 0
    for path, text in pages.items():
        for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            to = (path.parent / target).resolve() if target else path
            if to in pages:
                links += 1
                if re.sub(r"\s", "", anchor) not in anchors(pages[to]):
                    yield f"{named(path)} links to {target}#{anchor}, and no heading is that"
    if links < 50:
        yield f"there are {links} links to headings"


def links_lead_to_files():
    for path, text in pages.items():
        for target in re.findall(r'(?:\]\(| src=")([^)#"]+)', re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{named(path)} links to {target}, which is not there"
    for name, part in [("launch_box", "launch"), ("your_own", "laws"), *((part, part) for part in (
            "order", "schedule", "expand", "reorder", "predict", "choose", "trace"))]:
        if f"(api.md#{part})" not in page(name):
            yield f"{name}.md does not link to the names of {part}"


def public_types(code):
    """The types that code defines in namespaces and in no other braces. A namespace `detail` has none."""
    code = re.sub(r'^[ \t]*#(?:.*\\\n)*.*|//.*|"(?:[^"\\\n]|\\.)*"', " ", code, flags=re.M)
    if not code.strip():
        return None  # it only includes
    open_braces, found = [], set()
    for before, letter in re.findall(r"([^{};]*)([{};])", code):
        outside = all(open_braces)
        if letter == "}" and open_braces:
            open_braces.pop()
        if letter == "{":
            is_namespace = re.match(r"\s*(inline )?namespace\b", before)
            open_braces.append(bool(is_namespace) and not re.search(r"\bdetail\b", before))
            while before != (before := re.sub("<[^<>]*>", " ", before)):  # of templates, from the innermost
                pass
            name = re.search(r"(struct|class|union|enum class|enum)\s+(alignas\(\d+\)\s+)?(\w+)(?!\w*::)", before)
            if outside and not is_namespace and name:
                found.add(name[3])
    return found


def the_page_of_names_has_every_public_type():
    """By the braces of the headers; docs/api.py, which makes the page, goes by their indentation."""
    sections = dict(re.findall(r"^### \[([^\]]*)\](.*?)(?=^##)", page("api") + "\n##", re.M | re.S))
    types = 0
    for header, text in headers.items():
        if "detail/" in header or (names := public_types(text)) is None:
            continue
        if header not in sections and not re.search("HEDDLE_ABI { namespace detail", text):
            yield f"api.md has no {header}"
        for name in names:
            types += 1
            if not re.search(f"\n`[^`]*(struct|class|enum)( class)? {name}`: ", sections.get(header, "")):
                yield f"api.md has no {name} of {header}"
    if types < 80:
        yield f"there are {types} types"


def the_page_on_checks_has_every_check():
    pattern = r'(?:\bcheck(?:_storage)?\([^){};][^{};]*?|const char\* \w+ =\s*)"(heddle:[^"]*)"'
    lines = {(header, line) for header, text in headers.items() for line in re.findall(pattern, text)}
    yield from (f"checks.md does not have the line of {header}: {line}" for header, line in sorted(lines)
                if f"| `{line}` |" not in page("checks"))
    if len({line for _, line in lines}) < 24:
        yield f"there are {len(lines)} checks"


def the_page_in_the_wild_has_the_means_of_its_table():
    """No kernel of other people loses on the input of its table. A ratio is heddle's own share. Of kernels that have an even
    input, too, that one counts in the last mean."""
    rows = [line.strip("| ").split(" | ") for line in section(page("in_the_wild"), "## The kernels").splitlines()
            if line.startswith("| ")]
    even = {line.strip("| ").split(":")[0]: float(line.strip("| ").split(" | ")[-1])
            for line in section(page("in_the_wild"), "## Even inputs").splitlines() if re.match(r"\| [^|]*: ", line)}

    def mean(some):
        return math.exp(sum(math.log(min(ratio, 3)) for ratio in some) / len(some))

    means = 0
    for column, gpu in enumerate(rows[0]):
        if gpu not in ("H200", "H100"):
            continue
        named = {re.search(r"\[([^]]*)", row[1])[1]: float(re.match("[0-9.]+", row[column])[0]) for row in rows[1:]}
        ratios = sorted(named.values())
        of_even = mean([even.get(name, ratio) for name, ratio in named.items()])
        wanted = f"| {gpu} | {mean(ratios):.2f} | {mean(ratios[:-1]):.2f} | {of_even:.2f} |"
        means += 1
        if wanted not in page("in_the_wild") or ratios[0] < 0.99 or of_even < 1.2 or len(ratios) < 13 or not even.keys() <= named.keys():
            yield f"in_the_wild.md does not say that none loses, and {wanted}"
    if means == 0:
        yield "in_the_wild.md has no GPU"


wrong = [f"{name.replace('_', ' ')}: {line}" for name, function in inspect.getmembers(sys.modules[__name__], inspect.isgeneratorfunction)
         for line in function()]
print("\n".join(wrong) or f"{len(pages)} pages and {len(headers)} headers agree")
sys.exit(bool(wrong))
