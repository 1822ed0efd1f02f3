"""Native tool calls: several in a turn, their order and ids, and what is said beside them."""

from building import CLOSING, GENERATE, calls, case, invalid, not_one_string, tool_error

A = ("c1", "echo", {"__arg1": "a"})
B = ("c2", "echo", {"__arg1": "b"})
ADD = ("c3", "add", {"a": 1, "b": 2})
BOTH = ["echo", "add"]
HISTORY = [{"role": "user", "content": "Hi, I am Ann."}, {"role": "assistant", "content": "Hi Ann! {x}"}]
UNREADABLE = "unparsable arguments are a parse error, and go back as a JSON object; LangChain leaves the call out"
ANSWERED = "every turn's calls are answered, also where an id comes again, which gets another id: providers refuse an unanswered one, and an id that comes twice"
EMPTY = "a reply with neither text nor a call is not an answer: the model is asked again"
TRIMMED = "of a turn that is shown in part only the calls shown are named: providers refuse an unanswered one"


def turn(place, tool="echo", text=None):
    return calls((f"t{place}", tool, {"__arg1": text or str(place)}))


LOOP = [
    case("an answer at once", ["42"]),
    case("a step and an answer", [calls(("c1", "Search", {"__arg1": "capital of France"})), "Paris"]),
    case("two steps and an answer", [turn(1), turn(2), "ok"]),
    case("not streamed", [turn(1), calls(A, B), "ok"], stream=False),
    case("several arguments", [calls(ADD), "3"], tools=BOTH),
    case("two calls in a turn", [calls(A, B), "ok"]),
    case("three calls of two tools", [calls(ADD, A, B), "ok"], tools=BOTH),
    case("two turns of two calls", [calls(A, B), calls(("c4", "echo", {"__arg1": "c"}), ("c5", "echo", {"__arg1": "d"})), "ok"]),
    case("text beside a call", [calls(A, text="Let me look."), "ok"]),
    case("text beside two calls", [calls(A, B, text="Let me {look}."), "ok"]),
    case("with a history", [turn(1), "Ann"], chatHistory=HISTORY),
    case("a question with braces", [calls(("c1", "echo", {"__arg1": "{x}"})), "{y}"], input="What is {input} and {agent_scratchpad}?"),
    case("a question in Chinese", [calls(("c1", "echo", {"__arg1": "北京"})), "晴 ☀️"], input="今天北京的天气怎么样？"),
    case("an answer with keywords", ["Action: echo\nAction Input: a\nObservation: x\nFinal Answer: b"]),
    case("an answer in JSON", ['{"action": "echo", "action_input": "a"}']),
    case("an answer of several lines", ["  a\n\nb \n"]),
    case("the same call twice", [calls(("c1", "echo", {"__arg1": "a"})), calls(("c2", "echo", {"__arg1": "a"})), "ok"]),
    case("the same call twice in a turn", [calls(("c1", "echo", {"__arg1": "a"}), ("c2", "echo", {"__arg1": "a"})), "ok"]),
    case("no tool", ["ok"], tools=["ping"]),
]

ONE = lambda tool: ("c1", tool, {"__arg1": "x"})
OBSERVATIONS = [
    case(name, [calls(ONE(tool)), "ok"], tools=[tool])
    for name, tool in {
        "an empty observation": "empty",
        "an observation that speaks in keywords": "keywords",
        "an observation with braces, quotes and Chinese": "unicode",
        "an observation with blank lines around": "lines",
        "a number as observation": "number",
        "a fraction as observation": "half",
        "true as observation": "truth",
        "nothing as observation": "nothing",
        "a list as observation": "sequence",
        "an object as observation": "record",
    }.items()
]

def asked(*messages):
    takes = {"properties": {"__arg1": "string"}, "required": ["__arg1"]}
    return {"history": [], "messages": list(messages), "tools": {name: takes for name in ("Search", "echo")}}


def said(*named):
    made = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in named]
    return {"role": "assistant", "content": None, "toolCalls": made}


def seen(id, text):
    return {"role": "tool", "content": text, "toolCallId": id}


def echoed(text):
    return {"tool": "echo", "toolInput": text, "log": f"\nInvoking: `echo` with `{text}`\n\n\n", "observation": text}


