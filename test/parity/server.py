"""A model server on the loopback interface that says what a list says, in the OpenAI protocol.

Replies have the shape of `ScriptedReply` in models/scripted-script.ts: a text, or an object with `text`, `toolCalls`,
`ignoreStop`, `status` and `error`. Like the real API it cuts at the request's stop strings, unless told to ignore them.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedServer:
    """Answers requests in the order in which they come; `requests` holds the body of each."""

    def __init__(self):
        self.requests = []
        self.replies = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                scripted.answer(self, body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def play(self, replies):
        """Begins a new script."""
        self.requests = []
        self.replies = list(replies)

    def answer(self, handler, body):
        place = len(self.requests)
        self.requests.append(body)
        if place >= len(self.replies):
            return send(handler, 400, failure({"message": f"The script has {len(self.replies)} replies."}))
        reply = self.replies[place]
        reply = {"text": reply} if isinstance(reply, str) else reply
        if "status" in reply:
            return send(handler, reply["status"], failure(reply.get("error", {"message": "Scripted error."})))
        chat = handler.path.endswith("/chat/completions")
        text = cut(reply.get("text", ""), body.get("stop"), reply.get("ignoreStop", False))
        calls = [tool_call(call) for call in reply.get("toolCalls", [])]
        finish = "tool_calls" if calls else "stop"
        if body.get("stream"):
            return stream(handler, events(chat, text, calls, finish))
        message = {"role": "assistant", "content": text or (None if calls else "")}
        if calls:
            message["tool_calls"] = calls
        choice = {"message": message} if chat else {"text": text}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choices = [{"index": 0, **choice, "finish_reason": finish}]
        send(handler, 200, {**head(chat, False), "choices": choices, "usage": usage})


def cut(text, stops, ignore):
    stops = [stops] if isinstance(stops, str) else stops or []
    places = [] if ignore else [text.find(stop) for stop in stops]
    return text[: min([place for place in places if place >= 0], default=len(text))]


def tool_call(call):
    arguments = call["arguments"]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": text}}


def events(chat, text, calls, finish):
    """The chunks of a stream: the text in pieces of seven characters, then each call's name and its arguments in halves."""
    contents = [text[at : at + 7] for at in range(0, len(text), 7)]
    deltas = [{"role": "assistant", "content": piece} for piece in contents]
    for index, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        half = (len(arguments) + 1) // 2
        named = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        for part in (named, {"function": {"arguments": arguments[:half]}}, {"function": {"arguments": arguments[half:]}}):
            deltas.append({"tool_calls": [{"index": index, **part}]})
    parts = [{"delta": delta} for delta in deltas] if chat else [{"text": piece} for piece in contents]
    ends = [{"delta": {}} if chat else {"text": ""}]
    for part in parts:
        yield {**head(chat, True), "choices": [{"index": 0, **part, "finish_reason": None}]}
    for part in ends:
        yield {**head(chat, True), "choices": [{"index": 0, **part, "finish_reason": finish}]}


def head(chat, chunk):
    kind = ("chat.completion.chunk" if chunk else "chat.completion") if chat else "text_completion"
    return {"id": "scripted", "object": kind, "created": 0, "model": "scripted"}


def failure(error):
    return {"error": {"type": "scripted_error", "param": None, "code": None, **error}}


def send(handler, status, body):
    data = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def stream(handler, chunks):
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    for chunk in chunks:
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")
