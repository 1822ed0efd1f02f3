import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PythonEnded, openChannel } from '../../tools/python/channel.ts';
import { stripFence } from '../../tools/python/strip-fence.ts';

describe('the channel to an interpreter', () => {
  let ours: Socket;
  let interpreter: Socket;
  beforeEach(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ours = connect((server.address() as AddressInfo).port, '127.0.0.1'); // a TCP server's
    [interpreter] = (await once(server, 'connection')) as [Socket]; // what this event gives
    interpreter.on('error', () => undefined);
    server.close();
  });
  afterEach(() => {
    ours.destroy();
    interpreter.destroy();
  });

  it('puts an answer together from its pieces', async () => {
    const asked = openChannel(ours).ask({});
    const answer = JSON.stringify({ output: `ä${'x'.repeat(200_000)}` });
    interpreter.write(answer.slice(0, 100_000));
    interpreter.write(`${answer.slice(100_000)}\n`);
    expect(await asked).toHaveLength(200_001);
  });

  it('takes the longest answer that an interpreter gives', async () => {
    const asked = openChannel(ours).ask({});
    interpreter.write(`${JSON.stringify({ output: '\0'.repeat(2_000_000) })}\n`);
    expect(await asked).toHaveLength(2_000_000);
  });

  it('is hung up when a line does not end: the call fails, this process does not', async () => {
    const channel = openChannel(ours);
    const asked = channel.ask({});
    for (let n = 0; n < 20; n++) interpreter.write('x'.repeat(1_000_000));
    await expect(asked).rejects.toThrow(PythonEnded);
    expect(channel.isOpen()).toBe(false);
  });
});

describe('a fence around code', () => {
  it.each([
    ['backticks', '`'.repeat(100_000)],
    ['backticks before a letter', `${'`'.repeat(100_000)}x`],
    ['fences with blanks between them', '``` '.repeat(25_000)],
    ['a fence and blank lines', `\`\`\`python${'\n'.repeat(100_000)}x`],
    ['lines of blanks in a fence', `\`\`\`\n${' \n'.repeat(50_000)}x`],
    ['blanks', ' '.repeat(100_000)],
    ['blank lines before a letter', `${'\n'.repeat(100_000)}x`],
  ])('of %s is read in one go', (_what, input) => {
    expect(stripFence(input).length).toBeLessThanOrEqual(input.length);
  });
});
