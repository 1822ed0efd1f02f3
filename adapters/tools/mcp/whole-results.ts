import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * A transport whose results of `tools/call` reach the caller as the server sent them. The SDK (2.4.0) refuses a result of the type `task`,
 * and all of a result for one part of an unknown kind; it lets pass any `structuredContent`, so the result travels there.
 */
export function withWholeResults(inner: Transport): Transport {
  const calls = new Set<unknown>();
  const outer: Transport = {
    hasPerRequestStream: inner.hasPerRequestStream === true,
    start: () => inner.start(),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    get sessionId() {
      return inner.sessionId;
    },
    send(message, options) {
      if ('method' in message && 'id' in message && message.method === 'tools/call') calls.add(message.id);
      return inner.send(message, options);
    },
  };
  const passed: Pick<Transport, 'onmessage' | 'onerror' | 'onclose'> = {
    onmessage: (message, extra) => outer.onmessage?.(packed(message, calls), extra),
    onerror: (error) => outer.onerror?.(error),
    onclose: () => outer.onclose?.(),
  };
  Object.assign(inner, passed);
  // The SDK takes a transport with these fields for a process. It asks a process in the older way if the first question gets no answer, and so it does here.
  return Object.assign(outer, { pid: undefined, stderr: undefined });
}

function packed(message: JSONRPCMessage, calls: Set<unknown>): JSONRPCMessage {
  if ('method' in message || !calls.delete(message.id) || !('result' in message)) return message;
  const result = { resultType: 'complete', content: [], structuredContent: message.result };
  return { jsonrpc: '2.0', id: message.id, result };
}
