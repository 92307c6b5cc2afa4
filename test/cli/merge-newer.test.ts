/**
 * Goal: what a newer run found takes the place of all that an earlier one has added to a row, so that no old answer has a new date.
 * Method: the real command over lists that were run twice before the sandbox as a vendor, merged, and changed in between.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

const LIST = 'Domain,Email,Note\na1.example,jo@a1.example,a\nb2.example,al@b2.example,b\n';

type Row = Readonly<Record<string, string>>;

const rowsIn = async (desk: Desk, file: string): Promise<Row[]> =>
  parse(await desk.read(file), { columns: true });

/** Merges an output into its list, and then the one of another run into the merged file, when the list has one row more. */
async function mergedTwice(
  words: readonly string[],
  edit: (merged: string) => string = (merged) => merged,
): Promise<{ readonly desk: Desk; readonly kept: unknown }> {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  await desk.write('job.yaml', JOB);
  const run = ['run', ...words, 'list.csv', '--budget', '90', '-o', 'out.csv'];
  await desk.type(run);
  await desk.json(['merge', 'out.csv', 'list.csv', '-o', 'mine.csv']);
  await desk.write('mine.csv', edit(await desk.read('mine.csv')));
  await desk.type([...run, '--refresh']);
  await desk.write('list.csv', `${LIST}zz.example,,new\n`);
  const { kept } = await desk.json(['merge', 'out.csv', 'mine.csv', '-o', 'again.csv']);
  return { desk, kept };
}

const JOB = `operations: [enrich-company, enrich-person]
add: { employees: employee_count, title: job_title }
`;

/** As if each row of the file had been bought long ago. */
const aged = (file: string): string =>
  file.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2001-01-01T00:00:00.000Z').replaceAll('(sandbox)', '(old)');

test('everything that a newer run of several operations found takes the place of the older, also where the list has changed', async () => {
  const edit = (file: string): string =>
    aged(file).replaceAll(/[A-Z]\w+ ?[A-Z]?\w*(?=,matched)/g, 'Old title');
  const { desk, kept } = await mergedTwice(['job.yaml'], edit);
  expect(await rowsIn(desk, 'again.csv')).toEqual(await rowsIn(desk, 'out.csv'));
  expect(kept).toEqual([]);
});

test('the same holds without a job, wherever she has moved our columns, and a note of hers stays', async () => {
  const moved = (file: string): string => {
    const rows = parse(aged(file)) as string[][];
    const cells = rows.map(([domain, email, note, name, ...rest], at) =>
      [name, domain, at === 1 ? 'mine' : note, email, ...rest].map((cell) => `"${cell}"`).join(),
    );
    return `${cells.join('\n')}\n`;
  };
  for (const edit of [aged, moved]) {
    const { desk, kept } = await mergedTwice(['enrich-company'], edit);
    const [first, second] = await rowsIn(desk, 'out.csv');
    const Note = edit === moved ? 'mine' : 'a';
    expect(await rowsIn(desk, 'again.csv')).toEqual([{ ...first, Note }, second]);
    expect([kept, first?.name]).toEqual([[], expect.stringContaining('(sandbox)')]);
  }
});

test('a column of hers that is called like an answer since is not taken for one: it stays and is shown', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  await desk.type(['run', 'enrich-company', 'list.csv', '--budget', '90', '-o', 'out.csv']);
  const [header = '', first = '', second = ''] = (await desk.read('out.csv')).trimEnd().split('\n');
  // Another file of hers with a column of that name, to which the answers were added under another.
  const mine = [`name,${header.replace(',name,', ',found_name,')}`, `hers,${first}`, `hers too,${second}`];
  await desk.write('mine.csv', `${mine.join('\n')}\n`);
  await desk.write('list.csv', `${LIST}zz.example,,new\n`);
  const { kept } = await desk.json(['merge', 'out.csv', 'mine.csv']);
  expect((await rowsIn(desk, 'mine.merged.csv')).map(({ name }) => name)).toEqual(['hers', 'hers too']);
  expect(kept).toHaveLength(2);
});
