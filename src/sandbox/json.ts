/** JSON of the sandbox. It has its own code, because tests judge the program by the sandbox. */

export type Json = string | number | boolean | null | readonly Json[] | JsonMembers;
export interface JsonMembers {
  readonly [name: string]: Json;
}

export function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isMembers(value: Json | undefined): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON text that is the same for equal values, whatever the order of their members. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_name, member) => (isMembers(member) ? sorted(member) : member));
}

function sorted(members: JsonMembers): JsonMembers {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
