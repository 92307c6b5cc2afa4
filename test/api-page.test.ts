/**
 * Goal: a programmer finds every name that the library exports on one page, as it is declared, with an example that works.
 * Method: the page is made anew from the source and held against the one that is there; its examples are one program, which
 * runs in a checkout. `UPDATE_API=1` writes the page.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { apiPage, exportedNames } from './api-page.ts';
import { proof } from './combinations.ts';
import { postgresServer } from './ledger/stores/postgres-server.ts';
import { inCheckout } from './transcripts.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'api.md');
const names = exportedNames();

/** What the examples call the database of a team. */
const DATABASE = 'postgres://rowonce@db.example/leads';

test('the page has every name as it is declared today, with what it is for', () => {
  const page = apiPage(names);
  if (process.env.UPDATE_API === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
  expect(names.filter(({ declaration }) => declaration.length < 10)).toEqual([]);
  const without = names.filter(({ kind, example }) => kind === 'function' && example === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
});

proof('the examples run, one after the other', async () => {
  const server = await postgresServer();
  await server.createDatabase('examples');
  const database = server.url('examples');
  // The first ones make what the later ones look at.
  const order = ['planJob', 'runJob', 'enrich', 'defineDialect', 'defineOperation', 'sweep'];
  const examples = names
    .filter(({ example }) => example !== undefined)
    .toSorted((a, b) => order.indexOf(b.name) - order.indexOf(a.name));
  const library = pathToFileURL(join(ROOT, 'src', 'index.ts')).href;
  const used = names.filter(({ kind }) => kind === 'function' || kind === 'class').map(({ name }) => name);
  const blocks = examples.map(({ name, example }) => `console.log('${name}:');\n{\n${example}\n}`);
  const printed = inCheckout((type, checkout) => {
    const program = `import { ${used.join(', ')} } from '${library}';\n${blocks.join('\n')}\n`;
    writeFileSync(join(checkout, 'examples.ts'), program.replaceAll(DATABASE, database));
    type('mkdir jobs/inbox && cp fixtures/leads.csv jobs/inbox/');
    type(`rowonce store init ${database}`);
    // A worker serves the accounts of its host; nothing is sent to this one.
    const account = '--name data --vendor provider --base-url http://127.0.0.1:9 --key-env HOME';
    type(`rowonce accounts add ${account}`);
    return type('node examples.ts; echo "exit code $?"');
  });
  expect(printed).toMatch(/\nexit code 0$/);
  expect(printed.match(/^\w+:$/gm)).toHaveLength(examples.length);
});
