"""Actions in JSON: what is read leniently and what is not, tools of several arguments, and the loop again."""

from building import CLOSING, GENERATE, JSON_OBJECT, blob, case, cut_on_client, final, ignoring_stop, invalid, json_text, not_one_string, one_text
from building import thought, tool_error

SUM = thought("Search", {"text": "capital of France"})
HALLUCINATED = thought("Search", "capital of France") + "\nObservation: Rome\nThought: so\nAction:\n" + final("Rome")
FRANCE = [{"role": "user", "content": "Hi, I am Ann."}, {"role": "assistant", "content": "Hi Ann! {x}"}]
ADD = thought("add", {"a": 1, "b": 2})



def read_as_object(seen):
    """The call of `add` with JSON text, and what it gives."""
    log, text = thought("add", '{"a": 1, "b": 2}'), '{"a": 1, "b": 2}'
    pads = ["", f"{log}\nObservation: {seen}\nThought: "]
    return {"reason": JSON_OBJECT, "expect": {
        "error": None, "output": "ok", "modelCalls": 2,
        "steps": [{"tool": "add", "toolInput": text, "log": log, "observation": seen}],
        "requests": [{"history": [], "scratchpad": pad, "stop": ["\nObservation"]} for pad in pads],
    }}


LOOP = [
    case("an answer at once", [final("42")]),
    case("a step and an answer", [thought("Search", "capital of France"), final("Paris")]),
    case("two steps and an answer", [thought("Search", "capital of France"), thought("Search", "population of Paris"), final("2.1 million")]),
    case("not streamed", [thought("Search", "capital of France"), final("Paris")], stream=False),
    case("several arguments", [ADD, final("3")], tools=["add"]),
    case("with a history", [thought("echo", "a"), final("Ann")], chatHistory=FRANCE),
    case("a question with braces", [thought("echo", "{x}"), final("{y}")], input="What is {input} and {agent_scratchpad}?"),
    case("a question in Chinese", [thought("echo", "北京 \"天气\""), final("晴 ☀️")], input="今天北京的天气怎么样？"),
    case("the same step twice", [ADD, ADD, final("3")], tools=["add"]),
    case("an answer that is a number", [final(42)]),
    case("an answer that is an object", [final({"a": [1, None]})]),
    case("an answer that is a list", [final(["a", 1])]),
    case("an answer that is null", [final(None)]),
    case("an answer that is false", [final(False)]),
    case("an empty answer", [final("")]),
    case("an answer of several lines", ['```\n{"action": "Final Answer", "action_input": "a\n\tb\n"}\n```']),
]

OBSERVATIONS = [
    case("an empty observation", [thought("empty", "x"), final("ok")], tools=["empty"]),
    case("an observation that speaks in keywords", [thought("keywords", "x"), final("ok")], tools=["keywords"]),
    case("an observation with braces, quotes and Chinese", [thought("unicode", "x"), final("ok")], tools=["unicode"]),
    case("an observation with blank lines around", [thought("lines", "x"), final("ok")], tools=["lines"]),
    case("a number as observation", [ADD, final("ok")], tools=["add"]),
    case("a fraction as observation", [thought("half", "x"), final("ok")], tools=["half"]),
    case("true as observation", [thought("truth", "x"), final("ok")], tools=["truth"], differs=json_text()),
    case("nothing as observation", [thought("nothing", "x"), final("ok")], tools=["nothing"], differs=json_text()),
    case("a list as observation", [thought("sequence", "x"), final("ok")], tools=["sequence"], differs=json_text()),
    case("an object as observation", [thought("record", "x"), final("ok")], tools=["record"], differs=json_text()),
]

