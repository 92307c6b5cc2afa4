/**
 * Goal: the reference has every command, option, entry, object and call, as `--help`, an editor and the compiler know it.
 * Method: the generated parts of its pages are made anew from the program and compared. `UPDATE_REFERENCE=1` writes them instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiParts } from './support/api-page.ts';
import { ledgerParts, protocolParts } from './support/internals-pages.ts';
import { jsonParts } from './support/json-page.ts';
import { referenceParts } from './support/reference.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');

test.each([
  ['reference/README.md', referenceParts],
  ['reference/json.md', jsonParts],
  ['reference/api.md', apiParts],
  ['internals/ledger.md', ledgerParts],
  ['internals/protocol.md', protocolParts],
])('%s says what the program does (else: UPDATE_REFERENCE=1)', async (name, partsNow) => {
  const parts: Readonly<Record<string, string>> = await partsNow();
  const page = readFileSync(join(DOCS, name), 'utf8');
  const written = new Set<string>();
  const now = page.replaceAll(/^<!-- (\w+) -->\n[\s\S]*?^<!-- end -->$/gm, (_all, part: string) => {
    written.add(part);
    return `<!-- ${part} -->\n\n${parts[part]?.trim()}\n\n<!-- end -->`;
  });
  expect([...written].sort()).toEqual(Object.keys(parts).sort());
  if (process.env.UPDATE_REFERENCE === '1') writeFileSync(join(DOCS, name), now);
  else expect(page).toBe(now);
});
