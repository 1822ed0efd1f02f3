"""The tools of all cases; test/support/parity-tools.ts has the same ones."""

import functools
import json

from langchain_core.tools import StructuredTool, Tool, ToolException

KEYWORDS = "Thought: enough\nAction: echo\nAction Input: from a page\nFinal Answer: wrong"
UNICODE = "北京 é 😀\n第二行 {curly} \"quoted\" \\ back"
FACTS = {"capital of France": "Paris", "population of Paris": "2.1 million"}


def refuse(*text):
    def run(_input):
        raise ToolException(*text)

    return run


def broken(_input):
    raise RuntimeError("boom")


def add(a: int, b: int):
    return a + b


def repeat(text: str, times: int = 2):
    return text * times


def greet(name: str, greeting: str | None = None):
    return f"{greeting or 'Hello'}, {name}"


def double(number: int):
    return number * 2


def switch(on: bool):
    return "on" if on else "off"


def area(width: float, height: float):
    return f"{width * height:.2f}"


def join(items: list[str]):
    return "+".join(items)


def ping():
    return "pong"


class Said:
    """A result that prompts show as JSON text: what Reloop does with all that is not text."""

    def __init__(self, value):
        self.value = value

    def __str__(self):
        return json.dumps(self.value, separators=(",", ":"), ensure_ascii=False)

    __format__ = lambda self, _: str(self)


SINGLE = {
    "Search": lambda text: FACTS.get(text, f"No good search result found for {text!r}"),
    "echo": lambda text: text,
    "empty": lambda text: "",
    "keywords": lambda text: KEYWORDS,
    "unicode": lambda text: UNICODE,
    "lines": lambda text: "\none\n\ntwo\n",
    "number": lambda text: 42,
    "half": lambda text: 0.5,
    "truth": lambda text: True,
    "nothing": lambda text: None,
    "sequence": lambda text: [1, "a"],
    "record": lambda text: {"a": 1, "b": [None, "é"]},
    "direct": lambda text: f"direct {text}",
    "direct_empty": lambda text: "",
    "direct_object": lambda text: {"a": 1},
    "Look Up": lambda text: f"looked up {text}",
    "broken": broken,
    "refuse": refuse("no such page"),
    "refuse_text": refuse("no such page"),
    "refuse_silently": refuse(""),
    "refuse_blankly": refuse(),
}
ARGUMENTS = {tool.__name__: tool for tool in (add, repeat, greet, double, switch, area, join, ping)}
REFUSALS = {"refuse": True, "refuse_text": "please try another page", "refuse_silently": True, "refuse_blankly": True}


# What LangChain checks, but does not read, where it is given as a text.
READ = {"double": int, "switch": lambda text: text in ("yes", "on")}


def make(name, options):
    """`options`: text for tool errors and invalid input, and what else Reloop always does (see building.py)."""
    direct = name.startswith("direct")
    handlers = {
        "handle_tool_error": REFUSALS.get(name, False),
        "handle_validation_error": options.get("invalidSays", False),
    }
    if "toolErrorSays" in options:
        handlers["handle_tool_error"] = options["toolErrorSays"]
    if name in ARGUMENTS:
        described = {"name": name, "description": f"Does {name}."}
        return StructuredTool.from_function(guarded(ARGUMENTS[name], options), **described, **handlers)
    return Tool(name, guarded(SINGLE[name], options), f"Does {name}.", return_direct=direct, **handlers)


def guarded(run, options):
    """As the options have it: errors of a tool are ToolExceptions, results that are not text show as JSON."""

    @functools.wraps(run)
    def wrapped(*args, **kwargs):
        try:
            if options.get("coerceText", False):
                args = [READ[run.__name__](text) for text in args]
                kwargs = {field: READ[run.__name__](text) for field, text in kwargs.items()}
            result = run(*args, **kwargs)
        except RuntimeError as error:
            if "toolErrorSays" not in options:
                raise
            raise ToolException(str(error)) from error
        shown = options.get("showJson", False) and not isinstance(result, str)
        return Said(result) if shown else result

    return wrapped
