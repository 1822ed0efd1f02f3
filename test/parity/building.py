"""How cases are written down."""

import json

INVALID = "<invalid input>"
QUESTION = "What is asked?"

# Each says what Reloop does on purpose, and how AgentExecutor does the same.
CUT_ON_CLIENT = "stop strings are enforced on the client too"
TOOL_ERRORS = "a tool's error does not end the run: the model is told (onFailure 'observe')"
INVALID_INPUT = "invalid input does not end the run: the model is told, in our words"
ONE_TEXT = "one text is taken for a list of texts"
COERCED = "a text for a tool with one field is read as the field's type, not only checked"
JSON_TEXT = "what is not text is JSON text in prompts, not Python's str()"
JSON_OBJECT = "a text that is a JSON object of the tool's fields is that object, as the tool's schema asks for it"
CLOSING_QUOTE = "'Thought:' has the closing quote that the legacy agent's parser forgets"
ALL_STEPS = "the closing call too is shown the last steps only"
GENERATE = "earlyStopping 'generate' works for every kind"
CLOSING = "I now need to return a final answer based on the previous steps:"


def case(name, replies, tools=("Search", "echo"), input=QUESTION, differs=None, earlier=None, chatHistory=None, **options):
    fields = {"name": name, "tools": list(tools), "input": input, "replies": replies}
    more = {"options": options, "earlier": earlier, "chatHistory": chatHistory, "differs": differs}
    return fields | {key: value for key, value in more.items() if value}


def cut_on_client(replies):
    """As if the server had cut the replies itself."""
    return {"reason": CUT_ON_CLIENT, "likeReplies": [r if isinstance(r, str) else r["text"] for r in replies]}


def tool_error(says):
    return {"reason": TOOL_ERRORS, "likeOptions": {"toolErrorSays": says}}


def invalid():
    """What exactly is said is left open: test/support/parity.ts puts `INVALID` in its place."""
    return {"reason": INVALID_INPUT, "likeOptions": {"invalidSays": INVALID}}


def one_text(says):
    """LangChain refuses one text for a list of texts; the tool gets a list of one."""
    return {"reason": ONE_TEXT, "likeOptions": {"invalidSays": says}}


def not_one_string():
    """The same, for an object that a tool of one plain string cannot take: LangChain's tool has an error then."""
    return {"reason": INVALID_INPUT, "likeOptions": {"toolErrorSays": INVALID}}


def closing_quote():
    return {"reason": CLOSING_QUOTE, "likeOptions": {"closingQuote": True}}


def coerced():
    return {"reason": COERCED, "likeOptions": {"coerceText": True}}


def json_text():
    return {"reason": JSON_TEXT, "likeOptions": {"showJson": True}}


def ignoring_stop(*texts):
    return [{"text": text, "ignoreStop": True} for text in texts]


def act(tool, given, thought=" I should look."):
    return f"{thought}\nAction: {tool}\nAction Input: {given}"


def answer(text):
    return f" I now know the final answer\nFinal Answer: {text}"


def blob(action, given, fence="```"):
    text = json.dumps({"action": action, "action_input": given}, ensure_ascii=False)
    return f"{fence}\n{text}\n```"


def thought(action, given, said="I should look."):
    return f"Thought: {said}\nAction:\n{blob(action, given)}"


def final(text):
    return blob("Final Answer", text)


def calls(*named, text=""):
    """Native tool calls: (id, name, arguments) each."""
    made = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in named]
    return {"toolCalls": made, **({"text": text} if text else {})}
