import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import { withoutSecrets } from '../../../agent/text/secrets.ts';
import { connectionProblem, wasNeverSent } from '../../../agent/values/http-exchange.ts';
import {
  type Circumstances,
  MCP_ERROR,
  REQUEST_TIMEOUT,
  isAnswer,
  saysNoSession,
  unreadableIn,
  wasNotDone,
  whyNot,
} from './error.ts';
import { answerInCall, headersOfCall, outsideOfCalls } from './call-under-way.ts';
import { httpTransport } from './http-transport.ts';
import { type McpProtocolVersion, type McpServer, type Revision, serverName } from './server-spec.ts';
import { secretsOfHeaders, secretsOf } from './server-secrets.ts';
import { CLIENT, clientOptions, connectOptions, nextRevision } from './revision.ts';
import { type StdioTransport, stdioTransport } from './stdio-transport.ts';
import { withWholeResults } from './whole-results.ts';

/** The way to one server: opened when it is first used, and again when it was lost. Keeps no finished process alive. */
export interface McpConnection {
  /**
   * Throws the server's own errors (McpError), without secrets, the signal's reason as it is, and McpUnavailable for all
   * that happens on the way. `task` is called again, in a new session, if the server refused it for not knowing the session.
   */
  use<T>(task: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Names the server in messages. */
  name: string;
  /** Removes the secrets of the server and of the call under way from a text, for messages. */
  hide(text: string): string;
}

/** The server could not be reached, or was lost; it may be there at the next attempt. */
class McpUnavailable extends Error {
  override name = 'McpUnavailable';
  /** The server certainly has not carried out the request. */
  readonly notDone: boolean;

