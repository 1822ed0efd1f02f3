"""A conversation in messages: framed observations, stricter JSON, memory over several questions."""

from building import CLOSING, GENERATE, blob, case, cut_on_client, final, ignoring_stop, json_text, not_one_string, tool_error

JSON = "```json"
BROKEN = {"status": 400, "error": {"message": "bad"}}
HISTORY = [{"role": "user", "content": "我是赖赖"}, {"role": "assistant", "content": "你好，赖赖！"}]
HALLUCINATED = blob("Search", "capital of France") + "\nObservation: Rome\n" + final("Rome")


def look(text, tool="echo"):
    return blob(tool, text, JSON)


def told_in_words():
    stop = ["\nObservation:", "\n\tObservation:"]
    earlier = [{"role": "user", "content": "Say nothing."}, {"role": "assistant", "content": "(a reply without text)"}]
    return {
        "reason": "a message without a text is told in words: providers refuse it",
        "expect": {"requests": [{"history": earlier, "messages": [], "stop": stop}]},
    }


LOOP = [
    case("an answer at once", [final("42")]),
    case("a step and an answer", [look("capital of France", "Search"), final("Paris")]),
    case("two steps and an answer", [look("capital of France", "Search"), look("population of Paris", "Search"), final("2.1 million")]),
    case("not streamed", [look("a"), final("b")], stream=False),
    case("with a history", [look("a"), final("赖赖")], chatHistory=HISTORY, input="我是谁"),
    case("a question with braces", [look("{x}"), final("{y}")], input="What is {input} and {agent_scratchpad}?"),
    case("the same step twice", [look("a"), look("a"), final("b")]),
    case("an answer that is a number", [final(42)], differs={
        "reason": "an answer that is no text is kept; LangChain's memory raises",
        "expect": {"error": None, "output": 42, "steps": []},
    }),
    case("an empty answer", [final("")]),
    case("an answer of several lines", ['```json\n{"action": "Final Answer", "action_input": "a\n\tb\n"}\n```']),
]

OBSERVATIONS = [
    case("an empty observation", [look("x", "empty"), final("ok")], tools=["empty"]),
    case("an observation that speaks in keywords", [look("x", "keywords"), final("ok")], tools=["keywords"]),
    case("an observation with braces, quotes and Chinese", [look("x", "unicode"), final("ok")], tools=["unicode"]),
    case("an observation with blank lines around", [look("x", "lines"), final("ok")], tools=["lines"]),
    case("a number as observation", [look("x", "number"), final("ok")], tools=["number"]),
    case("true as observation", [look("x", "truth"), final("ok")], tools=["truth"], differs=json_text()),
    case("an object as observation", [look("x", "record"), final("ok")], tools=["record"], differs=json_text()),
]

ECHO = '{"action": "echo", "action_input": "a"}'
READINGS = {
    "a bare blob": ECHO,
    "a fence without a tag": f"```\n{ECHO}\n```",
    "prose around a fence": f"Sure:\n```json\n{ECHO}\n```\nThere.",
    "prose before a bare blob": f"Sure: {ECHO}",
    "a list of blobs": f"```json\n[{ECHO}]\n```",
    "no input": '```json\n{"action": "echo"}\n```',
    "null as input": '```json\n{"action": "echo", "action_input": null}\n```',
    "a number as input": '```json\n{"action": "echo", "action_input": 4}\n```',
    "a list as input": '```json\n{"action": "echo", "action_input": ["a"]}\n```',
    "no action": '```json\n{"action_input": "a"}\n```',
    "an action that is null": '```json\n{"action": null, "action_input": "a"}\n```',
    "an answer without text": '```json\n{"action": "Final Answer"}\n```',
    "an object as input": '```json\n{"action": "echo", "action_input": {"query": "a"}}\n```',
    "a text": '"action and action_input"',
    "a number": "42",
    "a trailing comma": '```json\n{"action": "echo", "action_input": "a",}\n```',
    "single quotes": "```json\n{'action': 'echo', 'action_input': 'a'}\n```",
    "a cut string": '```json\n{"action": "echo", "action_input": "one two thr',
    "a cut key": '```json\n{"action": "echo", "action_in',
    "a fence inside a string": '```json\n{"action": "echo", "action_input": "```js\\nx\\n```"}\n```',
    "inner quotes": '```json\n{"action": "echo", "action_input": "say "hi" now"}\n```',
    "no JSON": "You are Ann.",
    "an empty reply": "",
}
PARSING = [case(name, [reply, final("ok")]) for name, reply in READINGS.items()]

