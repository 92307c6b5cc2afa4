/**
 * Goal: the country of a list is guessed by what its cells say, and not where they say several things or nothing.
 * Method: lists of a few columns, as they are exported.
 */
import { expect, test } from 'vitest';
import { guessCountry } from '../../../src/files/columns/country.ts';
import { openFile } from '../../../src/files/input.ts';
import { inputFolder } from '../formats/input-folder.ts';

async function guessed(...lines: readonly string[]) {
  const write = await inputFolder();
  const { sheet } = await openFile(await write(`${lines.join('\n')}\n`));
  return guessCountry(sheet, await sheet.header());
}

test.each<[string, string | undefined, readonly string[]]>([
  ['a column of countries', 'ES', ['Name,Country', 'A,Spain', 'B,ES', 'C,Spain']],
  ['codes of telephone numbers', 'NZ', ['Phone', '+64 21 234 5678', '+6492345678', '212345678']],
  ['ABNs', 'AU', ['ABN,Phone', '51824753556,412345678', '33051775556,']],
  ['ends of addresses', 'DE', ['Mail', 'a@acme.de', 'b@beta.de', 'c@ceta.de', 'd@delta.com']],
  ['several countries', undefined, ['Name,Country', 'A,Spain', 'B,France', 'C,Spain']],
  ['ends that mean everything', undefined, ['Mail', 'a@acme.io', 'b@beta.co', 'c@ceta.ai']],
  ['nothing', undefined, ['Phone', '712345678', '612345678']],
])('by %s: %s', async (_what, code, lines) => {
  expect((await guessed(...lines))?.code).toBe(code);
});
