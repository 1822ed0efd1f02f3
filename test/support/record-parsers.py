"""Records what the JSON parsers of langchain-classic 1.0.8 make of a few thousand replies.

    python test/support/record-parsers.py                 # writes the fixtures that the tests read; then run prettier
    python test/support/record-parsers.py bulk SEED COUNT  # prints COUNT random replies, one JSON object a line

Needs langchain-classic 1.0.8 (Python 3.11). A record is {"text": ..., "finish": output}, {"text": ..., "tool": ...,
"toolInput": ...} or {"text": ..., "error": true}; every log is the text, every error message says "Could not parse LLM
output: " and the text, which is checked here. Numbers that JSON has no word for are null.
"""

import json
import logging
import math
import random
import sys
from pathlib import Path

from langchain_classic.agents.conversational_chat.output_parser import ConvoOutputParser
from langchain_classic.agents.output_parsers import JSONAgentOutputParser
from langchain_core.agents import AgentFinish
from langchain_core.exceptions import OutputParserException

FIXTURES = Path(__file__).parent.parent / "fixtures" / "langchain-parsers"
PARSERS = {"structured-chat": JSONAgentOutputParser(), "conversational": ConvoOutputParser()}
PER_GROUP = 2
MESSAGE = "Could not parse LLM output: "


def main() -> None:
    logging.disable()
    if sys.argv[1:2] == ["bulk"]:
        seed, count = map(int, sys.argv[2:])
        for _, text in random_replies(seed, count):
            print(json.dumps({name: record(parser, text) for name, parser in PARSERS.items()}))
        return
    for name, parser in PARSERS.items():
        records = [record(parser, text) for text in HAND_MADE] + telling(parser)
        lines = ",\n".join(json.dumps(entry) for entry in records)
        (FIXTURES / f"{name}.json").write_text(f"[\n{lines}\n]\n")


def record(parser, text: str) -> dict:
    try:
        parsed = parser.parse(text)
    except OutputParserException as error:
        assert str(error).startswith(MESSAGE + text), text
        return {"text": text, "error": True}
    assert parsed.log == text
    if isinstance(parsed, AgentFinish):
        return {"text": text, "finish": plain(parsed.return_values["output"])}
    return {"text": text, "tool": parsed.tool, "toolInput": plain(parsed.tool_input)}


def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def telling(parser) -> list[dict]:
    """The shortest replies of every kind of change and of outcome."""
    groups: dict[tuple, list[dict]] = {}
    for change, text in [*truncated(), *random_replies(1, 6000)]:
        entry = record(parser, text)
        outcome = next(key for key in ("finish", "tool", "error") if key in entry)
        value = entry.get("finish", entry.get("toolInput"))
        group = groups.setdefault((change, outcome, type(value).__name__), [])
        group.append(entry)
        group.sort(key=lambda found: (len(found["text"]), found["text"]))
        del group[PER_GROUP:]
    return [entry for group in groups.values() for entry in group]


def truncated():
    for text in TO_TRUNCATE:
        for end in range(len(text)):
            yield f"cut at {end // 12}", text[:end]


def random_replies(seed: int, count: int):
    """Good replies with one to four changes, and now and then a row of random pieces."""
    rng = random.Random(seed)
    for _ in range(count):
        if rng.random() < 0.15:
            yield "pieces", "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 14)))
            continue
        text = rng.choice(GOOD)
        changes = [rng.choice(CHANGES) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4)))]
        for change in changes:
            text = change(rng, text)
        yield changes[0].__name__, text


def insert(rng, text):
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(PIECES) + text[at:]


def replace(rng, text):
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(PIECES) + text[at + 1 :]


def delete(rng, text):
    at = rng.randint(0, len(text))
    return text[:at] + text[at + rng.choice((1, 1, 1, 2, 3, 10)) :]


def double(rng, text):
    start = rng.randint(0, len(text))
    end = rng.randint(start, min(len(text), start + 20))
    return text[:end] + text[start:]


def truncate(rng, text):
    return text[: rng.randint(0, len(text))]


