import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../src/core/events.ts';
import { present } from '../../src/core/objects.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { openDesk } from '../cli/desk.ts';
import { proof, some } from '../combinations.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { rowsRead } from '../ledger/stores/rows-read.ts';

/**
 * Goal: a list of which every row was bought before is written while its rows are finished, each answer read once, and what is
 * written is what the ledger gives when the same command is typed again.
 * Method: lists of thousands of rows about few companies, as such a list is worked on piece by piece; what the ledger
 * is asked for is counted in this process.
 */

const KNOWN = domainsOf('known', 20);

const ROWS = 3_000;

/** Rows of a hundred bytes, each about one of the domains, so that a thousand are read together. */
function longList(domainOf: (row: number) => string): string {
  const remark = `"${'said on the telephone, '.repeat(4)}"`;
  const lines = Array.from({ length: ROWS }, (_, row) => `${row + 1},${domainOf(row)},${remark}\n`);
  return `No,Domain,Remark\n${lines.join('')}`;
}

const known = (row: number): string => KNOWN[row % KNOWN.length] ?? '';

interface Ran {
  /** Undefined: none was written. */
  readonly output: string | undefined;
  readonly events: readonly RunEvent[];
  readonly stopped: string | undefined;
}

/** @param hear is told of each event. */
async function runHere(
  place: Workplace,
  file: string,
  hear: (event: RunEvent) => void = () => {},
  signal?: AbortSignal,
): Promise<Ran> {
  process.env.ROWONCE_CONFIG = place.path('config');
  onTestFinished(() => {
    delete process.env.ROWONCE_CONFIG;
  });
  const output = place.path(`${file}.out.csv`);
  const events: RunEvent[] = [];
  const where = { file: place.path(file), store: place.path('store'), output };
  const order = { job: 'enrich-company', account: 'data', mayCreateStore: true, budget: credits(1000) };
  const onEvent = (event: RunEvent): void => {
    events.push(event);
    hear(event);
  };
  const { files, stopped } = await runJob({ ...order, ...where, onEvent, ...present({ signal }) });
  return { output: files.output && readFileSync(files.output, 'utf8'), events, stopped: stopped?.code };
}

/** A place whose store knows the companies. */
async function placeThatKnows(domains: readonly string[], url?: string): Promise<Workplace> {
  const place = await Workplace.open();
  onTestFinished(() => place[Symbol.asyncDispose]());
  if (url !== undefined) place.writeAccount(url);
  place.writeList(domains, 'bought.csv');
  await runHere(place, 'bought.csv');
  return place;
}

const rowsTold = (events: readonly RunEvent[]): readonly number[] =>
  events.flatMap((event) => (event.kind === 'row' ? [event.row] : [])).sort((one, other) => one - other);

const EVERY_ROW = Array.from({ length: ROWS }, (_, at) => at + 2);

proof(
  'a list whose every row is known is written as it is finished, and the ledger gives the same again',
  async () => {
    const place = await placeThatKnows(KNOWN);
    writeFileSync(place.path('long.csv'), longList(known));
    const read = rowsRead();
    const first = await runHere(place, 'long.csv');
    // Those of the first piece, by which the columns are known: twice, as the copy begins with them.
    expect(read()).toBeLessThan(ROWS);
    expect(rowsTold(first.events)).toEqual(EVERY_ROW);
    expect(first.events.map(({ kind }) => kind).at(-1)).toBe('writing');
    const readBefore = read();
    const again = await runHere(place, 'long.csv');
    expect(read() - readBefore).toBeGreaterThanOrEqual(ROWS);
    expect(again.output).toBe(first.output);
  },
);

test.each(
  some(
    [
      ['first', 0],
      ['last', ROWS - 1],
    ],
    1,
  ),
)(
  'where nobody knows the %s row it is bought, and the output is written from the ledger',
  async (_, unknown) => {
    const place = await placeThatKnows(KNOWN);
    writeFileSync(
      place.path('long.csv'),
      longList((row) => (row === unknown ? 'new.example' : known(row))),
    );
    const read = rowsRead();
    const first = await runHere(place, 'long.csv');
    expect(read()).toBeGreaterThanOrEqual(ROWS);
    expect(rowsTold(first.events)).toEqual(EVERY_ROW);
    expect((await place.vendor.book()).requests).toBe(21);
    expect((await runHere(place, 'long.csv')).output).toBe(first.output);
  },
);

proof('an answer with a field that none of the first answers has gets its column in every row', async () => {
  const late = 'late.example';
  await using vendor = await ScriptedVendor.start(({ body }, response) => {
    const { domain } = JSON.parse(body);
    const more = domain === late ? { employees: 7 } : {};
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ name: domain, ...more }));
  });
  const place = await placeThatKnows([...KNOWN, late], vendor.url);
  writeFileSync(
    place.path('long.csv'),
    longList((row) => (row === ROWS - 1 ? late : known(row))),
  );
  const first = await runHere(place, 'long.csv');
  expect(first.output?.split('\n', 1)[0]).toContain(',employees,');
  expect(rowsTold(first.events)).toEqual(EVERY_ROW);
  expect((await runHere(place, 'long.csv')).output).toBe(first.output);
  expect(vendor.requests).toHaveLength(21);
});

test('a run that is stopped in between writes nothing, and the next one goes on with the rows that are left', async () => {
  const place = await placeThatKnows(KNOWN);
  writeFileSync(place.path('long.csv'), longList(known));
  const stopping = new AbortController();
  let finished = 0;
  const stopAmidst = ({ kind }: RunEvent): void => {
    if (kind === 'row') finished += 1;
    if (finished === 1_200) stopping.abort();
  };
  const first = await runHere(place, 'long.csv', stopAmidst, stopping.signal);
  expect(first).toMatchObject({ stopped: 'interrupted', output: undefined });
  expect(existsSync(place.path('long.csv.out.csv'))).toBe(false);
  const next = await runHere(place, 'long.csv');
  expect(rowsTold(first.events.concat(next.events))).toEqual(EVERY_ROW);
  expect((await runHere(place, 'long.csv')).output).toBe(next.output);
});

proof('after a kill at any step the same command writes the same', async () => {
  const desk = await openDesk();
  desk.place.writeList(KNOWN, 'bought.csv');
  await desk.type(['run', 'enrich-company', 'bought.csv', '--budget', '1000']);
  // Nobody can be asked about row 2,002.
  const list = longList((row) => (row === 2_000 ? 'no domain' : known(row)));
  const outputs: string[] = [];
  for (const point of ['after-row:1500', 'output-written']) {
    await desk.write('list.csv', list.replace('Remark', point));
    expect(await desk.type(desk.run(), { env: { ROWONCE_CRASH_AT: point } })).toMatchObject({ code: null });
    expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
    outputs.push((await desk.read('out.csv')).replace(point, 'Remark'));
    // There is nothing left to finish, so this one comes from the ledger.
    await desk.type(desk.run());
    expect(await desk.read('out.csv')).toBe(outputs.at(-1)?.replace('Remark', point));
  }
  expect(new Set(outputs).size).toBe(1);
  expect(outputs[0]?.split('\n').filter((line) => line.includes(',ledger,'))).toHaveLength(ROWS - 1);
  expect(await desk.requests()).toBe(20);
});