PING = '{"action": "ping", "action_input": {}}'
READINGS = {
    "a bare blob": PING,
    "a blob in single backticks": f"`{PING}`",
    "a fence with a json tag": f"```json\n{PING}\n```",
    "a fence with an upper-case tag": f"```JSON\n{PING}\n```",
    "a fence with a python tag": f"```python\n{PING}\n```",
    "four backticks": f"````\n{PING}\n````",
    "prose before a fence": f"Let me see.\n```\n{PING}\n```",
    "prose before a bare blob": f"Let me see. {PING}",
    "prose after a fence": f"```\n{PING}\n```\nThat is it.",
    "prose after a bare blob": f"{PING} That is it.",
    "two fences": f"```\n{PING}\n```\n```\n{PING.replace('ping', 'echo')}\n```",
    "two bare blobs": f"{PING}\n{PING.replace('ping', 'echo')}",
    "a fence without its end": f"Action:\n```\n{PING}",
    "a blob without its end": '```\n{"action": "ping", "action_input": {',
    "a list of blobs": f"```\n[{PING}, {PING.replace('ping', 'echo')}]\n```",
    "an empty list": "```\n[]\n```",
    "a number": "```\n42\n```",
    "an empty object": "```\n{}\n```",
    "no input at all": '```\n{"action": "ping"}\n```',
    "null as input": '```\n{"action": "ping", "action_input": null}\n```',
    "a number as input": '```\n{"action": "ping", "action_input": 4}\n```',
    "a truth as input": '```\n{"action": "ping", "action_input": true}\n```',
    "a list as input": '```\n{"action": "ping", "action_input": [1]}\n```',
    "no action": '```\n{"action_input": "x"}\n```',
    "an action that is null": '```\n{"action": null, "action_input": "x"}\n```',
    "an action that is a number": '```\n{"action": 1, "action_input": "x"}\n```',
    "an answer without text": '```\n{"action": "Final Answer"}\n```',
    "an answer in lower case": '```\n{"action": "final answer", "action_input": "x"}\n```',
    "single quotes": "```\n{'action': 'ping', 'action_input': {}}\n```",
    "smart quotes": "```\n{“action”: “ping”, “action_input”: {}}\n```",
    "a comment": '```\n{"action": "ping", // why\n"action_input": {}}\n```',
    "unquoted keys": '```\n{action: "ping", action_input: {}}\n```',
    "a trailing comma": '```\n{"action": "ping", "action_input": {},}\n```',
    "a brace too many": f"```\n{PING}}}\n```",
    "a bad escape": '```\n{"action": "echo", "action_input": "C:\\dir"}\n```',
    "inner quotes": '```\n{"action": "echo", "action_input": "say "hi" now"}\n```',
    "escaped inner quotes": '```\n{"action": "echo", "action_input": "say \\"hi\\" now"}\n```',
    "a fence inside a string": '```\n{"action": "echo", "action_input": "```js\\nx\\n```"}\n```',
    "raw newlines in the input": '```\n{"action": "echo", "action_input": "a\nb\tc"}\n```',
    "raw newlines in an argument": '```\n{"action": "repeat", "action_input": {"text": "a\nb"}}\n```',
    "a cut string": 'Action:\n```\n{"action": "echo", "action_input": "one two thr',
    "a cut key": 'Action:\n```\n{"action": "ping", "action_in',
    "a byte order mark": f"\ufeff{PING}",
    "unicode escapes": '```\n{"action": "echo", "action_input": "\\u5317\\u4eac \\ud83d\\ude00"}\n```',
    "a key twice": '```\n{"action": "echo", "action": "ping", "action_input": {}}\n```',
    "more keys": '```\n{"thought": "x", "action": "ping", "action_input": {}}\n```',
    "no JSON": "I think it is 42.",
    "an empty reply": "",
}
PARSING = [case(name, [reply, final("ok")], tools=["ping", "echo", "repeat"]) for name, reply in READINGS.items()]

ERRORS = [
    case("errors end the run", ["Hello there."], handleParsingErrors=False),
    case("errors with a text", ["Hello there.", final("ok")], handleParsingErrors="Use JSON!"),
    case("errors with an empty text", ["Hello there.", final("ok")], handleParsingErrors=""),
    case("unreadable until the limit", ["one", "two"], maxIterations=2),
    case("a step, an error, a step", [ADD, "Hm.", ADD, final("ok")], tools=["add"]),
    case("the model asks for _Exception", [thought("_Exception", "a"), final("ok")]),
]

