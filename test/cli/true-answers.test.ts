/**
 * Goal: what a run says of its rows is what the vendor did and charged, whatever the vendor answers.
 * Method: a vendor that gives each answer of the table once, to a lookup, a removal and a change of role, and keeps its own
 * book of what it has done and charged; the real command over lists with a row for each answer. What is to be asked again
 * is asked in lists of its own, because it slows an account down.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { ANSWERS, type Answer, type OfChange, type OfLookup } from '../client/answers.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { some } from '../support/combinations.ts';
import { openDesk } from './desk.ts';

type Meaning = OfLookup | OfChange;

const WORDLESS = 'done silently';

const STATUS: Readonly<Record<Meaning, string>> = {
  match: 'matched',
  'match in part': 'matched',
  'no match': 'no_match',
  done: 'applied',
  [WORDLESS]: 'applied',
  'not there': 'refused',
  refused: 'refused',
  forbidden: 'refused',
  'in doubt': 'in_doubt',
  wait: '',
  'stop: key': '',
  'stop: address': '',
  'stop: credits': '',
};

const ALL: readonly Answer[] = ANSWERS.flatMap(({ answers }) => answers);

/** Those that leave a doubt stand between others, because many in a row are a reason to stop. */
function mixed(answers: readonly Answer[], meaningOf: (answer: Answer) => Meaning): readonly Answer[] {
  const [doubtful, others] = [true, false].map((wanted) =>
    answers.filter((each) => (meaningOf(each) === 'in doubt') === wanted),
  ) as [Answer[], Answer[]];
  return others.flatMap((each, at) => {
    const doubts = doubtful.slice(
      Math.floor((at * doubtful.length) / others.length),
      Math.floor(((at + 1) * doubtful.length) / others.length),
    );
    return [each, ...doubts];
  });
}

interface Script {
  readonly answers: readonly Answer[];
  readonly meaningOf: (answer: Answer) => Meaning;
  /** What an answer says that was asked for again. */
  readonly good: string;
  /** The number of the answer that a request asks for. */
  numberIn(path: string, body: string): number;
}

/** The vendor's own book: what it has done and charged for each answer, and how often it was asked for it. */
async function openVendor({ answers, meaningOf, good, numberIn }: Script) {
  const asked = answers.map(() => 0);
  const done = new Set<number>();
  const vendor = await ScriptedVendor.start((request, response) => {
    const number = numberIn(request.path, request.body);
    const answer = answers[number];
    if (answer === undefined) throw new Error(`nobody may ask for ${request.path}`);
    const times = (asked[number] ?? 0) + 1;
    asked[number] = times;
    const meaning = meaningOf(answer);
    const isAgain = meaning === 'wait' && times > 1;
    if (isAgain || /^(?:match|done)/.test(meaning)) done.add(number);
    const [status, body] = isAgain ? [200, good.replace('Acme', `Acme ${number}`)] : answer;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0.01' });
    response.end(
      status === 204
        ? undefined
        : body.replaceAll('u-17', `u-${1000 + number}`).replaceAll('acme.com.au', `${number}.example`),
    );
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return { url: vendor.url, asked, done };
}

/** Runs a list with a row for each answer. */
async function runOver(kind: 'lookup' | 'removal' | 'role', answers: readonly Answer[]) {
  const isLookup = kind === 'lookup';
  const column = { lookup: 2, removal: 3, role: 4 } as const;
  const vendor = await openVendor({
    answers,
    meaningOf: (answer) => answer[column[kind]],
    good: isLookup ? '{"name":"Acme"}' : '{"ok":true}',
    numberIn: (path, body) =>
      isLookup ? Number(/(\d+)\.example/.exec(body)?.[1]) : Number(/\/u-(\d+)\//.exec(path)?.[1]) - 1000,
  });
  const desk = await openDesk();
  const own = isLookup ? {} : { organization_id: 'o-1', project_id: 'proj-1' };
  const account = {
    ...{ vendor: isLookup ? 'provider' : 'service', base_url: vendor.url, key: 'key-1' },
    ...{ ...own, limits: { per_second: 2000, concurrency: 8 } },
  };
  await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { ours: account } }));
  const row = (_: Answer, at: number): string => (isLookup ? `${at}.example` : `u-${1000 + at},editor`);
  const header = isLookup ? 'Domain' : 'User_id,Role';
  await desk.write('list.csv', `${header}\n${answers.map(row).join('\n')}\n`);
  const job = { lookup: 'enrich-company', removal: 'remove-user', role: 'change-role' }[kind];
  const report = await desk.json(['run', job, 'list.csv', '--yes', '--budget', '999', '-o', 'out.csv']);
  return { vendor, report, rows: desk.place.rows(), desk };
}

/** Answers that are neither a word of the vendor nor come whole are lost ones, which other tests are about. */
const isLost = ([status, body]: Answer): boolean =>
  status >= 500 || status === 408 || (status >= 400 && !/^["{[]/.test(body));

describe.each<[kind: 'lookup' | 'removal' | 'role', column: 2 | 3 | 4]>(
  some(
    [
      ['lookup', 2],
      ['removal', 3],
      ['role', 4],
    ],
    1,
  ),
)('a %s', (kind, column) => {
  const meaningOf = (answer: Answer): Meaning => answer[column];

  test('an answer ends its row as its vendor has ended it, at its vendor’s price, whatever the answer', async () => {
    const settling = ALL.filter((answer) => STATUS[meaningOf(answer)] !== '' && !isLost(answer));
    expect(settling.length).toBeGreaterThan(120);
    const answers = mixed(some(settling, 60), meaningOf);
    const { vendor, report, rows, desk } = await runOver(kind, answers);
    expect(report).toMatchObject({ stopped: null, rows: answers.length });
    expect(rows.map(({ _status }) => _status)).toEqual(answers.map((each) => STATUS[meaningOf(each)]));
    const reported = rows.flatMap(({ _status = '' }, at) => (/applied|matched/.test(_status) ? [at] : []));
    expect(reported).toEqual([...vendor.done].sort((one, other) => one - other));
    if (kind === 'lookup') return expect(report.credits.spent).toBe(vendor.done.size);
    const silent = answers.filter((each) => meaningOf(each) === WORDLESS).length;
    expect(silent).toBeGreaterThan(10);
    expect(report.changes.without_a_word).toBe(silent);
    expect((await desk.type(['status', report.batch])).stdout).toContain(
      `\nNo word    ${silent} changes confirmed without details: the service said yes`,
    );
    expect(await desk.read('out.report.html')).toContain(
      `<p>${silent} changes confirmed without details: the service said yes`,
    );
  });

  test('a row that is told to wait is asked for again, and done once', async () => {
    const waiting = ALL.filter((answer) => meaningOf(answer) === 'wait');
    expect(waiting.length).toBeGreaterThan(5);
    const answers = some(waiting, 2);
    const { vendor, report, rows } = await runOver(kind, answers);
    expect(report).toMatchObject({ stopped: null });
    const statuses = new Set(rows.map(({ _status }) => _status));
    expect(statuses).toEqual(new Set([kind === 'lookup' ? 'matched' : 'applied']));
    expect(vendor.asked).toEqual(answers.map(() => 2));
    expect(vendor.done.size).toBe(answers.length);
  });
});
