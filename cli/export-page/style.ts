/** The page's look: system fonts, one column, light and dark as the reader's system has it. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --ink: #1b2129; --dim: #5b6673; --line: #dde2e8; --code: #f3f5f7;
  --model: #3f6fd8; --tool: #0f8f7e; --wait: #c07a00; --bad: #c5303c; --good: #1d7f45; --quiet: #66707c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --card: #1a2027; --ink: #e3e8ee; --dim: #97a3b1; --line: #2d3640; --code: #141a20;
    --model: #7aa2ff; --tool: #3cc4ae; --wait: #e5a83b; --bad: #ff7b81; --good: #56c883; --quiet: #9aa5b1;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 1320px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 28px; }
footer { padding-top: 24px; padding-bottom: 40px; color: var(--dim); font-size: 13px; }
h1 { margin: 0; font-size: 24px; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 28px 0 10px; font-size: 16px; }
.card > h2 { margin-top: 0; }
h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; margin: 0; font-size: 15px; overflow-wrap: anywhere; }
h4 { margin: 0 0 3px; color: var(--dim); font-size: 12px; font-weight: 600; }
p { margin: 6px 0; }
a { color: var(--model); }
code, pre, .number { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: 8px 10px; max-height: 26rem; overflow: auto; background: var(--code); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.prose pre { font: inherit; }
pre.bad { border-left: 3px solid var(--bad); }
.card { margin-top: 16px; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.block { margin: 10px 0 0; }
.card > .block:first-child { margin-top: 0; }
.meta, .facts, .dim { color: var(--dim); }
.meta, .facts { font-size: 13px; font-weight: 400; overflow-wrap: anywhere; }
.note { color: var(--dim); font-size: 13px; }
.note.warn { color: var(--wait); }
dl { display: flex; flex-wrap: wrap; gap: 10px 32px; margin: 16px 0 0; }
dt { color: var(--dim); font-size: 12px; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.badge { display: inline-block; padding: 0 8px; border: 1px solid currentColor; border-radius: 10px; font-size: 12px; font-weight: 600; line-height: 18px; white-space: nowrap; vertical-align: 1px; }
.badge.good { color: var(--good); } .badge.bad { color: var(--bad); } .badge.wait { color: var(--wait); }
.badge.busy { color: var(--model); } .badge.quiet { color: var(--quiet); }
svg { display: block; width: 100%; height: 14px; background: var(--code); border-radius: 3px; }
path.model { fill: var(--model); } path.tool { fill: var(--tool); } path.wait { fill: var(--wait); }
path.gap { fill: var(--line); }
.lanes { display: grid; grid-template-columns: max-content 1fr; align-items: center; gap: 6px 14px; font-size: 13px; }
.lane b { font-weight: 600; font-variant-numeric: tabular-nums; }
.turns { background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.turn { content-visibility: auto; contain-intrinsic-size: auto 37px; border-top: 1px solid var(--line); }
.told { padding: 7px 14px; border-top: 1px solid var(--line); border-left: 3px solid var(--model); overflow-wrap: anywhere; }
.turns > :first-child { border-top: 0; }
summary { cursor: pointer; }
.turn > summary { display: grid; grid-template-columns: 3.6em minmax(0, 1fr) 14em 26%; align-items: center; gap: 12px; padding: 7px 14px; list-style: none; }
.turn > summary::-webkit-details-marker { display: none; }
.turn > summary:hover, .turn[open] > summary { background: var(--code); }
summary:focus-visible { outline: 2px solid var(--model); outline-offset: -2px; }
.number { color: var(--dim); }
.turn > summary .number::before { content: '▸ '; }
.turn[open] > summary .number::before { content: '▾ '; }
.what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.what b { margin-right: 4px; } .what .badge { margin-right: 6px; }
.cost { text-align: right; font-variant-numeric: tabular-nums; }
.body { padding: 4px 14px 16px; }
.call { margin-top: 14px; padding: 12px 0 0 14px; border-left: 3px solid var(--tool); }
.call:target, .turn:target { background: var(--code); }
.fold { margin-top: 10px; }
.fold > summary, .sub > summary { padding: 4px 0; }
.sub { margin-top: 10px; padding: 4px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--page); }
.sub > .body { padding: 0 0 8px; }
.notes { margin: 10px 0 0; padding: 0; list-style: none; }
.notes li { margin-top: 8px; overflow-wrap: anywhere; }
.notes pre { margin-top: 4px; }
time { color: var(--dim); font-size: 13px; }
.message { margin-top: 6px; }
ul { margin: 6px 0; padding-left: 20px; }
@media print { .turn { content-visibility: visible; } }
@media (max-width: 700px) {
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  .card { padding: 12px; }
  .turn { contain-intrinsic-size: auto 74px; }
  .turn > summary { grid-template-columns: auto minmax(0, 1fr); gap: 4px 10px; padding: 8px 10px; }
  .turn > summary .cost { grid-column: 2; text-align: left; }
  .turn > summary .bar { grid-column: 1 / -1; height: 8px; }
  .body { padding: 4px 10px 14px; }
  .call { padding-left: 10px; }
  .sub { padding: 4px 8px; }
  .lanes { grid-template-columns: 1fr; gap: 2px; }
  .lane { margin-top: 6px; }
}
`;
