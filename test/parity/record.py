"""Records what LangChain's AgentExecutor does in each case, for test/release/parity.test.ts to compare Reloop with.

    python -m venv VENV && VENV/bin/pip install langchain-classic==1.0.8 langchain-openai
    VENV/bin/python test/parity/record.py [kind ...]

Cases are in cases_*.py; fixtures/KIND.json has each with its recording: output or exception, intermediate steps, number of
model calls, and of every request what the prompt's prose does not decide. Where Reloop differs on purpose, a case says
why (`differs`): either what it does then (`expect`: fields that replace those recorded), or how AgentExecutor has to be
set up to do the same (`likeOptions`, `likeReplies`), and that is recorded as `expected`.
"""

import json
import logging
import os
import re
import sys
import warnings
from pathlib import Path

os.environ["LANGSMITH_TRACING"] = "false"
sys.dont_write_bytecode = True
warnings.filterwarnings = lambda *_, **__: None  # LangChain turns its own warnings on again
warnings.simplefilter("ignore")

import agents
import cases_conversational
import cases_structured_chat
import cases_tool_calling
import cases_zero_shot
import tools as tool_set
from langchain_core.messages import AIMessage, HumanMessage
from server import ScriptedServer

CASES = {
    "zero-shot": cases_zero_shot.CASES,
    "structured-chat": cases_structured_chat.CASES,
    "conversational": cases_conversational.CASES,
    "tool-calling": cases_tool_calling.CASES,
}
logging.disable(logging.WARNING)
# Our error messages end without it.
TROUBLESHOOTING = re.compile(r"\nFor troubleshooting, visit: \S+ ")


def main():
    server = ScriptedServer()
    for kind in sys.argv[1:] or CASES:
        names = [case["name"] for case in CASES[kind]]
        if len(set(names)) < len(names):
            raise SystemExit(f"{kind}: two cases have one name")
        recorded = [record(kind, case, server) for case in CASES[kind]]
        path = Path(__file__).parent / "fixtures" / f"{kind}.json"
        path.write_text(json.dumps({"kind": kind, "cases": recorded}, indent=1, ensure_ascii=False) + "\n")
        print(f"{path.name}: {len(recorded)} cases")


def record(kind, case, server):
    recorded = run(kind, case, server)
    differs = case.get("differs")
    if differs is None:
        return {**case, "recorded": recorded}
    options = {**case.get("options", {}), **differs.get("likeOptions", {})}
    like = {**case, "options": options, "replies": differs.get("likeReplies", case["replies"])}
    expected = run(kind, like, server) if differs.keys() & {"likeOptions", "likeReplies"} else recorded
    kept = {key: value for key, value in differs.items() if key == "reason"}
    if "expect" in differs and differs["expect"].get("error", True) is None:
        expected = {key: value for key, value in expected.items() if key != "error"}
    replaced = {key: value for key, value in differs.get("expect", {}).items() if value is not None or key == "output"}
    return {**case, "recorded": recorded, "differs": {**kept, "expected": {**expected, **replaced}}}


def run(kind, case, server):
    """One case: the earlier questions of its conversation first, then the one that is recorded."""
    options = case.get("options", {})
    tools = [tool_set.make(name, options) for name in case["tools"]]
    chain = agents.executor(kind, tools, options, server.url)
    for earlier in case.get("earlier", []):
        server.play(earlier["replies"])
        try:
            chain.invoke({"input": earlier["input"]})
        except Exception:
            pass  # what a failed run leaves in the memory is the point
    server.play(case["replies"])
    given = {"chat_history": history(case["chatHistory"])} if "chatHistory" in case else {}
    if given and chain.memory is not None:
        chain.memory.chat_memory.messages = given.pop("chat_history")
    try:
        result = outcome(chain.invoke({"input": case["input"], **given}))
    except Exception as error:
        result = {"error": {"type": type(error).__name__, "message": str(error)}}
    requests = [agents.essence(kind, case["input"], body) for body in server.requests]
    return without_link({**result, "modelCalls": len(requests), "requests": requests})


def history(messages):
    return [(HumanMessage if m["role"] == "user" else AIMessage)(m["content"]) for m in messages]


def outcome(result):
    return {"output": raw(result["output"]), "steps": [step(*pair) for pair in result["intermediate_steps"]]}


def step(action, observation):
    given = {"tool": action.tool, "toolInput": action.tool_input}
    return {**given, "log": action.log, "observation": raw(observation)}


def without_link(value):
    if isinstance(value, dict):
        return {key: without_link(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_link(part) for part in value]
    return TROUBLESHOOTING.sub("", value) if isinstance(value, str) else value


def raw(value):
    return value.value if isinstance(value, tool_set.Said) else value


if __name__ == "__main__":
    main()
