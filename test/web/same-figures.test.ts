/**
 * Goal: a batch has the same figures wherever somebody looks: on the page, in its rows, in `--json`, in the report and in what is
 * downloaded, after every kind of ending and decision.
 * Method: real commands before the sandbox as a vendor that loses answers, and a real page beside them. After each step all faces are
 * asked, and held against the rows that the download has.
 */
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { Served } from './served.ts';

type Figures = Readonly<Record<string, number>>;

interface Faces {
  readonly all: () => Promise<Readonly<Record<string, Figures>>>;
}

const STATUSES = 'matched no_match applied unchanged invalid refused in_doubt skipped pending';

function countedIn(statuses: readonly (string | undefined)[]): Figures {
  const counts: Record<string, number> = {};
  for (const status of statuses) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The table of the report in which each status has a line. */
function countsOfReport(html: string): Figures {
  const lines = [...html.matchAll(/<tr><td[^>]*>(\w+)<td[^>]*>([\d,]+)/g)];
  const known = STATUSES.split(' ');
  return Object.fromEntries(
    lines.flatMap(([, name = '', count = '']) =>
      known.includes(name) && count !== '0' ? [[name, Number(count.replaceAll(',', ''))]] : [],
    ),
  );
}

async function facesOf(desk: Desk, batch: string): Promise<Faces> {
  const page = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(async () => void (await page.stop('SIGKILL')));
  const ask = async (path: string, body?: object) => {
    const more = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return JSON.parse((await page.tool(`/api/batches/${batch}${path}`, more)).body);
  };
  const taken = async (wanted: object): Promise<string> =>
    (await page.ask(`/downloads/${(await ask('/tickets', wanted)).ticket}`)).body;
  const whole = (counts: Figures, rows: number): Figures => {
    const pending = rows - Object.values(counts).reduce((sum, count) => sum + count, 0);
    return pending === 0 ? counts : { ...counts, pending };
  };
  return {
    all: async () => {
      const detail = await ask('');
      const shown = await ask('/rows');
      const json = await desk.json(['status', batch]);
      const [line] = (await desk.json(['status'])).batches;
      const rows: Record<string, string>[] = parse(await taken({ what: 'output', format: 'csv' }), {
        columns: true,
      });
      return {
        'the page of the batch': whole(detail.counts, detail.rows),
        'its rows': countedIn(shown.rows.map(({ status }: { status: string }) => status)),
        'the figures above them': shown.counts,
        'status --json': whole(json.counts, json.rows),
        'the list of batches': whole(line.counts, line.rows),
        'the download': countedIn(rows.map(({ _status }) => _status)),
        'the report': countsOfReport(await taken({ what: 'report' })),
      };
    },
  };
}

async function expectAlike(faces: Faces, expected: Figures, when: string): Promise<void> {
  for (const [face, figures] of Object.entries(await faces.all()))
    expect(figures, `${face}, ${when}`).toEqual(expected);
}

test('of lost answers: held, answered, found nothing, skipped, named again, not done, and sent again', async () => {
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
