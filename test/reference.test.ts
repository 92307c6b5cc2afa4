/**
 * Goal: the reference has every command, option and entry, as `--help` and an editor explain it.
 * Method: its generated parts are made anew from the program and compared. `UPDATE_REFERENCE=1` writes them instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referenceNow } from './reference.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'reference.md');

test('the reference says what the program takes (else: UPDATE_REFERENCE=1)', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const now = await referenceNow(page);
  if (process.env.UPDATE_REFERENCE === '1') writeFileSync(PAGE, now);
  else expect(page).toBe(now);
  expect(now.match(/^<!-- \w+ -->$/gm)).toHaveLength(10);
});
