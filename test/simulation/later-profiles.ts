import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';

/** Replaces the profile of some seeds. All other seeds keep their stories when a profile is added below. */
export function laterProfileOf(profile: Profile, own: Random): Profile {
  const usual = own.chance(PLAIN) ? profile : options;
  const early = own.chance(EARLY) ? usual : lateFailures;
  const brought = own.fork().chance(CLIENT_TOOLS) ? clientTools : early;
  const later = own.fork().chance(BACKGROUND) ? background : brought;
  return own.fork().chance(UNLIMITED) ? later : budgets;
}

/** Agents and configs with options that few users combine, and deploys without an agent. */
const options: Profile = {
  name: 'options',
  options: 0.3,
  deploys: 0.7,
  size: 'usual',
  clears: true,
  edits: 0.5,
  speaksToChildren: true,
  faults: { outage: 0.03 },
};
/** Share of the seeds that do not have this profile. */
const PLAIN = 0.9;

/** Calls of models and tools take long, store checkpoints and fail late, after their workers have sent heartbeats. */
const lateFailures: Profile = {
  name: 'late failures',
  tools: ['late', 'read'],
  favourite: 'late',
  slowestMs: 20_000,
  failingModel: 0.3,
  size: 'usual',
  habits: { cancel: 0, cancelCall: 0, rewind: 0.01 },
};
/** Share of the seeds that do not have this profile. */
const EARLY = 0.95;

/** The owner of a run carries out some of its calls, while workers die, and the run continues as new and goes back. */
const clientTools: Profile = {
  name: 'client tools',
  tools: ['read', 'mail'],
  bringsTools: true,
  favourite: 'choose_colour',
  suggestedLength: 40,
  handoffs: 0.3,
  size: 'usual',
  timeLimits: 0.1,
  habits: { rewind: 0.05, cancel: 0.01 },
  faults: { kill: 0.3, freeze: 0.3, cutOff: 0.3 },
  restarts: 0.7,
};
/** Share of the seeds that have this profile, whatever profile they had. */
const CLIENT_TOOLS = 0.03;

/** The model continues while its calls run, and people, deaths and limits come in between. */
const background: Profile = {
  name: 'background',
  tools: ['read', 'mail', 'order', 'long', 'flaky', 'hand', 'fatal'],
  background: 0.6,
  hasHelper: true,
  suggestedLength: 100,
  compaction: 0.2,
  handoffs: 0.3,
  size: 'usual',
  habits: { rewind: 0.06, say: 0.05, pause: 0.05, cancel: 0.02 },
  faults: { kill: 0.3, freeze: 0.2, cutOff: 0.2 },
  restarts: 0.7,
  edits: 0.3,
};
/** Share of the seeds that have this profile, whatever profile they had. */
const BACKGROUND = 0.05;

/** Budgets that many model calls use at once, while workers die, models fail, and the ledgers continue as new. */
const budgets: Profile = {
  name: 'budgets',
  tools: ['read', 'mail', 'peek'],
  budgets: true,
  hasHelper: true,
  suggestedLength: 40,
  compaction: 0.3,
  handoffs: 0.3,
  size: 'usual',
  failingModel: 0.1,
  slowestMs: 5000,
  habits: { rewind: 0.03, cancel: 0.02 },
  faults: { kill: 0.3, freeze: 0.2, cutOff: 0.2 },
};
/** Share of the seeds that do not have this profile. */
const UNLIMITED = 0.96;
