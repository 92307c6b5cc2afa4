/**
 * Loaded before the program (`node --import`), it puts the program's calendar wrong as a file says, from its first line on and while it
 * runs. What is left alone is the monotonic clock, which no one can set. `clocks.ts` writes the file.
 */
import fs from 'node:fs';

/** How far the calendar is ahead; negative: behind; left out: right. */
export interface Shift {
  readonly wallMs?: number;
}

const LOOK_EVERY_MS = 5;

// What imports it by its name later may have put something else in its place.
const { readFileSync } = fs;
const path = new URL(import.meta.url).searchParams.get('shift') ?? '';
let shift: Shift = {};
let lookedMs = Number.NEGATIVE_INFINITY;

const RealDate = Date;
function wallMs(): number {
  if (performance.now() - lookedMs >= LOOK_EVERY_MS) {
    lookedMs = performance.now();
    shift = JSON.parse(readFileSync(path, 'utf8')) as Shift;
  }
  return RealDate.now() + (shift.wallMs ?? 0);
}

if (path !== '')
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, self) =>
      Reflect.construct(target, values.length === 0 ? [wallMs()] : values, self),
    apply: () => new RealDate(wallMs()).toString(),
    get: (target, name) => (name === 'now' ? wallMs : Reflect.get(target, name)),
  });
