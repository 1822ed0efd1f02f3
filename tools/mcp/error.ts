/** Why a server could not be used, as a sentence's end. Errors are told by their fields: the SDK is loaded late. */
export function whyNot(error: unknown, { hide, timeoutMs, ...said }: Circumstances): string {
  const { code, name } = fieldsOf(error);
  // First of all, as what is cut is not found any more.
  const message = hide(fieldsOf(error).message);
  const [complaint, unreadable] = [hide(said.complaint), hide(said.unreadable)];
  if (code === REQUEST_TIMEOUT) {
    return `it did not answer within ${timeoutMs / 1000} s${complaint === '' ? '' : ` and said: ${complaint}`}${hint(unreadable)}`;
  }
  if (code === CONNECTION_CLOSED || code === 'EPIPE') {
    return complaint === '' ? `it ended without a word${hint(unreadable)}` : `it ended, saying: ${complaint}`;
  }
  if (code === 401 || code === 403) return `it refuses us (HTTP ${code}): check its headers`;
  if (code === 404 || code === 405)
    return `nothing speaks MCP there, or it forgot us (HTTP ${code}): check the path of its url`;
  if (code === UNEXPECTED_CONTENT || name === 'ZodError' || name === '$ZodError' || name === 'SyntaxError') {
    return `what it says is not MCP: ${firstLine(message)}`;
  }
  return `${firstLine(message)}${hide(causeOf(error))}`;
}

export interface Circumstances {
  timeoutMs: number;
  /** What its process wrote to standard error at last. */
  complaint: string;
  /** What is wrong with what it said, if it said something that is no message. */
  unreadable: string;
  /** A text without what the server was given and may repeat. */
  hide(text: string): string;
}

/** JSON-RPC codes of MCP; the last is the SDK's, for an answer of another content type. */
const CONNECTION_CLOSED = -32_000;
const REQUEST_TIMEOUT = -32_001;
const INVALID_PARAMS = -32_602;
const UNEXPECTED_CONTENT = -1;

/** What the server says of the model's input, if that is at fault. */
export function complaintOfInput(error: unknown): string | undefined {
  const { name, code, message } = fieldsOf(error);
  if (name !== 'McpError' || code !== INVALID_PARAMS) return undefined;
  return message.replace(/^(?:MCP error -?\d+: )+/u, '');
}

/** Whether the server answered, though with an error: the connection is as good as before. */
export function isAnswer(error: unknown): boolean {
  const { name, code } = fieldsOf(error);
  return name === 'McpError' && code !== CONNECTION_CLOSED && code !== REQUEST_TIMEOUT;
}

interface ErrorFields {
  name: string;
  message: string;
  code: unknown;
}

function fieldsOf(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: '', message: String(error), code: undefined };
  const { name, message } = error;
  return { name, message, code: 'code' in error ? error.code : undefined };
}

function hint(unreadable: string): string {
  return unreadable === '' ? '' : `; what it printed is not MCP (${firstLine(unreadable)})`;
}

/** `fetch failed` alone says nothing. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? ` (${causeText(error.cause)})` : '';
}

function causeText(cause: Error): string {
  return cause.message === '' ? String(fieldsOf(cause).code) : cause.message;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}
