import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { familyNames, loadFamily, loadMember } from '../../src/core/family.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';

/**
 * Goal: a new member of a family is a new file and no other edit, in a checkout and in the built package.
 * Method: real folders with what a checkout and a compiler leave in them; the loader is asked what it sees.
 */

let folder: string;
const url = (): URL => pathToFileURL(`${folder}/`);
const member = (name: string): string => `export default { name: '${name}' };\n`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rowonce-family-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

describe('a family is what lies in its folder', () => {
  test('every source file is a member, in name order, whatever order it was written in', async () => {
    await write({
      'zebra.ts': `const member: { readonly name: string } = { name: 'zebra' };\nexport default member;\n`,
      'apple.js': member('apple'),
      'mango-tree.ts': member('mango-tree'),
    });

    expect(await familyNames(url())).toEqual(['apple', 'mango-tree', 'zebra']);
    const family = await loadFamily<{ name: string }>(url());
    expect([...family]).toEqual([
      ['apple', { name: 'apple' }],
      ['mango-tree', { name: 'mango-tree' }],
      ['zebra', { name: 'zebra' }],
    ]);
  });

  test('what the compiler and people put beside the members is not one of them', async () => {
    await mkdir(join(folder, 'drafts'));
    await write({
      'csv.js': member('csv'),
      'csv.d.ts': 'not a program',
      'csv.js.map': '{}',
      'README.md': '# not a program',
      'drafts/tsv.js': member('tsv'),
    });

    expect([...(await loadFamily(url())).keys()]).toEqual(['csv']);
  });

  test('a folder named without a slash at its end is the same folder', async () => {
    await write({ 'csv.js': member('csv') });
    expect(await familyNames(pathToFileURL(folder))).toEqual(['csv']);
  });
});

describe('a member is what its file name says', () => {
  test('a file that exports another name is a bug, with both names', async () => {
    await write({ 'csv.js': member('tsv') });
    await expect(loadFamily(url())).rejects.toThrow(/bug: .*csv\.js exports a member that is named "tsv"/);
  });

  test.each([
    ['nothing', 'export const name = "csv";\n'],
    ['null', 'export default null;\n'],
    ['an object without a name', 'export default {};\n'],
  ])('a file whose default export is %s is a bug', async (_, text) => {
    await write({ 'csv.js': text });
    await expect(loadFamily(url())).rejects.toThrow(/bug: .*csv\.js has no default export with a name/);
  });

  test('a reader turns each export into a member, and its complaint is not swallowed', async () => {
    await write({ 'csv.js': `export default { name: 'csv', weight: 3 };\n` });
    const weight = (exported: unknown): number => (exported as { weight: number }).weight;
    expect(await loadFamily(url(), weight)).toEqual(new Map([['csv', 3]]));

    const refuse = (): never => {
      throw new Error('no weight');
    };
    await expect(loadFamily(url(), refuse)).rejects.toThrow('no weight');
    await expect(loadMember(url(), 'csv', refuse)).rejects.toThrow('no weight');
  });
});

describe('one member can be had without the others', () => {
  test('the others are not even imported', async () => {
    await write({ 'csv.js': member('csv'), 'broken.js': 'throw new Error("imported");\n' });
    expect(await loadMember(url(), 'csv')).toEqual({ name: 'csv' });
    await expect(loadFamily(url())).rejects.toThrow('imported');
  });

  test.each(['tsv', '', '../secret', 'csv.js', './csv', '__proto__'])(
    'there is no member "%s"',
    async (name) => {
      await mkdir(join(folder, 'inner'));
      await write({ 'secret.js': member('secret'), 'inner/csv.js': member('csv') });
      expect(await loadMember(pathToFileURL(join(folder, 'inner')), name)).toBeUndefined();
    },
  );

  test('it is the very module that an import statement gives', async () => {
    const operations = new URL('../../src/operations/', import.meta.url);
    expect(await loadMember(operations, 'enrich-company')).toBe(enrichCompany);
  });
});