TOOLS = [
    case("an unknown tool", [thought("Wikipedia", "a"), final("ok")]),
    case("an empty tool name", [thought("", "a"), final("ok")]),
    case("a tool name in other case", [thought("ECHO", "a"), final("ok")]),
    case("a tool that breaks", [thought("broken", "a"), final("ok")], tools=["broken"], differs=tool_error("The tool broken failed: boom")),
    case("a tool that refuses", [thought("refuse", "a"), final("ok")], tools=["refuse"]),
    case("a tool that refuses with an empty text", [thought("refuse_silently", "a"), final("ok")], tools=["refuse_silently"]),
    case("numbers written as text", [thought("add", {"a": "1", "b": "2"}), final("3")], tools=["add"]),
    case("a whole number written as a fraction", [thought("add", {"a": 1.0, "b": 2}), final("3")], tools=["add"]),
    case("a fraction for an integer", [thought("add", {"a": 1.5, "b": 2}), final("3")], tools=["add"], differs=invalid()),
    case("a number for a text", [thought("repeat", {"text": 5}), final("ok")], tools=["repeat"], differs=invalid()),
    case("fractions written as text", [thought("area", {"width": "2.5", "height": 2}), final("ok")], tools=["area"]),
    case("a truth written as text", [thought("switch", {"on": "true"}), thought("switch", {"on": 0}), final("ok")], tools=["switch"]),
    case("a list of texts", [thought("join", {"items": ["a", "b"]}), final("ok")], tools=["join"]),
    case("a text for a list", [thought("join", {"items": "a"}), final("ok")], tools=["join"], differs=one_text("a")),
    case("unknown arguments are dropped", [thought("add", {"a": 1, "b": 2, "c": 3}), final("3")], tools=["add"]),
    case("an argument is missing", [thought("add", {"a": 1}), final("ok")], tools=["add"], differs=invalid()),
    case("an optional argument is left out", [thought("repeat", {"text": "ab"}), thought("greet", {"name": "Ann"}), final("ok")], tools=["repeat", "greet"]),
    case("an optional argument is null", [thought("greet", {"name": "Ann", "greeting": None}), final("ok")], tools=["greet"]),
    case("a text for a tool of two fields", [thought("repeat", "ab"), final("ok")], tools=["repeat"]),
    case("a text for a tool that needs two", [thought("add", "1"), final("ok")], tools=["add"], differs=invalid()),
    case("JSON text for a tool of two fields", [thought("add", '{"a": 1, "b": 2}'), final("ok")], tools=["add"], differs=read_as_object(3)),
    case("an object of one key for a plain tool", [thought("echo", {"query": "a"}), final("ok")]),
    case("an object of two keys for a plain tool", [thought("echo", {"a": "1", "b": "2"}), final("ok")], differs=not_one_string()),
    case("no argument for a plain tool", [blob("echo", {}), final("ok")], differs=not_one_string()),
    case("a tool without arguments", [thought("ping", {}), thought("ping", ""), final("ok")], tools=["ping"]),
    case("a direct result", [thought("direct", "a")], tools=["direct"]),
    case("a direct result that is an object", [thought("direct_object", "a")], tools=["direct_object"]),
]


def closing(*steps):
    """Scratchpads with the closing request behind the last."""
    pads = ["".join(f"{log}\nObservation: {seen}\nThought: " for log, seen in steps[:count]) for count in range(len(steps) + 1)]
    pads[-1] += f"\n\n{CLOSING}"
    return [{"history": [], "scratchpad": pad, "stop": ["\nObservation"]} for pad in pads]


def generate(output, *steps):
    return {"reason": GENERATE, "expect": {"error": None, "output": output, "modelCalls": len(steps) + 1, "requests": closing(*steps), "steps": [
        {"tool": "echo", "toolInput": seen, "log": log, "observation": seen} for log, seen in steps
    ]}}


A = (thought("echo", "a"), "a")
LIMITS = [
    case("no iteration at all", [], maxIterations=0),
    case("no time at all", [], maxExecutionTime=0),
    case("one iteration", [ADD], maxIterations=1, tools=["add"]),
    case("an answer at the limit", [ADD, final("ok")], maxIterations=2, tools=["add"]),
    case("generate: an answer", [A[0], final("at last")], maxIterations=1, earlyStopping="generate", differs=generate("at last", A)),
    case("generate: an action", [A[0], A[0]], maxIterations=1, earlyStopping="generate", differs=generate(A[0], A)),
    case("shown the last step", [thought("echo", "a"), thought("echo", "b"), final("ok")], trimIntermediateSteps=1),
    case("shown the last two steps", [thought("echo", "a"), thought("echo", "b"), thought("echo", "c"), final("ok")], trimIntermediateSteps=2),
]

STOP = [
    case("the server cuts at the stop string", [HALLUCINATED, final("Paris")]),
    case("the server ignores the stop string", ignoring_stop(HALLUCINATED, final("Paris")), differs=cut_on_client(ignoring_stop(HALLUCINATED, final("Paris")))),
    case("ignored, not streamed", ignoring_stop(HALLUCINATED, final("Paris")), stream=False, differs=cut_on_client(ignoring_stop(HALLUCINATED, final("Paris")))),
    case("a line that begins with Observations", [blob("echo", "a") + "\nObservations follow", final("ok")]),
    case("a refused request after a step", [thought("echo", "a"), {"status": 400, "error": {"message": "bad"}}]),
]

CASES = [*LOOP, *OBSERVATIONS, *PARSING, *ERRORS, *TOOLS, *LIMITS, *STOP]
