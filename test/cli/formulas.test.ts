/**
 * Goal: an output can be opened in any spreadsheet program, whatever a vendor answers; and what the user wrote stays as it was.
 * Method: the real command before a vendor whose answers are formulas.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, deskBefore } from './desk.ts';

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
