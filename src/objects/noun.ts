import { z } from 'zod';

/**
 * A noun of what programs are told is one zod object whose every member is described once: what it is, and how it is read
 * from a record of ours. What `--json` prints, what the page gets, their types and `docs/schemas` all follow from that.
 */

export interface Member<From, Shape extends z.ZodType> {
  readonly shape: Shape;
  readonly read: (from: From) => Told<z.infer<Shape>>;
}

/** Records of ours are not altered by whoever reads them. */
type Told<Value> = Value extends object ? { readonly [Name in keyof Value]: Told<Value[Name]> } : Value;

/** Describes members that are read from one kind of record. A member of an optional shape is left out while it is undefined. */
export const membersOf =
  <From>() =>
  <Shape extends z.ZodType>(
    shape: Shape,
    read: (from: From) => Told<z.infer<Shape>>,
  ): Member<From, Shape> => ({ shape, read });

type Members = Readonly<Record<string, Member<never, z.ZodType>>>;

type Shapes<Of extends Members> = { [Name in keyof Of]: Of[Name]['shape'] };

/** A record that all members can be read from. */
type RecordOf<Of extends Members> = {
  [Name in keyof Of]: Of[Name]['read'];
}[keyof Of] extends (from: infer From) => unknown
  ? From
  : never;

/** The zod object of these members, which also makes such objects: `of(record)`. Others add members to its `members`. */
export function noun<Of extends Members>(members: Of) {
  const named = Object.entries(members);
  const schema = z.object(Object.fromEntries(named.map(([name, { shape }]) => [name, shape])) as Shapes<Of>);
  const of = (from: RecordOf<Of>): z.infer<typeof schema> => {
    const told = named.map(([name, { read }]) => [name, read(from as never)] as const);
    return Object.fromEntries(told.filter(([, value]) => value !== undefined)) as z.infer<typeof schema>;
  };
  return Object.assign(schema, { members, of });
}
