/** A webhook of Reloop becomes an e-mail: a call waits, or a run has failed. */
import { createTransport } from 'nodemailer';
import { Webhook } from 'standardwebhooks';

interface Settings {
  /** Secret of the webhook in the config, with `on: ['waiting', 'failed']`. */
  webhookSecret: string;
  /** `smtps://user:password@mail.example.com` */
  smtp: string;
  from: string;
  to: string;
}

interface Notice {
  type: string;
  data: {
    id: string;
    agent: string;
    url?: string;
    waiting?: { call: string; tool: string; toolInput: unknown; reason: string; decisions: string[] };
    error?: { type: string; message: string };
  };
}

export function mailNotice({ webhookSecret, smtp, from, to }: Settings) {
  const mail = createTransport(smtp);
  return async (request: Request): Promise<Response> => {
    const body = await request.text();
    new Webhook(webhookSecret).verify(body, Object.fromEntries(request.headers));
    const { type, data } = JSON.parse(body) as Notice;
    await mail.sendMail({
      from,
      to,
      // The same webhook again is the same mail: mail programs show it once.
      messageId: `<${request.headers.get('webhook-id')}@reloop>`,
      subject: `${data.id}: ${type === 'run.waiting' ? `${data.waiting?.tool} waits for you` : 'failed'}`,
      text: textOf(data),
    });
    return new Response(null, { status: 204 });
  };
}

function textOf({ id, agent, url, waiting, error }: Notice['data']): string {
  const lines = [`Agent ${agent}, run ${id}`, url];
  if (error !== undefined) lines.push(`${error.type}: ${error.message}`);
  if (waiting !== undefined) {
    const { call, tool, toolInput, reason, decisions } = waiting;
    lines.push(`${tool} (${call}), ${reason}: ${JSON.stringify(toolInput)}`, '');
    const words = [...(id.startsWith('-') ? ['--'] : []), quoted(id), call].join(' ');
    lines.push(...decisions.map((decision) => `reloop ${decision} ${words}`));
  }
  return lines.filter((line) => line !== undefined).join('\n');
}

/** A word for a shell: who starts a run may choose its id. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
