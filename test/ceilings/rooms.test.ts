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
  cli: 1_032,
  client: 6_803,
  commands: 8_053,
  core: 2_350,
  files: 8_890,
  index: 338,
  job: 1_077,
  ledger: 9_084,
  lib: 1_709,
  objects: 914,
  operations: 2_962,
  plan: 3_577,
  run: 5_192,
  sandbox: 2_366,
  web: 8_255,
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