ERRORS = [
    case("errors end the run", ["Hello there."], handleParsingErrors=False),
    case("errors with a text", ["Hello there.", final("ok")], handleParsingErrors="Use JSON!"),
    case("errors with an empty text", ["Hello there.", final("ok")], handleParsingErrors=""),
    case("unreadable until the limit", ["one", "two"], maxIterations=2),
    case("a step, an error, a step", [look("a"), "Hm.", look("b"), final("ok")]),
]

TOOLS = [
    case("an unknown tool", [look("a", "Wikipedia"), final("ok")]),
    case("a tool that breaks", [look("a", "broken"), final("ok")], tools=["broken"], differs=tool_error("The tool broken failed: boom")),
    case("a tool that refuses", [look("a", "refuse"), final("ok")], tools=["refuse"]),
    case("an object of two keys for a plain tool", [blob("echo", {"a": "1", "b": "2"}), final("ok")], differs=not_one_string()),
    case("one argument by name", [blob("double", {"number": "21"}), final("42")], tools=["double"]),
    case("a direct result", [look("a", "direct")], tools=["direct"]),
]


def generate(output, given, reply):
    """One step, then the closing request as a message of its own."""
    stop = ["\nObservation:", "\n\tObservation:"]
    said = [{"role": "assistant", "content": reply}, {"role": "user", "content": {"toolResponse": given}}]
    closing = [*said, {"role": "user", "content": CLOSING}]
    requests = [{"history": [], "messages": messages, "stop": stop} for messages in ([], closing)]
    step = {"tool": "echo", "toolInput": given, "log": reply, "observation": given}
    return {"reason": GENERATE, "expect": {"error": None, "output": output, "modelCalls": 2, "requests": requests, "steps": [step]}}


LIMITS = [
    case("no iteration at all", [], maxIterations=0),
    case("one iteration", [look("a")], maxIterations=1),
    case("an answer at the limit", [look("a"), final("ok")], maxIterations=2),
    case("shown the last step", [look("a"), look("b"), final("ok")], trimIntermediateSteps=1),
    case("generate: an answer", [look("a"), final("at last")], maxIterations=1, earlyStopping="generate", differs=generate("at last", "a", look("a"))),
    case("the server cuts at the stop string", [HALLUCINATED, final("Paris")]),
    case("the server ignores the stop string", ignoring_stop(HALLUCINATED, final("Paris")), differs=cut_on_client(ignoring_stop(HALLUCINATED, final("Paris")))),
]

NAME = {"input": "我是赖赖", "replies": [final("你好，赖赖！")]}
MEMORY = [
    case("remembers a name", [final("你是赖赖")], input="我是谁", earlier=[NAME]),
    case("remembers two questions", [look("a"), final("b")], earlier=[NAME, {"input": "Go on.", "replies": [final("I do.")]}]),
    case("remembers no steps", [final("ok")], earlier=[{"input": "Look!", "replies": [look("a"), final("seen")]}]),
    case("remembers a stop by limit", [final("ok")], earlier=[{"input": "Look!", "replies": [look("a"), look("b")]}], maxIterations=2),
    case("remembers a direct result", [final("ok")], tools=["direct"], earlier=[{"input": "Look!", "replies": [look("a", "direct")]}]),
    case("remembers no failed run", [final("ok")], earlier=[{"input": "Look!", "replies": [look("a"), BROKEN]}]),
    case("remembers an empty answer", [final("ok")], earlier=[{"input": "Say nothing.", "replies": [final("")]}], differs=told_in_words()),
    case("remembers braces", [final("ok")], earlier=[{"input": "{input}", "replies": [final("{tools}")]}]),
]

CASES = [*LOOP, *OBSERVATIONS, *PARSING, *ERRORS, *TOOLS, *LIMITS, *MEMORY]
