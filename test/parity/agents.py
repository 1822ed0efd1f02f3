"""One AgentExecutor per kind, and what of its requests is compared: not the prose, which is each project's own."""

import json
import re

from langchain_classic.agents import AgentExecutor, create_structured_chat_agent, create_tool_calling_agent
from langchain_classic.agents.conversational_chat.base import ConversationalChatAgent
from langchain_classic.agents.mrkl import output_parser as mrkl
from langchain_classic.agents.mrkl.base import ZeroShotAgent
from langchain_classic.memory import ConversationBufferMemory
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_openai import ChatOpenAI, OpenAI

MISSING_ACTION = mrkl.MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE
REMINDER = "\n (reminder to respond in a JSON blob)"


def executor(kind, tools, options, url):
    """`options` are named as Reloop's."""
    model = OpenAI if options.get("api") == "completions" else ChatOpenAI
    llm = model(model="gpt-4o-mini", base_url=url, api_key="sk-none", temperature=0)
    settings = {
        "handle_parsing_errors": options.get("handleParsingErrors", True),
        "max_iterations": options.get("maxIterations", 15),
        "early_stopping_method": options.get("earlyStopping", "force"),
        "trim_intermediate_steps": options.get("trimIntermediateSteps", -1),
        "return_intermediate_steps": True,
    }
    if "maxExecutionTime" in options:
        settings["max_execution_time"] = options["maxExecutionTime"]
    agent, more = AGENTS[kind](llm, tools, options)
    return AgentExecutor(agent=agent, tools=tools, **settings, **more)


def zero_shot(llm, tools, options):
    # The parser of this agent forgets the quote at the end of the sentence, unlike create_react_agent's.
    mrkl.MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE = MISSING_ACTION + ("'" if options.get("closingQuote") else "")
    return ZeroShotAgent.from_llm_and_tools(llm, tools), {}


def structured_chat(llm, tools, options):
    messages = [
        ("system", "Tools: {tools} named {tool_names}"),
        MessagesPlaceholder("chat_history", optional=True),
        ("human", "{input}\n\n{agent_scratchpad}" + REMINDER),
    ]
    agent = create_structured_chat_agent(llm, tools, ChatPromptTemplate.from_messages(messages))
    return agent, {"stream_runnable": options.get("stream", True)}


def conversational(llm, tools, _options):
    memory = ConversationBufferMemory(memory_key="chat_history", return_messages=True, output_key="output")
    return ConversationalChatAgent.from_llm_and_tools(llm, tools), {"memory": memory}


def tool_calling(llm, tools, options):
    messages = [
        ("system", "Help."),
        MessagesPlaceholder("chat_history", optional=True),
        ("human", "{input}"),
        MessagesPlaceholder("agent_scratchpad"),
    ]
    agent = create_tool_calling_agent(llm, tools, ChatPromptTemplate.from_messages(messages))
    return agent, {"stream_runnable": options.get("stream", True)}


AGENTS = {
    "zero-shot": zero_shot,
    "structured-chat": structured_chat,
    "conversational": conversational,
    "tool-calling": tool_calling,
}


def essence(kind, question, body):
    """What of a request has to be the same: history, scratchpad, stop strings, tools."""
    stop = {"stop": body["stop"]} if body.get("stop") else {}
    messages = body.get("messages", [])
    if kind == "zero-shot":
        text = messages[0]["content"] if messages else body["prompt"][0]
        named = re.search(r"one of \[(.*)\]", text)[1]
        return {"named": named, "scratchpad": after(f"Question: {question}\nThought:", text), **stop}
    if kind == "structured-chat":
        text = messages[-1]["content"].removesuffix(REMINDER)
        return {"history": [plain(m) for m in messages[1:-1]], "scratchpad": after(f"{question}\n\n", text), **stop}
    asked = (lambda m: m["content"] == question) if kind == "tool-calling" else (lambda m: is_question(m, question))
    place = max(at for at, message in enumerate(messages) if message["role"] == "user" and asked(message))
    tools = {"tools": {t["function"]["name"]: parameters(t) for t in body["tools"]}} if body.get("tools") else {}
    history = [plain(message) for message in messages[1:place]]
    return {"history": history, "messages": [plain(message) for message in messages[place + 1 :]], **stop, **tools}


def after(mark, text):
    head, found, rest = text.partition(mark)
    if not found:
        raise ValueError(f"{mark!r} is not in {text!r}")
    return rest


def is_question(message, question):
    return message["content"].endswith(f"\n\n{question}") and message["content"].startswith("TOOLS\n")


def plain(message):
    """Arguments are compared as values; of a framed observation, the observation."""
    content = message.get("content")
    framed = "TOOL RESPONSE:\n---------------------\n"
    if message["role"] == "user" and content.startswith(framed):
        content = {"toolResponse": content.removeprefix(framed).rpartition("\n\nUSER'S INPUT\n")[0]}
    result = {"role": message["role"], "content": content}
    if message.get("tool_calls"):
        calls = [(call["id"], call["function"]) for call in message["tool_calls"]]
        result["toolCalls"] = [{"id": id, "name": f["name"], "arguments": value(f["arguments"])} for id, f in calls]
    if "tool_call_id" in message:
        result["toolCallId"] = message["tool_call_id"]
    return result


def value(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def parameters(tool):
    """Names and types of a tool's arguments, and which of them it needs."""
    schema = tool["function"]["parameters"]
    names = {name: field.get("type", "any") for name, field in schema.get("properties", {}).items()}
    return {"properties": names, "required": sorted(schema.get("required", []))}
