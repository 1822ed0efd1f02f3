/**
 * The ids of a reply's tool calls, each different. One that is empty, or that an earlier call has, is made of `step`, the
 * model call, and of the call's place, so that no two calls of a run have the same id.
 */
export function distinctIds(ids: readonly string[], step: string): string[] {
  const given = new Set(ids);
  const taken = new Set<string>();
  return ids.map((id, at) => {
    const own =
      id === '' || taken.has(id) ? unusedId(`call_${step.replaceAll(/\W/gu, '_')}_${at + 1}`, given) : id;
    taken.add(own);
    given.add(own);
    return own;
  });
}

function unusedId(id: string, used: ReadonlySet<string>): string {
  let unused = id;
  for (let more = 1; used.has(unused); more++) unused = `${id}_${more}`;
  return unused;
}
