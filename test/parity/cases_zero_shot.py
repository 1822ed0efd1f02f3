"""ReAct as text: the loop, the parser as runs show it, parse errors, tools, limits."""

from building import ALL_STEPS, CLOSING, act, answer, case, closing_quote, coerced, cut_on_client, ignoring_stop, invalid
from building import json_text, tool_error

HALLUCINATED = " Look.\nAction: Search\nAction Input: capital of France\nObservation: Rome\nThought: so\nFinal Answer: Rome"
HALLUCINATED_INPUT = " Look.\nAction: Search\nAction Input: capital of France\n\tObservation: Rome\nThought: so"

LOOP = [
    case("an answer at once", [answer("42")]),
    case("an answer over completions", [answer("42")], api="completions"),
    case("two steps and an answer", [act("Search", "capital of France"), act("Search", "population of Paris"), answer("2.1 million")]),
    case("two steps over completions", [act("Search", "capital of France"), act("echo", "x"), answer("Paris")], api="completions"),
    case("not streamed", [act("Search", "capital of France"), answer("Paris")], stream=False),
    case("not streamed over completions", [act("echo", "a"), answer("b")], stream=False, api="completions"),
    case("a question with braces", [act("echo", "{x}"), answer("{y} {{z}}")], input="What is {input} and {agent_scratchpad}?"),
    case("a question in Chinese", [act("Search", "北京 天气"), answer("晴 ☀️")], input="今天北京的天气怎么样？"),
    case("the same step twice", [act("echo", "a"), act("echo", "a"), answer("b")]),
    case("a tool whose name has a space", [act("Look Up", "a"), answer("b")], tools=["Look Up"]),
    case("no tools' help needed", [answer("yes")], tools=["number"]),
]

OBSERVATIONS = [
    case("an empty observation", [act("empty", "x"), answer("ok")], tools=["empty"]),
    case("an observation that speaks in keywords", [act("keywords", "x"), answer("ok")], tools=["keywords"]),
    case("an observation with braces, quotes and Chinese", [act("unicode", "x"), answer("ok")], tools=["unicode"]),
    case("an observation with blank lines around", [act("lines", "x"), answer("ok")], tools=["lines"]),
    case("a number as observation", [act("number", "x"), answer("ok")], tools=["number"]),
    case("true as observation", [act("truth", "x"), answer("ok")], tools=["truth"], differs=json_text()),
    case("nothing as observation", [act("nothing", "x"), answer("ok")], tools=["nothing"], differs=json_text()),
    case("a list as observation", [act("sequence", "x"), answer("ok")], tools=["sequence"], differs=json_text()),
    case("an object as observation", [act("record", "x"), answer("ok")], tools=["record"], differs=json_text()),
]

PARSING = [
    case("numbered keywords", [" x\nAction 1: echo\nAction 1 Input 1: a", answer("ok")]),
    case("action and input on one line", ["Action: echo Action Input: a", answer("ok")]),
    case("quotes around the input", [act("echo", '"a"'), answer("ok")]),
    case("a quote kept by a newline", [act("echo", '"a"\n'), answer("ok")]),
    case("two quoted terms", [act("echo", '"a" OR "b"'), answer("ok")]),
    case("an SQL query keeps its quotes", [act("echo", 'SELECT "a" FROM "b"'), answer("ok")]),
    case("an input of several lines", [act("echo", "a\n  b\n\nc  "), answer("ok")]),
    case("an input on the next line", ["Action: echo\nAction Input:\n```\nx\n```", answer("ok")]),
    case("no input", ["Action: echo\nAction Input:", answer("ok")]),
    case("a tool name with blanks around", ["Action:   echo  \nAction Input: a", answer("ok")]),
    case("a tool name in lower case", [act("search", "a"), answer("ok")]),
    case("a tool name in brackets", [act("[echo]", "a"), answer("ok")]),
    case("keywords in lower case", ["action: echo\naction input: a", answer("ok")], differs=closing_quote()),
    case("two actions in one reply", [act("echo", "a") + "\n" + act("echo", "b"), answer("ok")]),
    case("an action inside a thought", ["My Action: is unclear\nAction: echo\nAction Input: a", answer("ok")]),
    case("an answer of several lines", [answer("a\n\n  b\n")]),
    case("an empty answer", [answer("")]),
    case("several answers", [answer("a\nFinal Answer: b")]),
    case("an answer without a thought", ["Final Answer: a"]),
    case("an answer, then an action, with a blank line", [answer("a\n\n" + act("echo", "b"))]),
    case("an answer, then an action, without one", [answer("abc\n" + act("echo", "b"))]),
    case("an action, then an answer", [act("echo", "a") + "\nFinal Answer: b", answer("ok")]),
    case("an answer in quotes", [answer('"a"')]),
    case("an answer with markdown", [answer("**a**\n\n```\ncode\n```")]),
]

ERRORS = [
    case("neither action nor answer", ["Hello there.", answer("ok")], differs=closing_quote()),
    case("an action without input", ["Action: echo", answer("ok")]),
    case("an input without action", ["Action Input: a", answer("ok")], differs=closing_quote()),
    case("an input before its action", ["Action Input: a\nAction: echo", answer("ok")]),
    case("an empty reply", ["", answer("ok")], differs=closing_quote()),
    case("unreadable until the limit", ["one", "two", "three"], maxIterations=3, differs=closing_quote()),
    case("errors end the run", ["Hello there."], handleParsingErrors=False),
    case("both ends the run", [act("echo", "a") + "\nFinal Answer: b"], handleParsingErrors=False),
    case("errors with a text", ["Hello there.", answer("ok")], handleParsingErrors="Use the format!"),
    case("both with a text", [act("echo", "a") + "\nFinal Answer: b", answer("ok")], handleParsingErrors="Use the format!"),
    case("errors with an empty text", ["Hello there.", answer("ok")], handleParsingErrors=""),
    case("the model asks for _Exception", [act("_Exception", "a"), answer("ok")]),
    case("a step, an error, a step", [act("echo", "a"), "Hm.", act("echo", "b"), answer("ok")], differs=closing_quote()),
]

