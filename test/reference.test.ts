/**
 * Goal: the reference has every command, option, entry and object, as `--help` and an editor know it, and pictures
 * of the source show what is there.
 * Method: the generated parts of its pages are made anew from the program and compared. `UPDATE_REFERENCE=1` writes them instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashParts } from './support/crashes-page.ts';
import { jsonParts } from './support/json-page.ts';
import { referenceParts } from './support/reference.ts';
import { streetParts } from './support/street-page.ts';
import { vendorParts } from './support/vendors-page.ts';

const ROOT = join(import.meta.dirname, '..');

test.each([
  ['docs/reference/README.md', referenceParts],
  ['docs/reference/json.md', jsonParts],
  ['docs/internals/crashes.md', crashParts],
  ['src/README.md', streetParts],
  ['docs/reference/vendors.md', vendorParts],
])('%s says what the program does (else: UPDATE_REFERENCE=1)', async (name, partsNow) => {
  const parts: Readonly<Record<string, string>> = await partsNow();
  const page = readFileSync(join(ROOT, name), 'utf8');
  const written = new Set<string>();
  const now = page.replaceAll(/^<!-- (\w+) -->\n[\s\S]*?^<!-- end -->$/gm, (_all, part: string) => {
    written.add(part);
    return `<!-- ${part} -->\n\n${parts[part]?.trim()}\n\n<!-- end -->`;
  });
  expect([...written].sort()).toEqual(Object.keys(parts).sort());
  if (process.env.UPDATE_REFERENCE === '1') writeFileSync(join(ROOT, name), now);
  else expect(page).toBe(now);
});
