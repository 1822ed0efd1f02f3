/** `npm start`: seed 000's question on the embedded server; `npm start -- "any question"` asks a real model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { hasRealModel } from './demo-model.ts';
import { fibonacciQuestion } from './fibonacci.ts';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const [question = fibonacciQuestion] = process.argv.slice(2);
const id = `fibonacci-${Date.now()}`;

if (question !== fibonacciQuestion && !hasRealModel) {
  console.error(
    'Without a key there is only the scripted model, and it knows one question. Set OPENAI_API_KEY (or OPENAI_BASE_URL) to ask your own.',
  );
  process.exitCode = 2;
} else {
  const command = [main, 'run', 'fibonacci', question, '--id', id];
  const [code] = (await once(
    spawn(process.execPath, command, { cwd: import.meta.dirname, stdio: 'inherit' }),
    'close',
  )) as [number | null]; // Node's own event
  if (code === 0) {
    console.error(
      `\nLook at it: npm run dev, and in the Web UI that it names /namespaces/default/workflows/${id}`,
    );
  }
  process.exitCode = code ?? 1;
}