TOOLS = [
    case("an unknown tool", [act("Wikipedia", "a"), answer("ok")]),
    case("an unknown tool with a sentence for a name", [act("Use echo to say it", "a"), answer("ok")]),
    case("an empty tool name", ["Action:\nAction Input: a", answer("ok")]),
    case("unknown tools until the limit", [act("No", "a"), act("No", "b")], maxIterations=2),
    case("a tool that breaks", [act("broken", "a"), answer("ok")], tools=["broken"], differs=tool_error("The tool broken failed: boom")),
    case("a tool that refuses", [act("refuse", "a"), answer("ok")], tools=["refuse"]),
    case("a tool that refuses with a text", [act("refuse_text", "a"), answer("ok")], tools=["refuse_text"]),
    case("a tool that refuses with an empty text", [act("refuse_silently", "a"), answer("ok")], tools=["refuse_silently"]),
    case("a tool that refuses without a text", [act("refuse_blankly", "a"), answer("ok")], tools=["refuse_blankly"]),
    case("an integer written as text", [act("double", "21"), answer("42")], tools=["double"], differs=coerced()),
    case("an integer that is none", [act("double", "many"), answer("ok")], tools=["double"], differs=invalid()),
    case("a truth written as text", [act("switch", "yes"), act("switch", "off"), answer("ok")], tools=["switch"], differs=coerced()),
    case("a direct result", [act("direct", "a")], tools=["direct"]),
    case("a direct result after a step", [act("echo", "a"), act("direct", "b")], tools=["echo", "direct"]),
    case("a direct result that is empty", [act("direct_empty", "a")], tools=["direct_empty"]),
    case("a direct result that is an object", [act("direct_object", "a")], tools=["direct_object"]),
]


def trimmed():
    stop = ["\nObservation:", "\n\tObservation:"]
    a, b = (f"{act('echo', given)}\nObservation: {given}\nThought:" for given in ("a", "b"))
    pads = ["", a, f"{b}\n\n{CLOSING}"]
    return {"reason": ALL_STEPS, "expect": {"requests": [{"named": "Search, echo", "scratchpad": pad, "stop": stop} for pad in pads]}}


LIMITS = [
    case("no iteration at all", [], maxIterations=0),
    case("no time at all", [], maxExecutionTime=0),
    case("one iteration", [act("echo", "a")], maxIterations=1),
    case("two iterations", [act("echo", "a"), act("echo", "b")], maxIterations=2),
    case("an answer at the limit", [act("echo", "a"), answer("ok")], maxIterations=2),
    case("generate: an answer", [act("echo", "a"), answer("at last")], maxIterations=1, earlyStopping="generate"),
    case("generate: an action", [act("echo", "a"), act("echo", "b")], maxIterations=1, earlyStopping="generate"),
    case("generate: over completions", [act("echo", "a"), answer("b")], maxIterations=1, earlyStopping="generate", api="completions"),
    case("generate: unreadable", [act("echo", "a"), "Hello."], maxIterations=1, earlyStopping="generate"),
    case("generate: after an unreadable reply", ["Hello.", answer("b")], maxIterations=1, earlyStopping="generate", differs=closing_quote()),
    case("generate: an answer before", [answer("b")], maxIterations=1, earlyStopping="generate"),
    case("shown the last step", [act("echo", "a"), act("echo", "b"), act("echo", "c"), answer("ok")], trimIntermediateSteps=1),
    case("shown the last two steps", [act("echo", "a"), act("echo", "b"), act("echo", "c"), answer("ok")], trimIntermediateSteps=2),
    case("shown all steps", [act("echo", "a"), act("echo", "b"), answer("ok")], trimIntermediateSteps=0),
    case("shown the last step of errors", ["Hm.", "Hm again.", answer("ok")], trimIntermediateSteps=1, differs=closing_quote()),
    case("generate with trimmed steps", [act("echo", "a"), act("echo", "b"), answer("ok")], maxIterations=2, trimIntermediateSteps=1, earlyStopping="generate", differs=trimmed()),
]

STOP = [
    case("the server cuts at the stop string", [HALLUCINATED, answer("Paris")]),
    case("the server ignores the stop string", ignoring_stop(HALLUCINATED, answer("Paris")), differs=cut_on_client(ignoring_stop(HALLUCINATED, answer("Paris")))),
    case("the server ignores the other one", ignoring_stop(HALLUCINATED_INPUT, answer("Paris")), differs=cut_on_client(ignoring_stop(HALLUCINATED_INPUT, answer("Paris")))),
    case("ignored over completions, not streamed", ignoring_stop(HALLUCINATED, answer("b")), api="completions", stream=False, differs=cut_on_client(ignoring_stop(HALLUCINATED, answer("b")))),
    case("an observation in the middle of a line", ["Observation: I see\nFinal Answer: a"]),
    case("a server error that passes", [{"status": 500}, answer("ok")]),
    case("a rate limit that passes, after a step", [act("echo", "a"), {"status": 429}, answer("ok")]),
    case("a refused request", [{"status": 400, "error": {"message": "bad"}}]),
    case("a refused key", [{"status": 401, "error": {"message": "who?"}}]),
    case("a refused request after a step", [act("echo", "a"), {"status": 400, "error": {"message": "bad"}}]),
]

CASES = [*LOOP, *OBSERVATIONS, *PARSING, *ERRORS, *TOOLS, *LIMITS, *STOP]
