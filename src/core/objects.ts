/**
 * The members of an object that have a value. A member that may be undefined may be absent from the result,
 * and is never undefined there.
 */
export type Present<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
    Members[Name],
    undefined
  >;
};

/**
 * The same members in the same order, without those that are undefined. `null` is a value, because JSON has
 * it.
 */
export function present<const Members extends object>(members: Members): Present<Members> {
  const presentMembers: Partial<Members> = {};
  for (const name in members) if (members[name] !== undefined) presentMembers[name] = members[name];
  return presentMembers as unknown as Present<Members>;
}

/** Whether a value has members by name: neither `null` nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
