import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { BACKGROUND_TOOL } from '../../agent/background/background-input.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';

/** Returns the background call that the model cancels with an activity of this name: `3.1`. */
export function cancelledByModel(
  name: string,
  header: temporal.api.common.v1.IHeader | null | undefined,
): string | undefined {
  const meta = name === BACKGROUND_TOOL ? header?.fields?.['reloop'] : undefined;
  if (!meta) return undefined;
  const { cancels } = fieldsOf(fieldsOf(defaultPayloadConverter.fromPayload(meta))['control']);
  return typeof cancels === 'string' ? cancels : undefined;
}
