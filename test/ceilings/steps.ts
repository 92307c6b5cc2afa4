import { Session } from 'node:inspector/promises';

/**
 * Counts the steps that the built program takes in this process: how often each function and each block of it ran, and how
 * many elements and characters Node's own functions looked at for it. It is work and not time, so it is the same on every
 * machine. What a regular expression does within one text is not seen.
 */
export async function stepsOf(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const looked = watchLooks();
  try {
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => /\/(?:dist|src)\//.test(url));
    const ranges = own.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
    return ranges.reduce((sum, { count }) => sum + count, looked.count);
  } finally {
    looked.end();
    session.disconnect();
  }
}

/** Functions that look through all of what they are called on, or write all of it. */
const LOOKS = [
  [Array.prototype, ['indexOf', 'lastIndexOf', 'includes', 'concat', 'join', 'toSorted', 'toSpliced']],
  [
    String.prototype,
    ['indexOf', 'lastIndexOf', 'includes', 'split', 'replace', 'replaceAll', 'match', 'trim'],
  ],
  // Without its own `exec`, which other functions call for each character, Node takes a slower way.
  [RegExp.prototype, ['test']],
] as const;

function watchLooks() {
  const looked = { count: 0, end: () => {} };
  const undo: (() => void)[] = [];
  const watch = (owner: object, name: string, sizeOf: (of: unknown, given: unknown) => number): void => {
    const original = Reflect.get(owner, name);
    Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
      // What is looked for from a place on is mostly found near it.
      if (given[1] === undefined || typeof given[1] === 'function') looked.count += sizeOf(this, given[0]);
      return Reflect.apply(original, this, given);
    });
    undo.push(() => Reflect.set(owner, name, original));
  };
  const lengthOf = (of: unknown): number => Number((of as { length?: number } | undefined)?.length ?? 0);
  for (const [owner, names] of LOOKS)
    for (const name of names)
      watch(owner, name, owner === RegExp.prototype ? (_, text) => lengthOf(text) : lengthOf);
  watch(Buffer, 'concat', (_, all) =>
    (all as readonly Buffer[]).reduce((sum, { length }) => sum + length, 0),
  );
  looked.end = () => {
    for (const each of undo) each();
  };
  return looked;
}
