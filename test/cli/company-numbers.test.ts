/**
 * Goal: a company is asked by its own number: an ACN is never sent as an ABN, one beside the other is read, and no
 * digit is guessed.
 * Method: the real command before a vendor on a real socket, with numbers that carry right checksums.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const LIST = `ABN/ACN
92 412 345 610
ABN 92 412 345 610 (ACN 412345610)
ACN 000056780 ABN 81000056780
412 345 610
ACN 4085616
1000000121
92 412 345 610 / 81 000 056 780
`;

async function deskOf(by: readonly string[]): Promise<DeskBefore> {
  const at = await deskBefore(() => ({ name: 'Acme' }));
  at.speak({
    operations: {
      'enrich-company': {
        method: 'POST',
        path: '/company',
        by,
        gives: { name: 'name' },
        credits: { most: 1, found: 1 },
      },
    },
  });
  await at.desk.write('list.csv', LIST);
  return at;
}

const RUN = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '99'];

test('an ACN is asked by as a number where the vendor takes one', async () => {
  const at = await deskOf(['abn', 'number']);
  await at.desk.type(RUN);
  expect(at.asked.map(({ input }) => input)).toEqual([
    { abn: '92412345610' },
    { abn: '81000056780' },
    { number: '412345610' },
    { number: '004085616' },
  ]);
  expect(at.desk.place.rows().map(({ _status: status }) => status)).toEqual([
    ...['matched', 'matched', 'matched', 'matched', 'matched', 'invalid', 'invalid'],
  ]);
});

test('elsewhere its row says that it is one, also with --repair', async () => {
  const at = await deskOf(['abn']);
  await at.desk.type([...RUN, '--repair']);
  expect(at.asked.map(({ input }) => input)).toEqual([{ abn: '92412345610' }, { abn: '81000056780' }]);
  const reasons = at.desk.place.rows().map(({ _reason: reason }) => reason ?? '');
  expect(reasons[3]).toContain('412 345 610: is an ACN');
  expect(reasons[4]).toContain('ACN 4085616: is an ACN');
  expect(reasons[5]).toContain('has 10 digits');
});

test('below ACN a number may lack the zeros that a spreadsheet took, and elsewhere eight digits are a number', async () => {
  const at = await deskOf(['abn', 'number']);
  const asked = async (header: string, ...cells: readonly string[]) => {
    const before = at.asked.length;
    await at.desk.write('list.csv', [header, ...cells, ''].join('\n'));
    await at.desk.type(RUN);
    return at.asked.slice(before).map(({ input }) => input);
  };
  expect(await asked('ACN', '4085616', '004 085 616', '12345678')).toEqual([
    { number: '004085616' },
    { number: '12345678' },
  ]);
  expect(await asked('Company number', '4085616')).toEqual([{ number: '4085616' }]);
  expect(await asked('ABN/ACN', '56780')).toEqual([]);
  expect(await asked('ABN/ACN', '000056780', '1004085616')).toEqual([{ number: '000056780' }]);
});

const ACNS = 'ACN\n004085616\n412 345 610\n4085616\n4085617\n';

test.each([
  ['as ABNs alone', ['--column', 'abn=ACN']],
  ['as both', ['--column', 'abn=ACN', '--column', 'number=ACN']],
])(
  'a column whose header says ACN is asked by as numbers, also where a zero is lost: read %s',
  async (_, more) => {
    const at = await deskOf(['abn', 'number']);
    await at.desk.write('list.csv', ACNS.slice(0, ACNS.lastIndexOf('4085617')));
    expect((await at.desk.type([...RUN, ...more])).code).toBe(0);
    expect(at.asked.map(({ input }) => input.number)).toEqual(['004085616', '412345610']);
    for (const row of at.desk.place.rows())
      expect(row).toMatchObject({ _status: 'matched', _matched_by: 'number', _reason: '' });
  },
);

test('where the vendor takes ABNs alone such a cell is an ACN, and one that fails its check is none', async () => {
  const at = await deskOf(['abn']);
  await at.desk.write('list.csv', ACNS);
  await at.desk.type([...RUN, '--column', 'abn=ACN']);
  const reasons = at.desk.place.rows().map(({ _reason: reason }) => reason);
  expect(reasons.slice(2)).toEqual([
    expect.stringContaining('4085616: is an ACN'),
    expect.stringContaining('4085617: has 7 digits'),
  ]);
  expect(at.asked).toEqual([]);
});
