/**
 * Goal: the reference has every command, option, entry, object and call, as `--help`, an editor and the compiler know it, and pictures
 * of the source show what is there.
 * Method: the generated parts of its pages are made anew from the program and compared. `UPDATE_REFERENCE=1` writes them instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiParts } from './support/api-page.ts';
import { ledgerParts, protocolParts } from './support/internals-pages.ts';
import { jsonParts } from './support/json-page.ts';
import { referenceParts } from './support/reference.ts';
import { streetParts } from './support/street-page.ts';
import { vendorParts } from './support/vendors-page.ts';

const ROOT = join(import.meta.dirname, '..');

test.each([
  ['docs/reference/README.md', referenceParts],
  ['docs/reference/json.md', jsonParts],
  ['docs/reference/api.md', apiParts],
  ['docs/internals/ledger.md', ledgerParts],
  ['docs/internals/protocol.md', protocolParts],
  ['src/README.md', streetParts],
  ['docs/guide/vendors.md', vendorParts],
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
