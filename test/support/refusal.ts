import { expect } from 'vitest';
import { type Desk, objectIn, openDesk } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';

/** How the program answers a mistake, and that nothing came of it. */

export interface Refusal {
  readonly code: number;
  readonly fact: RegExp;
  readonly next: RegExp;
}

/** Two sentences on stderr, the fact and what to do, and a command where one is named, the same in the one object of `--json`; no stack trace. */
export function expectRefusal({ code, stdout, stderr }: Ended, refusal: Refusal): void {
  expect({ code, stderr }).toMatchObject({ code: refusal.code });
  const lines = stderr.trimEnd().split('\n');
  expect(lines[0]).toMatch(refusal.fact);
  expect(lines.slice(1).join('\n')).toMatch(refusal.next);
  expect(lines[1]).toMatch(/^[A-Z].*\S$/);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d/);
  const { stopped } = objectIn(stdout);
  expect([stopped.message, stopped.next, ...(stopped.next_command ? [stopped.next_command] : [])]).toEqual(
    lines,
  );
}

/** The mistake is refused, and the vendor never heard of it. */
export async function expectNothingSpent(
  desk: Desk,
  words: readonly string[],
  refusal: Refusal,
): Promise<void> {
  expectRefusal(await desk.type(['--json', ...words]), refusal);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 0, credits: 0 });
}

export async function deskWithList(): Promise<Desk> {
  const desk = await openDesk();
  desk.list(2);
  return desk;
}
