/**
 * Loaded before the program (`node --import`), it puts the program's clocks wrong as a file says, from its first line on
 * and while it runs. What is left alone is the monotonic clock, which nobody can set. `clocks.ts` writes the file;
 * `machine.ts` says it without one.
 */
import fs from 'node:fs';

/** How wrong the clocks are. Everything left out is as the machine has it. */
export interface Shift {
  /** How far the calendar is ahead; negative: behind. */
  readonly wallMs?: number;
}

const LOOK_EVERY_MS = 5;

const path = new URL(import.meta.url).searchParams.get('shift');
if (path !== null) shiftClocks(shiftIn(path));

/** What the file says now, or a moment ago. */
function shiftIn(path: string): () => Shift {
  const { readFileSync } = fs;
  let shift: Shift = {};
  let lookedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - lookedMs < LOOK_EVERY_MS) return shift;
    lookedMs = performance.now();
    shift = JSON.parse(readFileSync(path, 'utf8')) as Shift;
    return shift;
  };
}

/** Puts the clocks of this process wrong, as `now` says whenever one of them is read. To be called before the program is loaded. */
export function shiftClocks(now: () => Shift): void {
  const RealDate = Date;
  const wallMs = (): number => RealDate.now() + (now().wallMs ?? 0);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, self) =>
      Reflect.construct(target, values.length === 0 ? [wallMs()] : values, self),
    apply: () => new RealDate(wallMs()).toString(),
    get: (target, name) => (name === 'now' ? wallMs : Reflect.get(target, name)),
  });
}