  constructor(message: string, notDone: boolean) {
    super(message);
    this.notDone = notDone;
  }
}

/** The server does not know the session any more. MCP wants a client to start another one. */
class SessionGone extends McpUnavailable {}

/** `protocolVersion` undefined: the newest revision that the server speaks. */
export function mcpConnection(
  server: McpServer,
  timeoutMs: number,
  protocolVersion?: McpProtocolVersion,
): McpConnection {
  const secrets = secretsOf(server);
  const hide = (text: string) =>
    withoutSecrets(text, [...secrets, ...secretsOfHeaders(headersOfCall() ?? {})]);
  let current: Promise<OpenConnection> | undefined;

  const connected = () => {
    const opening = outsideOfCalls(() =>
      open(server, { timeoutMs, hide, protocolVersion }, () => {
        if (current === opening) current = undefined;
      }),
    );
    current = opening;
    return opening;
  };

  const useOnce: McpConnection['use'] = async (task, signal) => {
    const link = await (current ?? connected());
    link.users++;
    link.process?.keepAlive(true);
    try {
      return await task(link.client);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (isAnswer(error)) throw withHidden(error, hide);
      if (unreadableIn(error) === undefined) link.forget();
      throw unavailable(server, error, link.seen());
    } finally {
      link.users--;
      link.process?.keepAlive(link.users > 0);
      // Close only after the last call: the failure of one call does not end the others.
      if (link.forgotten() && link.users === 0) await link.client.close();
    }
  };

  return {
    use: (task, signal) =>
      useOnce(task, signal).catch((error: unknown) => {
        if (error instanceof SessionGone) return useOnce(task, signal);
        throw error;
      }),
    name: serverName(server),
    hide,
  };
}

interface OpenConnection {
  client: Client;
  /** Process of a server that was started here. */
  process: StdioTransport | undefined;
  users: number;
  /** No further call uses it. */
  forget(): void;
  forgotten(): boolean;
  seen(): Circumstances;
}

interface OpenOptions extends Pick<Circumstances, 'timeoutMs' | 'hide'> {
  protocolVersion: McpProtocolVersion | undefined;
}

/** Throws McpUnavailable. `forget` is called as soon as the link is of no more use. */
async function open(server: McpServer, options: OpenOptions, forget: () => void): Promise<OpenConnection> {
  const late = lateness(options.timeoutMs);
  const tried: Revision[] = [];
  let revision: Revision = options.protocolVersion ?? 'any';
  try {
    for (;;) {
      const { link, connected } = await begin(server, { ...options, revision, forget });
      try {
        await Promise.race([connected, late.over]);
        return link;
      } catch (error) {
        link.forget();
        void link.client.close();
        tried.push(revision);
        const next = nextRevision(error, tried);
        if (next === undefined) {
          const message = messageOf(server, error, link.seen());
          throw new McpUnavailable(`${message}${onlyVersion(error, options.protocolVersion)}`, true);
        }
        revision = next;
      }
    }
  } finally {
    late.clear();
  }
}

/** A note about the option, which may be the reason why a server does not take the connection. */
function onlyVersion(error: unknown, version: McpProtocolVersion | undefined): string {
  if (version === undefined || wasNeverSent(connectionProblem(error))) return '';
  return ` (mcp() speaks only ${version} with it: see its option protocolVersion)`;
}

/** Starts to connect; `connected` settles with the result. */
async function begin(
  server: McpServer,
  {
    timeoutMs,
    hide,
    revision,
    forget,
  }: Pick<OpenOptions, 'timeoutMs' | 'hide'> & { revision: Revision; forget(): void },
): Promise<{ link: OpenConnection; connected: Promise<void> }> {
  const { Client: SdkClient } = await import('@modelcontextprotocol/client');
  const transport = 'url' in server ? await httpTransport(server) : await stdioTransport(server);
  const process = 'keepAlive' in transport ? transport : undefined;
  const whole = withWholeResults(transport);
  const client = new SdkClient(CLIENT, clientOptions(revision, timeoutMs));
  // The server's error for the call then names the request, instead of `Method not found`.
  client.fallbackRequestHandler = ({ method }) => Promise.reject(unanswered(method));
  client.setRequestHandler('elicitation/create', ({ method, params }) => {
    const answer = answerInCall(client, params);
    if (answer === undefined) throw unanswered(method);
    return { ...answer } as ElicitResult; // its content was checked against the question's form
  });
  let unreadable = '';
  let forgotten = false;
  const leave = () => {
    forgotten = true;
    forget();
  };
  Object.assign(whole, {
    onclose: leave,
    onerror: ({ message }: Error) => {
      unreadable = message;
    },
  });
  const seen = () => ({
    timeoutMs,
    complaint: process?.complaint() ?? '',
    unreadable,
    inSession: transport.sessionId !== undefined,
    hide,
  });
  const link = { client, process, users: 0, forget: leave, forgotten: () => forgotten, seen };
  return { link, connected: client.connect(whole, connectOptions(revision, timeoutMs)) };
}

/** Rejects after this time as the SDK does, whose own clock counts for the first of several requests only. */
function lateness(timeoutMs: number): { over: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('late'), { code: REQUEST_TIMEOUT })), timeoutMs);
  });
  over.catch(() => undefined); // between two connections no caller waits for it
  return { over, clear: () => clearTimeout(timer) };
}

/** Keeps the error object: its code and stack name the cause. The name is the one that histories have had since the SDK's first version. */
function withHidden(error: unknown, hide: (text: string) => string): unknown {
  if (error instanceof Error) Object.assign(error, { name: MCP_ERROR, message: hide(error.message) });
  return error;
}

/** No `cause`, since its message would be recorded with the server's secrets. */
function unavailable(server: McpServer, error: unknown, seen: Circumstances): McpUnavailable {
  const Unavailable = saysNoSession(error, seen.inSession) ? SessionGone : McpUnavailable;
  return new Unavailable(messageOf(server, error, seen), wasNotDone(error, seen.inSession));
}

function messageOf(server: McpServer, error: unknown, seen: Circumstances): string {
  return `MCP server ${serverName(server)}: ${whyNot(error, seen)}`;
}

/** JSON-RPC's code for an unknown method. */
const METHOD_NOT_FOUND = -32_601;

function unanswered(method: string): Error {
  return Object.assign(new Error(`Reloop's client does not answer ${method}`), { code: METHOD_NOT_FOUND });
}