def generate():
    call = ("t1", "echo", {"__arg1": "1"})
    requests = [asked(), asked(said(call), seen("t1", "1"), {"role": "user", "content": CLOSING})]
    return {"reason": GENERATE, "expect": {"error": None, "output": "at last", "modelCalls": 2, "requests": requests, "steps": [echoed("1")]}}


def trimmed():
    return {"reason": TRIMMED, "expect": {"requests": [asked(), asked(said(B), seen("c2", "b"))]}}


def trimmed_turns():
    turns = [said(A, B), seen("c1", "a"), seen("c2", "b")]
    last = [said(B), seen("c2", "b"), said(("t2", "echo", {"__arg1": "2"})), seen("t2", "2")]
    return {"reason": TRIMMED, "expect": {"requests": [asked(), asked(*turns), asked(*last)]}}


def answered_twice():
    turn = [said(A), seen("c1", "a")]
    again = [said(("ure0is1pk", *A[1:])), seen("ure0is1pk", "a")]
    return {"reason": ANSWERED, "expect": {"requests": [asked(), asked(*turn), asked(*turn, *again)]}}


def asked_again(*steps):
    """LangChain takes a reply with neither text nor a call for the answer."""
    told = "Your reply was empty: it had neither text nor a call that could be read. Answer again: call one of the tools [Search, echo] with complete arguments, or give the answer."
    turns = [message for place, text in enumerate(steps, 1) for message in (said((f"t{place}", "echo", {"__arg1": text})), seen(f"t{place}", text))]
    again = [{"role": "assistant", "content": "(a reply without text)"}, {"role": "user", "content": told}]
    requests = [*([asked()] if steps else []), asked(*turns), asked(*turns, *again)]
    failed = {"tool": "_Exception", "toolInput": told, "log": "", "observation": told}
    expect = {"output": "ok", "modelCalls": len(requests), "requests": requests, "steps": [*map(echoed, steps), failed]}
    return {"reason": EMPTY, "expect": expect}


def unreadable_ends():
    error = {"type": "OutputParserException", "message": ""}
    return {"reason": UNREADABLE, "expect": {"error": error, "modelCalls": 1, "requests": [asked()]}}


def unreadable(text, *readable):
    """The model is told what was wrong with the one call; the others run."""
    told = "Invalid or incomplete response"
    log = f"<unreadable: {text}>"
    steps = [{"tool": "_Exception", "toolInput": told, "log": log, "observation": told}, *map(echoed, readable)]
    replies = [seen("c1", f"{log}\n{told}"), *(seen("c2", given) for given in readable)]
    requests = [asked(), asked(said(("c1", "echo", {"unreadable": text}), *(B for _ in readable)), *replies)]
    return {"reason": UNREADABLE, "expect": {"output": "ok", "modelCalls": 2, "requests": requests, "steps": steps}}


