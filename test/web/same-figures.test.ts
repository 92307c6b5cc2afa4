/**
 * Goal: a batch has the same figures wherever somebody looks: on the page, in its rows, in `--json`, in what is downloaded and,
 * of changes, in the report, after every kind of ending and decision.
 * Method: real commands before the sandbox as a vendor that loses answers, and a real page beside them. After each step all faces are
 * asked, and held against the rows that the download has.
 */
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, deskBefore, openDesk, SERVICE } from '../cli/desk.ts';
import { Served } from './served.ts';

type Figures = Readonly<Record<string, number>>;

interface Faces {
  readonly all: () => Promise<Readonly<Record<string, Figures>>>;
}

function countedIn(statuses: readonly (string | undefined)[]): Figures {
  const counts: Record<string, number> = {};
  for (const status of statuses) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Of changes the report has a column for each status; of lookups it says other figures. */
function countsOfReport(html: string): Figures {
  const [, heads = '', all = ''] =
    /<tr><th>project<\/th><th>wanted<\/th>(.*?)<\/tr>.*<tr><td>all<\/td><td><\/td>(.*?)<\/tr>/.exec(html) ??
    [];
  const names = heads
    .replaceAll(/<\/t[hd]>/g, '')
    .replace('left out', 'skipped')
    .split(/<th[^>]*>/)
    .slice(1);
  const counts = all
    .replaceAll(/<\/t[hd]>/g, '')
    .split(/<td[^>]*>/)
    .slice(1);
  return Object.fromEntries(names.map((name, at) => [name.replaceAll(' ', '_'), Number(counts[at])]));
}

async function facesOf(desk: Desk, batch: string): Promise<Faces> {
  const page = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(async () => void (await page.stop('SIGKILL')));
  const ask = async (path: string) => JSON.parse((await page.tool(`/api/batches/${batch}${path}`)).body);
  const exported = async () => {
    const { body } = await page.tool('/api/export', { method: 'POST', body: JSON.stringify({ batch }) });
    const { tickets } = JSON.parse(body);
    return async (what: string) => (await page.ask(`/downloads/${tickets[what].ticket}`)).body;
  };
  const whole = (counts: Figures, rows: number): Figures => {
    const pending = rows - Object.values(counts).reduce((sum, count) => sum + count, 0);
    return pending === 0 ? counts : { ...counts, pending };
  };
  return {
    all: async () => {
      const detail = await ask('');
      const shown = await ask('/rows');
      const json = await desk.json(['status', batch]);
      const line = (await desk.json(['status'])).batches.find(
        ({ batch: id }: { batch: string }) => id === batch,
      );
      const written = async (): Promise<Record<string, Figures>> => {
        const taken = await exported();
        const rows: Record<string, string>[] = parse(await taken('output'), { columns: true });
        return {
          'the download': countedIn(rows.map(({ _status }) => _status)),
          ...(json.changes === undefined ? {} : { 'the report': countsOfReport(await taken('report')) }),
        };
      };
      return {
        'the page of the batch': whole(detail.counts, detail.rows),
        'its rows': countedIn(shown.rows.map(({ status }: { status: string }) => status)),
        'the figures above them': shown.counts,
        'status --json': whole(json.counts, json.rows),
        'the list of batches': whole(line.counts, line.rows),
        ...(json.changes === undefined ? {} : { 'its changes': json.changes.counts }),
        ...(await written()),
      };
    },
  };
}

async function expectAlike(faces: Faces, expected: Figures, when: string): Promise<void> {
  for (const [face, figures] of Object.entries(await faces.all()))
    expect(figures, `${face}, ${when}`).toEqual(expected);
}

test('figures of lost answers: held, answered, found nothing, skipped, named again, not done, and sent again', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x4', concurrency: 1 });
  desk.list(5);
  await desk.type(desk.run());
  const { batch } = await desk.json(['status', 'last']);
  const faces = await facesOf(desk, batch);
  await expectAlike(faces, { in_doubt: 4, matched: 1 }, 'after the run');
  const settle = async (row: string, ...words: readonly string[]) =>
    expect((await desk.type(['settle', batch, row, ...words])).code, `${row} ${words}`).toBe(0);
  await settle('2', '--answer', 'name=Acme');
  await settle('3', '--answer', 'no_match');
  await settle('4', '--skip');
  await expectAlike(faces, { in_doubt: 1, matched: 2, no_match: 1, skipped: 1 }, 'told, and skipped');
  await settle('4', '--not-done');
  await settle('5', '--retry', '--extra-credits', '1');
  await expectAlike(
    faces,
    { matched: 2, no_match: 1, pending: 2 },
    'named again, not done, and to be sent again',
  );
  await desk.type(desk.run());
  await expectAlike(faces, { matched: 4, no_match: 1 }, 'after the next run');
});

test('figures of changes: lost, refused, told, skipped, and no longer read as done', async () => {
  const { desk, speak } = await deskBefore((_, nth) => {
    if (nth === 2 || nth === 3) return undefined;
    if (nth === 4) return new Response('{"error":{"message":"no seats"}}', { status: 422 });
    return { invite_code: `invite-${nth}`, ...(nth === 5 ? { note: 'odd' } : {}) };
  }, SERVICE);
  const rule = { status: [200], body: { path: 'note', equals: 'odd' } };
  const readsAs = (means: string): void =>
    speak({ vendor: 'service', operations: { 'create-invite': { answers: [{ ...rule, means }] } } });
  readsAs('found');
  const people = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@team.example,viewer\n`).join('');
  await desk.write('list.csv', `Email,Role\n${people}`);
  const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
  const { batch } = await desk.json(run);
  const faces = await facesOf(desk, batch);
  await expectAlike(faces, { applied: 2, in_doubt: 2, refused: 1 }, 'after the run');
  await desk.type(['settle', batch, '3', '--answer', 'invite_code=invite-9']);
  await expectAlike(faces, { applied: 3, in_doubt: 1, refused: 1 }, 'told');
  await desk.type(['settle', batch, '4', '--skip']);
  await expectAlike(faces, { applied: 3, skipped: 1, refused: 1 }, 'skipped');
  readsAs('in_doubt');
  await desk.type(run);
  await expectAlike(faces, { applied: 2, in_doubt: 1, skipped: 1, refused: 1 }, 'read anew');
  await desk.type(['settle', batch, '6', '--not-done']);
  await expectAlike(faces, { applied: 2, skipped: 1, refused: 2 }, 'not done');
});
