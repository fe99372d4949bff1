"""Makes mutants of C++ that clang-format has laid out: small errors, each of which changes one piece of a text."""
import ast, collections, re

mutant = collections.namedtuple("mutant", "operator begin end new")  # text[begin:end] becomes `new`
token = collections.namedtuple("token", "kind text begin end")

pattern = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|\[\[.*?\]\])
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+')|(?P<number>\.?\d(?:[eE][+-]|['\w.])*)|(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|<=>|\.\.\.|::|->|\+\+|--|<<|>>|&&|\|\||[-+*/%&|^<>=!]=|.)""", re.M | re.S | re.X)
opposite = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ends = {",", ";", "?", ":", "return", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}  # of a condition
unread = {"static_assert", "check", "check_storage", "assert", "alignas", "noexcept", "requires", "decltype"}
no_functions = {"if", "for", "while", "switch", "sizeof", "catch", "min", "max", "operator", *unread}
opens_body = {")", "]", "else", "do", "try", "const", "noexcept", "mutable", "override", ";", "{", "}"}
no_effect = re.compile(  # other statements, checks, and declarations
    r"(return|if|for|while|switch|do|else|case|default|using|template|constexpr|static|const|auto|struct|class|enum|union|"
    r"throw|try|friend|public|private|asm|break|continue|HEDDLE_\w+)\b|[{;\[,.=)]|(heddle::)?(detail::)?check\w*\(|"
    r"(\w+\s)*[\w:]+(<[^;=]*>)?[&*]*\s(const\s)?[&*]*\w+\s*([=;({\[,]|$)")
no_argument = re.compile(r"[\w:<>, ]+[\w>][&* ]* [&*]*\w+( = .*)?$|\[|\"")  # a declaration of one, a lambda, or a message
barrier = re.compile(r"[^=]*(sync|fence|barrier|wait|meet|arrive|release|commit)\w*(<[^;]*>)?\([^;]*\);$")


class source:
    """The tokens of a text, and which brackets belong together. No operator changes `frozen` tokens."""

    def __init__(self, text):
        self.text = text
        found = [token(each.lastgroup, each[0], *each.span()) for each in pattern.finditer(text)]
        self.tokens = [each for each in found if each.kind != "skip"]
        self.partner, self.opener, self.frozen, stack = {}, [], set(), []
        for i, each in enumerate(self.tokens):
            self.opener.append(stack[-1] if stack else None)
            before = self.tokens[i - 1]  # a comparison has blanks on both sides
            is_angle = before.text == "template" or before.kind == "name" and before.end == each.begin
            if each.text in ("(", "[", "{") or each.text == "<" and is_angle:
                stack.append(i)
            for closer in each.text if each.text in (")", "]", "}", ">", ">>") else "":
                if stack and (closer != ">" or self.of(stack[-1]) == "<"):
                    self.partner[i] = stack[-1]
                    self.partner[stack.pop()] = i
        for i in range(len(self.tokens)):
            here, before = self.of(i), self.of(i - 1)
            if here == "<" and i in self.partner and before == "template" or here == "(" and before in unread:
                self.frozen.update(range(i, self.partner[i]))
            elif here in ("concept", "using", "requires", "typedef") and i not in self.frozen:
                self.frozen.update(range(i, self.edge(i + 1, 1, {";", "{"} if here == "requires" else {";"})))
            elif here == "?" and self.branches(i):  # in a < b ? a : b it is no matter where a equals b
                first, colon, last = self.branches(i)
                sign = self.edge(first, 1, {"<", ">", "<=", ">="}) + 1
                if sign < i and {self.piece(first, sign - 1), self.piece(sign + 1, i - 1)} == {
                        self.piece(i + 1, colon - 1), self.piece(colon + 1, last)}:
                    self.frozen.add(sign)

    def of(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ";"

    def span(self, first, last):
        return self.tokens[first].begin, self.tokens[last].end

    def piece(self, first, last):
        return self.text[slice(*self.span(first, last))]

    def edge(self, i, step, stops):
        """The last token in a direction, from token i on, before one of `stops` or the end of the brackets around it."""
        while 0 <= i < len(self.tokens) and self.of(i) not in stops and (self.partner.get(i, i) - i) * step >= 0:
            i = self.partner.get(i, i) + step
        return i - step

    def branches(self, i):
        """Of a question mark: the first token of its condition, its colon, and the last token of the other branch."""
        colon, depth = self.edge(i + 1, 1, {"?", ":"}) + 1, 1
        while self.of(colon) in ("?", ":") and (depth := depth + (1 if self.of(colon) == "?" else -1)) > 0:
            colon = self.edge(colon + 1, 1, {"?", ":"}) + 1
        return self.of(colon) == ":" and (self.edge(i - 1, -1, ends), colon, self.edge(colon + 1, 1, ends))

    def arguments(self, opener):
        """First and last tokens of what commas separate."""
        i = opener + 1
        while i < self.partner[opener]:
            last = self.edge(i, 1, {","})
            yield i, last
            i = last + 2

    def is_body(self, i):
        """Does this bracket open statements of a function?"""
        before = i - 1
        while self.tokens[before].kind == "name" or self.of(before) in ("::", "&", "*", ">"):  # the type after ->
            before = self.partner.get(before, before) - 1
        return self.of(i) == "{" and i not in self.frozen and (self.of(i - 1) in opens_body or self.of(before) == "->")

    def controls(self, closer):
        """The word before what is in brackets."""
        word = self.partner.get(closer, 0) - 1
        return self.of(word - 1 if self.of(word) == "constexpr" else word)

    def statements(self):
        """First and last token of each statement up to a semicolon, and whether a condition or a loop controls it."""
        for i in range(1, len(self.tokens)):
            before, last = self.of(i - 1), self.edge(i, 1, {";"}) + 1
            if i not in self.frozen and self.opener[i] is not None and self.of(last) == ";" and self.is_body(self.opener[i]):
                controlled = before == "else" or before == ")" and self.controls(i - 1) in ("if", "for", "while")
                if controlled or before in (";", "{", "}"):
                    yield i, last, controlled


def of_signs(code):
    for i, each in enumerate(code.tokens):
        if i in code.frozen or i in code.partner or each.kind != "sign" or code.text[each.begin - 1] not in " \n":
            continue
        if each.text in opposite:
            yield mutant("comparison", each.begin, each.end, opposite[each.text])
            if each.text == "<" and code.opener[i] is not None and code.of(code.opener[i] - 1) == "for":
                yield mutant("bound", each.begin, each.end, "+ 1 <")
        if each.text in ("+", "-") and re.fullmatch("1[uUlL]*", code.of(i + 1)) and code.of(i + 2) not in ("*", "/", "%", "<<"):
            if code.tokens[i + 1].begin > each.end:  # it has no blank where it is a sign
                yield mutant("one", code.tokens[i - 1].end, code.tokens[i + 1].end, "")
        if each.text in ("&&", "||") and "..." not in (code.of(i - 1), code.of(i + 1)):
            first, last = (code.edge(i + step, step, {"&&", "||", *ends}) for step in (-1, 1))
            yield mutant("operand", code.tokens[first].begin, code.tokens[i + 1].begin, "")
            yield mutant("operand", code.tokens[i - 1].end, code.tokens[last].end, "")
        if each.text == "?" and code.branches(i):
            first, colon, last = code.branches(i)
            yield mutant("choice", *code.span(first, last), code.piece(i + 1, colon - 1))
            yield mutant("choice", *code.span(first, last), code.piece(colon + 1, last))


def of_numbers(code):
    for i, each in enumerate(code.tokens):
        if i in code.frozen or each.kind != "number" or re.match(r"0\d", each.text):
            continue
        digits, suffix = re.match(r"(0x[\da-fA-F']+|[\d.']+(?:e[+-]?\d+)?)(\w*)", each.text).groups()
        value, is_bound = ast.literal_eval(digits.replace("'", "")), code.of(i - 1) in opposite
        others = [2 * value or 1.0] if isinstance(value, float) else [value + 1, value - 1] if is_bound and value > 0 else [value + 1]
        for other in others:
            text = hex(other) if digits.startswith("0x") else repr(other)
            yield mutant("bound" if is_bound else "constant", each.begin, each.end, text + suffix)


def of_calls(code):
    for i in [each for each in code.partner if code.of(each) in ("(", "{") and each not in code.frozen]:
        if code.of(code.edge(i + 1, 1, {";"}) + 1) == ";":
            continue  # a body
        name, arguments = i - 1, list(code.arguments(i))
        if code.of(name) in (">", ">>") and name in code.partner:
            name = code.partner[name] - 1
        begin, function = name - 2 if code.of(name - 1) == "::" else name, code.of(name)
        if function == ")" and code.of(name - 1) in ("min", "max"):  # (std::max)(a, b)
            begin, function = code.partner[name], code.of(name - 1)
        for argument in arguments[: {"min": 2, "max": 2, "clamp": 1}.get(function, 0)]:
            yield mutant("choice", *code.span(begin, code.partner[i]), f"({code.piece(*argument)})")
        texts = [code.piece(*argument) for argument in arguments]
        if code.tokens[name].kind == "name" and function not in no_functions and not any(map(no_argument.match, texts)):
            for (one, other), (first, second) in zip(zip(arguments, arguments[1:]), zip(texts, texts[1:])):
                between = code.text[code.tokens[one[1]].end : code.tokens[other[0]].begin]
                yield mutant("arguments", *code.span(one[0], other[1]), second + between + first)


def of_statements(code):
    before = None
    for first, last, controlled in code.statements():
        text, span = code.piece(first, last), code.span(first, last)
        if code.of(first) in ("return", "break", "continue"):
            opener = first - 2 if code.of(first - 1) == "{" else first - 1  # if (…) { return; } is if (…) return;
            is_early = code.of(opener) == ")" and code.controls(opener) == "if"
            if is_early and "else" not in (code.of(last + 1), code.of(last + 2)):
                yield mutant("return", *span, ";")
        elif not no_effect.match(text) and re.search(r"[^=!<>]=|\+\+|--|\);$", text):
            is_barrier = barrier.match(text)
            yield mutant("barrier" if is_barrier else "statement", *span, ";")
            if before and before[1] == first - 1 and not controlled and (is_barrier or before[2]):
                yield mutant("order", *code.span(before[0], last), f"{text} {code.piece(*before[:2])}")
            before = None if controlled else (first, last, is_barrier)


def mutants_of(text):
    """Returns all mutants of a text, each once, by what the text becomes."""
    code, found = source(text), {}
    for make in (of_signs, of_numbers, of_calls, of_statements):
        for each in make(code):
            if text[each.begin : each.end].split() != each.new.split():
                found.setdefault(text[: each.begin] + each.new + text[each.end :], each)
    return found
