/**
 * Goal: the output can be written again at any time from what was bought, to the byte, without sending anything and
 * without being in the way of a run; and it can be opened in any spreadsheet program, whatever a vendor answers.
 * Method: the real command after and beside real runs, before the sandbox as a vendor, or one whose answers are formulas.
 */
import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, deskBefore, objectIn, openDesk } from './desk.ts';

async function finishedDesk() {
  const desk = await openDesk({ matchRate: 0.5 });
  await desk.write('list.csv', 'Domain,Note\na.example,"x, y"\nb.example,\nnot a domain,\na.example,again\n');
  await desk.type(desk.run());
  return desk;
}

test('two exports of one state are byte-identical to what the run wrote, whichever way they are asked for', async () => {
  const desk = await finishedDesk();
  const files = ['out.csv', 'out.needs-attention.csv', 'out.report.html'];
  const written = await Promise.all(files.map((file) => desk.read(file)));
  for (const words of [
    ['export', 'last'],
    ['export', 'enrich-company', 'list.csv'],
  ]) {
    for (const file of files) await rm(desk.place.path(file));
    const { code, stdout, stderr } = await desk.type(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toEqual(files.map((file) => desk.place.path(file)));
    expect(await Promise.all(files.map((file) => desk.read(file)))).toEqual(written);
  }
  expect((await desk.type(['export', 'last', '-o', '-'])).stdout).toBe(written[0]);
  const both = await desk.type(['export', 'last', '-o', '-', '--json']);
  expect({ code: both.code, ...objectIn(both.stdout) }).toMatchObject({
    code: 2,
    stopped: { code: 'usage' },
  });
  expect(objectIn((await desk.type(['export', 'last', '-o', 'copy.csv', '--json'])).stdout)).toMatchObject({
    output: desk.place.path('copy.csv'),
    needs_attention: desk.place.path('copy.needs-attention.csv'),
  });
  expect(await desk.read('copy.csv')).toBe(written[0]);
  expect(await desk.requests()).toBe(2);
});

test('a list that was moved is read where it is named', async () => {
  const desk = await finishedDesk();
  await rename(desk.place.path('list.csv'), desk.place.path('moved.csv'));
  const words = ['export', 'enrich-company', 'moved.csv', '-o', 'again.csv'];
  expect(await desk.type(words)).toMatchObject({ code: 0, stderr: '' });
  expect(await desk.read('again.csv')).toBe(await desk.read('out.csv'));
});

test('an output that a person changed is kept, and that is said', async () => {
  const desk = await finishedDesk();
  await desk.write('out.csv', 'my own notes');
  const { stdout, stderr } = await desk.type(['export', 'last']);
  expect(stderr).toBe(
    `${desk.place.path('out.csv')} is not ours, or has changed since we wrote it, so it is kept.\n`,
  );
  expect(stdout).toContain(`${desk.place.path('out (2).csv')}\n`);
  expect(await desk.read('out.csv')).toBe('my own notes');
});

test('the second operation over a list gets a name of its own for all its files, and says why; each keeps its name', async () => {
  const desk = await openDesk();
  await desk.write('leads.csv', 'Domain,Email\na.example,jo@a.example\nnone,none\nb.example,al@b.example\n');
  const run = async (operation: string) => desk.type(['run', operation, 'leads.csv', '--budget', '99']);
  const written = () =>
    readdirSync(desk.place.folder)
      .filter((name) => /^leads\..*\.(csv|html)$/.test(name) && name !== 'leads.csv')
      .sort();
  await run('enrich-company');
  const first = written();
  const before = await Promise.all(first.map((name) => desk.read(name)));
  const { batch } = await desk.json(['status', 'last']);
  const kept = `${desk.place.path('leads.enriched.csv')} is the output of enrich-company, batch ${batch}, so it is kept.`;
  expect((await run('enrich-person')).stderr).toContain(kept);
  const names = ['enrich-person', 'enriched'].flatMap((name) =>
    ['csv', 'needs-attention.csv', 'report.html'].map((ending) => `leads.${name}.${ending}`),
  );
  expect(written()).toEqual(names);
  expect(await Promise.all(first.map((name) => desk.read(name)))).toEqual(before);
  const matched = desk.place.rows('leads.enrich-person.csv').map(({ _matched_by }) => _matched_by);
  expect(matched).toEqual(['email', '', 'email']);
  for (const operation of ['enrich-person', 'enrich-company'])
    expect((await run(operation)).stderr).not.toContain('so it is kept');
  expect(written()).toEqual(names);
});

const ANSWER = {
  name: "=cmd|' /C calc'!A0",
  phone: '+61 2 9999 0000',
  growth: -5.25,
  contact: '@evil.example',
  note: '\t=1+1',
};
const SAFE = ["'=cmd|' /C calc'!A0", '+61 2 9999 0000', '-5.25', "'@evil.example", "'\t'=1+1"];

/** A desk before a vendor that answers every question with formulas. */
async function openHostileDesk(): Promise<Desk> {
  const { desk } = await deskBefore(() => ANSWER);
  await desk.write('list.csv', 'Domain,Own\nacme.example,=1+1\n');
  return desk;
}

async function cellsOf(desk: Desk, name: string): Promise<readonly string[]> {
  const [, row] = parse(await desk.read(name)) as string[][];
  return row?.slice(2, 7) ?? [];
}

test('a vendor’s formulas are text in the output; --formulas raw writes them as they came', async () => {
  const desk = await openHostileDesk();
  expect((await desk.type(desk.run())).code).toBe(0);
  expect(await cellsOf(desk, 'out.csv')).toEqual(SAFE);
  expect(await desk.read('out.csv')).toContain('\nacme.example,=1+1,');

  await desk.json(desk.run('--formulas', 'raw'));
  expect(await cellsOf(desk, 'out.csv')).toEqual(Object.values(ANSWER).map(String));
  expect(await desk.json(desk.run())).toMatchObject({ requests: 0 });
  expect(await cellsOf(desk, 'out.csv')).toEqual(SAFE);
});
