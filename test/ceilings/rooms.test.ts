/**
 * Goal: the program stays one that a person can read. No room of the source grows unnoticed, and none stands outside of the table.
 * Method: the lines of each first-level folder of `src` are counted, and held against the table below.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

/** The most lines that a room may have. Whoever takes lines out lowers its number. */
const MOST_LINES: Readonly<Record<string, number>> = {
  cli: 738,
  client: 6_767,
  commands: 7_795,
  core: 2_246,
  files: 8_520,
  index: 338,
  job: 1_085,
  ledger: 8_937,
  lib: 1_603,
  objects: 906,
  operations: 2_917,
  plan: 3_526,
  run: 5_071,
  sandbox: 2_374,
  web: 8_426,
};

test.for(readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory()))(
  '$name has no more lines than its ceiling',
  ({ name }) => {
    const files = globSync(`${name}/**/*.*`, { cwd: SOURCES });
    const counts = files.map((path) => readFileSync(join(SOURCES, path), 'utf8').split('\n').length - 1);
    const lines = counts.reduce((sum, count) => sum + count, 0);
    const most = MOST_LINES[name] ?? 0;
    expect(
      lines,
      `src/${name} has ${lines} lines, its ceiling is ${most}: take lines out, or move the ceiling up in test/ceilings/rooms.test.ts with an entry in docs/decisions.md that says what they are for`,
    ).toBeLessThanOrEqual(most);
  },
);
