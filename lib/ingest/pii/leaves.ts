// What is inside a nested value: its texts and numbers, each with the key that it stands under.

export interface Leaf {
  readonly key: string;
  readonly text: string;
}

/** Of the JSON of one value; a text that is cut short, or no JSON, is one leaf. */
export function leavesOf(json: string): Leaf[] {
  const pending: { key: string; value: unknown }[] = [{ key: '', value: parsed(json) }];
  const leaves: Leaf[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { key, value } = next;
    if (typeof value === 'string' || typeof value === 'number') leaves.push({ key, text: String(value) });
    else if (Array.isArray(value)) pending.push(...value.map((item: unknown) => ({ key, value: item })));
    else if (typeof value === 'object' && value !== null)
      pending.push(...Object.entries(value).map(([name, item]) => ({ key: name, value: item as unknown })));
  }
  return leaves;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