CUT = '{"__arg1": "a'
TOOLS = [
    case("an unknown tool", [calls(("c1", "wikipedia", {"q": "a"})), "ok"]),
    case("an unknown tool beside a known one", [calls(("c1", "wikipedia", {"q": "a"}), B), "ok"]),
    case("a tool that breaks", [calls(ONE("broken")), "ok"], tools=["broken"], differs=tool_error("The tool broken failed: boom")),
    case("a tool that breaks beside one that does not", [calls(ONE("broken"), B), "ok"], tools=["broken", "echo"], differs=tool_error("The tool broken failed: boom")),
    case("a tool that refuses", [calls(ONE("refuse")), "ok"], tools=["refuse"]),
    case("a tool that refuses with an empty text", [calls(ONE("refuse_silently")), "ok"], tools=["refuse_silently"]),
    case("numbers written as text", [calls(("c1", "add", {"a": "1", "b": "2"})), "ok"], tools=["add"]),
    case("unknown arguments are dropped", [calls(("c1", "add", {"a": 1, "b": 2, "c": 3})), "ok"], tools=["add"]),
    case("an argument is missing", [calls(("c1", "add", {"a": 1})), "ok"], tools=["add"], differs=invalid()),
    case("optional arguments are left out", [calls(("c1", "repeat", {"text": "ab"}), ("c2", "greet", {"name": "Ann"})), "ok"], tools=["repeat", "greet"]),
    case("a truth, a list, fractions", [calls(("c1", "switch", {"on": True}), ("c2", "join", {"items": ["a", "b"]}), ("c3", "area", {"width": 1.5, "height": 2})), "ok"], tools=["switch", "join", "area"]),
    case("a plain tool's argument by another name", [calls(("c1", "echo", {"query": "a"})), "ok"]),
    case("two arguments for a plain tool", [calls(("c1", "echo", {"a": "1", "b": "2"})), "ok"], differs=not_one_string()),
    case("no arguments at all", [calls(("c1", "ping", "")), "ok"], tools=["ping"]),
    case("empty arguments", [calls(("c1", "ping", "{}")), "ok"], tools=["ping"]),
    case("arguments with Chinese, quotes and lines", [calls(("c1", "echo", {"__arg1": "北京 \"é\" 'x'\nb\\"})), "ok"]),
    case("arguments of every type in the log", [calls(("c1", "ping", {"a": [1, 2.5, None, True], "b": {"c": "it's"}})), "ok"], tools=["ping"]),
    case("a direct result", [calls(ONE("direct"))], tools=["direct"]),
    case("a direct result that is an object", [calls(ONE("direct_object"))], tools=["direct_object"]),
    case("a direct result beside another call", [calls(ONE("direct"), B), "ok"], tools=["direct", "echo"]),
    case("two direct results", [calls(ONE("direct"), ("c2", "direct", {"__arg1": "y"})), "ok"], tools=["direct"]),
    case("the model asks for _Exception", [calls(("c1", "_Exception", {"query": "a"})), "ok"]),
]


AGAIN = [
    case("the same call and id twice", [calls(A), calls(A), "ok"], differs=answered_twice()),
    case("an empty answer", ["", "ok"], differs=asked_again()),
    case("an empty answer after a step", [turn(1), "", "ok"], differs=asked_again("1")),
]
LIMITS = [
    case("no iteration at all", [], maxIterations=0),
    case("no time at all", [], maxExecutionTime=0),
    case("one iteration", [turn(1)], maxIterations=1),
    case("one iteration of three calls", [calls(A, B, ("c6", "echo", {"__arg1": "c"}))], maxIterations=1),
    case("an answer at the limit", [turn(1), "ok"], maxIterations=2),
    case("generate: an answer", [turn(1), "at last"], maxIterations=1, earlyStopping="generate", differs=generate()),
    case("shown the last step", [turn(1), turn(2), turn(3), "ok"], trimIntermediateSteps=1),
    case("shown the last two steps", [turn(1), turn(2), turn(3), "ok"], trimIntermediateSteps=2),
    case("shown the last of two calls", [calls(A, B), "ok"], trimIntermediateSteps=1, differs=trimmed()),
    case("shown the last of two calls, and a later one", [calls(A, B), turn(2), "ok"], trimIntermediateSteps=2, differs=trimmed_turns()),
    case("shown both calls of the last turn", [turn(1), calls(A, B), "ok"], trimIntermediateSteps=2),
    case("a refused request after a step", [turn(1), {"status": 400, "error": {"message": "bad"}}]),
    case("unreadable arguments", [calls(("c1", "echo", "a b")), "ok"], differs=unreadable("a b")),
    case("unreadable arguments, not streamed", [calls(("c1", "echo", "a b")), "ok"], stream=False, differs=unreadable("a b")),
    case("cut arguments", [calls(("c1", "echo", CUT)), "ok"], differs=unreadable(CUT)),
    case("cut arguments, not streamed", [calls(("c1", "echo", CUT)), "ok"], stream=False, differs=unreadable(CUT)),
    case("unreadable arguments beside readable ones", [calls(("c1", "echo", "a b"), B), "ok"], differs=unreadable("a b", "b")),
    case("unreadable arguments end the run", [calls(("c1", "echo", "a b")), "ok"], handleParsingErrors=False, differs=unreadable_ends()),
]

CASES = [*LOOP, *AGAIN, *OBSERVATIONS, *TOOLS, *LIMITS]
