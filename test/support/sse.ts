/** A message of a stream of server-sent events. */
export interface Message {
  id: string | undefined;
  event: string | undefined;
  data: { [field: string]: unknown };
}

/** What a response says, message by message, as a browser reads it. */
export async function* messagesOf(response: Response): AsyncGenerator<Message> {
  let rest = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks.filter((text) => !text.startsWith(':'))) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'mu').exec(block)?.[1];
      yield {
        id: field('id'),
        event: field('event'),
        data: JSON.parse(field('data') ?? '') as Message['data'],
      };
    }
  }
}
