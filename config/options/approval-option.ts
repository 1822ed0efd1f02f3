import { z } from 'zod/v4';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import type { Approval, Tool } from '../../adapters/tools/tool.ts';
import { type ConfigDefinition, ConfigError } from '../define.ts';
import { options } from './options.ts';

const rule = z.union(
  [
    z.enum(['always', 'never']),
    z.custom<Extract<Approval, (...args: never) => unknown>>((value) => typeof value === 'function'),
  ],
  "is none of 'always', 'never' and a function (input, context) => boolean",
);

/** A rule for the approval of calls, or a rule with the people who may approve. */
export const approvalOption = z.union(
  [rule, options({ by: z.array(z.string().min(1)).min(1), when: rule.optional() })],
  "is none of 'always', 'never', a function (input, context) => boolean, and { by: ['name'], when }",
);

/** The approval of a tool as it is recorded. */
export function recordedApproval(approval: Approval): Pick<ToolManifest, 'approval' | 'approvers'> {
  if (approval === 'never') return {};
  if (typeof approval !== 'object') return { approval: approval === 'always' ? 'always' : 'sometimes' };
  const { by, when = 'always' } = approval;
  return when === 'never' ? {} : { ...recordedApproval(when), approvers: [...by] };
}

/** Throws {@link ConfigError} for approvers without `authorize`: everybody could give any name. */
export function checkApprovers(tools: ReadonlyMap<string, Tool>, { authorize }: ConfigDefinition): void {
  if (authorize !== undefined) return;
  for (const { name, approval } of tools.values()) {
    if (typeof approval !== 'object') continue;
    throw new ConfigError(
      `Tool "${name}": approval names people in \`by\`, and the config has no \`authorize\` to check that a decision is theirs: everybody can give any name. Add \`authorize(message)\` to defineConfig.`,
    );
  }
}
