import type { Client } from '@temporalio/client';
import { aFewAtATime } from '../../../agent/values/concurrent.ts';
import { AgentSchedule, listSchedules } from '../client/agent-schedule.ts';
import { ScheduleNotFound, unless } from '../../../client/connect/errors.ts';
import { cliName } from '../../../client/connect/cli-name.ts';
import { count } from '../../render/words/amounts.ts';
import { type Check, note, ok } from '../../../cli/doctor/check-result.ts';
import type { Queues } from '../../../cli/doctor/check-workers.ts';

/** More schedules are not asked for their agents. */
const MOST = 50;

/** Schedules of the config's task queue, and those whose agent the config does not have. */
export async function checkSchedules(client: Client, { taskQueue, agents }: Queues): Promise<Check[]> {
  if (agents === undefined) return [];
  const names = (await listSchedules(client)).slice(0, MOST).map(({ name }) => name);
  const found = await aFewAtATime(names, 4, (name) =>
    unless(ScheduleNotFound, new AgentSchedule(client, name, taskQueue).describe()),
  );
  const own = found.filter((one) => one?.taskQueue === taskQueue);
  const checks = own.flatMap((one) =>
    one === undefined || agents.has(one.agent)
      ? []
      : [
          note(
            'schedule',
            `${one.name}: the config has no agent ${one.agent}, so its runs fail`,
            `\`${cliName()} schedule delete ${one.name}\`, or \`schedule sync\` if the config has another agent for it`,
          ),
        ],
  );
  if (checks.length > 0 || own.length === 0) return checks;
  return [ok('schedules', count(own.length, 'schedule'))];
}
