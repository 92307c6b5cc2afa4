/**
 * Goal: whatever a list calls its columns, a user says on the command line what is meant; a run that goes on and a sweep mean the same.
 * Method: the real command before a vendor that keeps its own book.
 */
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { openDesk } from './desk.ts';
import { openNightDesk } from './night-desk.ts';

const LIST =
  'Company,ABN,Webseite\nAcme,51824753556,acme.example\nBeta,,beta.example\nGamma,,gamma.example\n';

test('a column that is not used is named with the flag to type, which takes it beside the one that was guessed', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const flag = '--column domain=Webseite';
  const named = `Webseite could be domain (by its content, 3 of 3 cells): ${flag}\n`;
  const { stdout } = await desk.type(['plan', 'enrich-company', 'list.csv']);
  expect(stdout).toContain(`  not used       ${named}`);
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    unused: [{ input: 'domain', column: 'Webseite' }],
    to_buy: 1,
    invalid: 2,
  });
  const said = await desk.type(['plan', 'enrich-company', 'list.csv', ...flag.split(' ')]);
  expect(said.stdout).toContain('  columns        abn ← ABN, domain ← Webseite (guessed)\n');
  expect(said.stdout).not.toContain('not used');
  const wrong = await desk.type(['plan', 'enrich-company', 'list.csv', '--column', 'domain=Webseit']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean Webseite?') });
  const { stderr } = await desk.type(desk.run('--limit', '1'));
  expect(stderr).toContain(`Not used: ${named}`);
});

test('a run goes on by the same flags, which the command that goes on has, and adds what they say', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const flags = ['--column', 'domain=Webseite', '--add', 'town=location.city', '--waterfall', 'domain,abn'];
  const run = (...more: readonly string[]) => [
    'run',
    'enrich-company',
    'list.csv',
    '-o',
    'out.csv',
    ...flags,
    ...more,
  ];
  const stopped = await desk.type(run('--budget', '1'));
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toContain(
    '--column domain=Webseite --add town=location.city --waterfall domain,abn',
  );
  const done = await desk.json(run('--budget', '9'));
  expect(done).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3 }, requests: 2 });
  expect(await desk.read('out.csv')).toMatch(/^Company,ABN,Webseite,town,_status,/);
});

proof('a sweep goes on with what was begun beside its job', async () => {
  const nights = await openNightDesk();
  nights.writeJob('columns: { abn: ABN }');
  await nights.desk.write('hand.csv', LIST);
  const words = ['run', './night.yaml', 'hand.csv', '--column', 'domain=Webseite', '--budget', '1'];
  expect(await nights.desk.type(words)).toMatchObject({ code: 4 });
  const { said } = await nights.night();
  expect(said.files).toMatchObject([{ file: nights.desk.place.path('hand.csv'), counts: { matched: 3 } }]);
});
