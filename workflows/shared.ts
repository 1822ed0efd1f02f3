/**
 * Modules of the loop that hold nothing of one run: a worker evaluates them once, and not for each run anew (the SDK's
 * `preloadModules`). What is exported there is frozen. Those that do hold something, agents.ts and call-header.ts, and who
 * imports them, each run has for itself.
 */
import '../agent/rules/approval.ts';
import '../agent/rules/doubt.ts';
import '../agent/rules/repeated.ts';
import './agent-session.ts';
import './at-limit.ts';
import './backtest.ts';
import './continue-due.ts';
import './control.ts';
import './deadline.ts';
import './dropped-effects.ts';
import './inbox.ts';
import './limit-wait.ts';
import './local-call.ts';
import './plan.ts';
import './recorded-call.ts';
import './resolve.ts';
import './status-writer.ts';
import './status.ts';
import './steering.ts';
import './sub-agent.ts';
import './turn.ts';
