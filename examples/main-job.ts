/** `npm start`: seed 000's question on the embedded server; `npm start -- "any question"` asks a real model. */
import { main } from '../dist/client/cli/main.js';
import { hasRealModel } from './demo-model.ts';
import { fibonacciQuestion } from './fibonacci.ts';

const [question = fibonacciQuestion] = process.argv.slice(2);
if (question !== fibonacciQuestion && !hasRealModel) {
  console.error(
    'Without a key there is only the scripted model, which knows one question. Set OPENAI_API_KEY (or OPENAI_BASE_URL) to ask your own, or run `npm start` as it is.',
  );
  process.exitCode = 2;
} else {
  process.exitCode = await main(['run', 'fibonacci', question]);
}