def behead(rng, text):
    return text[rng.randint(0, len(text)) :]


def before(rng, text):
    return rng.choice(PROSE) + text


def behind(rng, text):
    return text + rng.choice(PROSE)


def join(rng, text):
    return text + rng.choice(("", "\n", ", ", "\n\n")) + rng.choice(GOOD)


def quote(rng, text):
    return text.replace('"', rng.choice(("'", "\u201c", '\\"', '""')), rng.choice((1, 2, -1)))


def fence(rng, text):
    opening = rng.choice(("```", "```json", "```json\n", "```\n", "````", "```JSON\n", "```python\n", "``", "~~~\n"))
    return rng.choice(("", "Thought: so\nAction:\n")) + opening + text + rng.choice(("", "```", "\n```", "\n````"))


def unfence(_rng, text):
    return text.replace("```json", "").replace("```", "")


CHANGES = [insert, insert, insert, replace, replace, delete, delete, double, truncate, truncate, behead, before, behind]
CHANGES += [join, quote, fence, unfence]

PIECES = ['"', '"', '"', "'", "\\", "\\", "{", "}", "[", "]", ",", ",", ":", ":", "```", "```json", "`", "\n", "\t", "\r"]
PIECES += ["\x00", "\x0b", "\x1f", "\x85", "\xa0", "\ufeff", "\u2028", "\u3000", "\xe9", "\U0001f600", "null", "true", "false"]
PIECES += ["NaN", "Infinity", "-Infinity", "-", "-0", "01", "1", "1.", "1.5", "1e5", "1e", "1E+400", ".5", "12345678901234567890"]
PIECES += ["\\u0041", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\u12", "\\x", "\\n", '\\"', "\\\n", "\\/", "Final Answer"]
PIECES += ["Observation:", '"action_input": "', '"action_input":\n"', '"action": "', '"action"', '"action_input"', " ", "// c\n"]
PIECES += ["/* c */", '{"action": "A", "action_input": "x"}', '{"action": ', '"__proto__": ', "0", "\n```\n"]

PROSE = ["I should look. ", "Sure! Here you go:\n", "Thought: {so} it is\n", "f(x) = [1, 2}\n", "5 apples ", "it's \"so\" ", "\n\n"]
PROSE += ["Action:\n", "null ", "[", "{", "}", "]", '"', "``", "`", "\ufeff", "\u200b", "\nObservation: 4\nThought: ", "NaN", "{}"]
PROSE += ["\n```\nObservation: {\"a\": 1}\n", "\n```\nDone } here", "\n```\nDone { here", "\n```\nDon\"t", "\\", "\x1c \x85"]

GOOD = [
    '{"action": "Search", "action_input": "x"}',
    '```\n{\n  "action": "Search",\n  "action_input": "10th Fibonacci"\n}\n```',
    '```json\n{"action": "Calculator", "action_input": {"a": 534, "b": -2.5e1, "deep": [1, {"c": null}]}}\n```',
    'Thought: I need data.\nAction:\n```\n{"action": "Search", "action_input": {"query": "a"}}\n```',
    '```json\n{"action": "Final Answer", "action_input": "It is\n\t55.\r\nDone"}\n```',
    'I know.\nAction:\n```{"action": "Final Answer", "action_input": {"n": [1, 2.0, true]}}```\nObservation: none',
    '{"action": "Final Answer", "action_input": [1, "two", null, {}]}',
    '{"action": "Final Answer", "action_input": 42}',
    '{"action":"Final Answer","action_input":null}',
    '[{"action": "A", "action_input": "1"}, {"action": "B", "action_input": "2"}]',
    '{"action": "Python", "action_input": "print(\\"a\\")\\nx = {1: [2]}\\t# \\u00e9 \\\\ \\/"}',
    '```json\n{"action": "Final Answer", "action_input": "Use:\n```python\nprint(1)\n```\nand go"}\n```',
    '{"action": "List"}',
    '{"action": "List", "action_input": null}',
    '{"action": "A", "action_input": {}, "thought": "so", "action_input": "last"}',
    '{"action_input": "\u6211\u662f\u8c01 \U0001f600", "action": "Final Answer"}',
]

TO_TRUNCATE = [GOOD[2], GOOD[3], GOOD[10], '[{"action": "Final Answer", "action_input": [1, {"a": "\\u00e9\\\\"}, -1.5e3, true]}]']

HAND_MADE = [
    *GOOD,
    "", " ", "\n", "```", "``````", "```json", "```json```", "null", "[]", "[[]]", "{}", "[null]", "true", "5", '"action"', "NaN",
    '["action", "action_input"]', '"action action_input"',
    "I cannot do that.", "Action: Search\nAction Input: x", "Final Answer: 55",
    '[{"action": "A", "action_input": "1"}', '[[{"action": "A", "action_input": "1"}]]',
    '{"action": "", "action_input": ""}', '{"action": null, "action_input": "x"}', '{"action": 5, "action_input": "x"}',
    '{"action": ["Search"], "action_input": "x"}', '{"action": {"name": "Search"}, "action_input": "x"}',
    '{"action": true, "action_input": "x"}', '{"Action": "A", "Action_Input": "x"}', '{"action_input": "x"}',
    '{"action": "A", "action_input": 5}', '{"action": "A", "action_input": true}', '{"action": "A", "action_input": ["x"]}',
    '{"action": "A", "action_input": 1.5}', '{"action": "A", "action_input": NaN}', '{"action": "A", "action_input": ""}',
    '{"action": "A", "action_input": {"n": NaN, "i": -Infinity, "b": 12345678901234567890, "z": -0, "e": 1E400, "f": 1.0}}',
    '{"action": "A", "action_input": {"__proto__": {"x": 1}, "constructor": 2, "10": 1, "9": 2}}',
    '{"__proto__": {"action": "A"}, "action_input": "x"}', '{"action": "toString", "action_input": "x"}',
    '{"action": "final answer", "action_input": "x"}', '{"action": " Final Answer", "action_input": "x"}',
    '{"action": "Final Answer"}', '{"action": "Final Answer", "action_input": ""}', '{"action": "Final Answer", "action_input": false}',
    '{"action": "Final Answer", "action_input": "a", "action_input": "b"}', '{"action": "A", "action": "B", "action_input": "x"}',
    "{'action': 'A', 'action_input': 'x'}", "{\u201caction\u201d: \u201cA\u201d}", '{action: "A", action_input: "x"}',
    '{"action": "A", "action_input": "x",}', '{"action": "A", "action_input": ["x",]}', '{"action": "A", "action_input": "x"}}',
    '{"action": "A", "action_input": "x"}]', '{"action": "A", "action_input": {"a": "x"}', '{"action": "A" "action_input": "x"}',
    '{"action": "A", // the tool\n"action_input": "x"}', '{"action": "A", "action_input": "x"} // done', '# {"action": "A", "action_input": "x"}',
    '{"action": "A", "action_input": "say "hi" twice"}', '{"action": "A", "action_input": "say \\"hi\\" twice"}',
    '{"action": "A", "action_input": "C:\\dir"}', '{"action": "A", "action_input": "C:\\new\\table"}', '{"action": "A", "action_input": "\\u00zz"}',
    '{"action": "A", "action_input": "a\\\nb"}', '{"action": "A", "action_input": {"x": "a\\\nb"}}', '{"action": "A", "action_input": "a\\\tb\\\rc"}',
    '{"action": "A", "action_input":\xa0\u2003"a\\\nb"}', '{"action": "A", "action_input": "\x00\x01\x1f\x7f"}', '{"action": "A\nB", "action_input": "x"}',
    '{"action": "A", "action_input": "\\ud83d\\ude00"}', '{"action": "A", "action_input": "\\ud83d"}', '{"action": "\\ude00", "action_input": "x"}',
    '{"action": "A", "action_input": {"x": "\\ud83d"}}', '{"action": "Final Answer", "action_input": "\\ud83d!"}', '{"action": "A", "action_input": "\\uD83D\\u0041"}',
    '\ufeff{"action": "A", "action_input": "x"}', '\ufeff```json\n{"action": "A", "action_input": "x"}\n```', '```json\n\ufeff{"action": "A", "action_input": "x"}\n```',
    '\u3000{"action": "A", "action_input": "x"}', '\xa0\n```\xa0{"action": "A", "action_input": "x"}```', '{\xa0"action": "A", "action_input": "x"}',
    '```JSON\n{"action": "A", "action_input": "x"}\n```', '```python\n{"action": "A", "action_input": "x"}\n```', '```txt\n{"action": "A"}\n```',
    '````\n{"action": "A", "action_input": "x"}\n````', '````json\n{"action": "A", "action_input": "x"}\n````', '~~~\n{"action": "A"}\n~~~',
    'I go.\n````\n{"action": "A", "action_input": "x"}\n````', '`{"action": "A", "action_input": "x"}`', '``json\n{"action": "A"}\n``',
    'I go: {"action": "A", "action_input": "x"}', 'I {go}.\n```\n{"action": "A", "action_input": "x"}\n```', 'I go}.\n```\n{"action": "A", "action_input": "x"}\n```',
    'I {go.\n```\n{"action": "A", "action_input": "x"}\n```', '5 apples\n```\n{"action": "A", "action_input": "x"}\n```', '"Hm"\n```\n{"action": "A", "action_input": "x"}\n```',
    'null\n```\n{"action": "A", "action_input": "x"}\n```', '-\n```\n{"action": "A", "action_input": "x"}\n```', '[1] see\n```\n{"action": "A", "action_input": "x"}\n```',
    'It\'s "so\n```\n{"action": "A", "action_input": "x"}\n```', '```\n```\n{"action": "A", "action_input": "x"}\n```', 'See ```x``` first\n```\n{"action": "A", "action_input": "x"}\n```',
    '```\n{"action": "A", "action_input": "1"}\n```\n```\n{"action": "B", "action_input": "2"}\n```', '{"action": "A", "action_input": "1"}\n{"action": "B", "action_input": "2"}',
    '{"action": "A", "action_input": "1"}, {"action": "B", "action_input": "2"}', '```{"action": "A", "action_input": "1"}```\nObservation: {"x": 1}\nThought: }',
    '```{"action": "A", "action_input": "1"}```\nObservation: {"x": 1\nThought:', '```{"action": "A", "action_input": {"a": 1}}```\nObservation: {"x": 1\nThought:',
    '```{"action": "A", "action_input": "1"}```\nObservation: it\'s 5" long\nThought:', '```{"action": "A", "action_input": "1"}```\nObservation: [[\nThought:',
    '"action_input": ""action_input": "x\\\n"', '{"action": "Final Answer", "action_input": "' + "\\" * 5, '{"action": "Final Answer", "action_input": "' + "\\" * 6,
    '{"action": "Final Answer", "action_input": -', '{"action": "Final Answer", "action_input": -1', '{"action": "Final Answer", "action_input": 1.',
    '{"action": "Final Answer", "action_input": 1e', '{"action": "Final Answer", "action_input": 1e5', '{"action": "Final Answer", "action_input": 01}',
    '{"action": "Final Answer", "action_input": +1}', '{"action": "Final Answer", "action_input": .5}', '{"action": "Final Answer", "action_input": 0x1F}',
    '{"action": "Final Answer", "action_input": -0}', '{"action": "Final Answer", "action_input": 1_000}', '{"action": "Final Answer", "action_input": \u0661}',
    '{"action": "Final Answer", "action_input": True}', '{"action": "Final Answer", "action_input": None}', '{"action": "Final Answer", "action_input": tru',
    '{"action": "Final Answer", "action_input": Infinity}', '{"action": "Final Answer", "action_input": -Infinity', '{"action": "Final Answer", "action_input": Infinit',
]

if __name__ == "__main__":
    main()
