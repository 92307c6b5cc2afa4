import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { measureDrops } from './drop.ts';
import { costOf, inFolder, median, memoryOf } from './program.ts';
import { Desk, startSpeedVendor, writeWideList } from './speed/fixture.ts';

/**
 * What the page's server does beside a large store: how long it takes to answer, and how large it becomes. The store has many small
 * batches, and one of a million rows: `npm run bench page -- BATCHES ROWS` takes others. `npm run bench page -- drop` measures what is
 * waited for after a drop.
 */
export async function measurePage([first = '500', ...others]: readonly string[]): Promise<readonly string[]> {
  if (first === 'drop') return measureDrops(others);
  const [batches, rows = '1000000'] = [first, ...others];
  return inFolder(async (folder) => {
    const vendor = await startSpeedVendor([]);
    try {
      const desk = await Desk.open(folder, vendor.url);
      for (let at = 1; at <= Number(batches); at += 1) await buy(desk, `leads-${at}.csv`, 10);
      await buy(desk, 'leads.csv', Number(rows));
      return await measured(desk, Number(rows));
    } finally {
      vendor.stop();
    }
  });
}

async function buy(desk: Desk, name: string, rows: number): Promise<void> {
  await writeWideList(desk.path(name), rows);
  await costOf(desk.run('store', desk.path(name)));
}

async function measured(desk: Desk, rows: number): Promise<readonly string[]> {
  const { words, env } = desk.rowonce('store', 'serve', '--no-open');
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    const { url, token } = await servedAt(desk.path('store/serve.json'));
    const headers = { authorization: `Bearer ${token}` };
    const ask: Ask = async (path, body) => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, { headers, ...sent });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return answer.text();
    };
    const { batches } = JSON.parse(await ask('/api/batches'));
    const { batch } = batches[0];
    const asked: readonly { readonly path: string; readonly body?: object }[] = [
      { path: '/api/batches' },
      { path: '/api/batches?page=3' },
      { path: '/api/lists' },
      { path: '/api/tasks' },
      { path: '/api/status', body: { batch } },
      { path: '/api/status', body: { batch, limit: 100 } },
      { path: '/api/status', body: { batch, limit: 100, from: rows >> 1 } },
      { path: '/api/status', body: { batch, limit: 100, where: { _status: 'invalid' } } },
      { path: '/api/status', body: { batch, limit: 100, search: '00999998' } },
      { path: '/api/status', body: { batch, limit: 100, sort: '-Name' } },
    ];
    const lines: string[] = [];
    for (const { path, body } of asked) lines.push(await timed(path, body, ask));
    const [now, most] = [await memoryOf(child.pid, 'VmRSS'), await memoryOf(child.pid, 'VmHWM')];
    return [...lines, `memory: ${now.toFixed(0)} MiB, at most ${most.toFixed(0)} MiB`];
  } finally {
    child.kill();
    await once(child, 'close');
  }
}

/** Resolves when the server has written down where it listens. */
async function servedAt(path: string): Promise<{ readonly url: string; readonly token: string }> {
  for (;;) {
    const written = await readFile(path, 'utf8').catch(() => '');
    if (written !== '') return JSON.parse(written);
    await delay(20);
  }
}

type Ask = (path: string, body?: object) => Promise<string>;

/** Asked once of a server that has not been asked for it before, then nine times more. */
async function timed(path: string, body: object | undefined, ask: Ask): Promise<string> {
  const taken: number[] = [];
  let bytes = 0;
  for (let time = 0; time < 10; time += 1) {
    const began = performance.now();
    bytes = (await ask(path, body)).length;
    taken.push(performance.now() - began);
  }
  const [first = 0, middle] = [taken[0], median(taken)];
  const what = body === undefined ? path : `${path} ${JSON.stringify({ ...body, batch: '…' })}`;
  return `${what}: first ${first.toFixed(0)} ms, median ${middle.toFixed(0)} ms, ${bytes} bytes`;
}
