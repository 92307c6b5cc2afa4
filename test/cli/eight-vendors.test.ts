/**
 * Goal: a vendor that is described by a shipped dialect is usable as it is: its list is done, nothing is asked twice, and what our books
 * have spent is what the vendor's own book says; alone, after another vendor that had nothing, and where the program is killed twice.
 * Method: the real command and an account that is not play money, before a process of its own that answers as the vendor's reference
 * shows and keeps a book of its charges.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EIGHT, KEY, LIST, type StandIn } from '../client/documented/eight.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { proof, some } from '../support/combinations.ts';
import { type Desk, openDesk } from './desk.ts';

const STAND_IN = fileURLToPath(new URL('../client/documented/stand-in.ts', import.meta.url));
const DIALECTS = join(import.meta.dirname, '..', '..', 'fixtures', 'dialects');

const WANTED = { 'find-email': 'email', 'check-email': 'verdict', 'check-phone': 'verdict' } as const;

interface AtVendor {
  readonly desk: Desk;
  /** Whom the vendor was paid for, in order, and what it has charged for all of them. */
  book(): { readonly asked: readonly string[]; readonly charged: number };
}

/** The shipped dialect, whose later answers are asked for without the wait that the vendor wants. */
async function writeDialect(desk: Desk, name: string): Promise<string> {
  const text = readFileSync(join(DIALECTS, `${name}.yaml`), 'utf8');
  if (!text.includes('later:')) return name;
  await desk.write(`config/${name}.yaml`, text.replaceAll(/every: \d+s/g, 'every: 50ms'));
  return `${name}.yaml`;
}

async function deskAt(vendor: StandIn, before?: object): Promise<AtVendor> {
  const desk = await openDesk();
  const path = desk.place.path('book.jsonl');
  const child = spawn(process.execPath, [STAND_IN, vendor.dialect, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  const { secrets } = vendor;
  const account = {
    vendor: 'provider',
    base_url: `http://127.0.0.1:${port}`,
    key: KEY,
    limits: { per_second: 2_000, concurrency: 1 },
    dialect: await writeDialect(desk, vendor.dialect),
    ...(secrets && { secrets }),
  };
  desk.place.writeAccounts({ ...before, ours: account });
  const step = {
    account: [...Object.keys(before ?? {}), 'ours'],
    add: { Got: WANTED[vendor.operation] },
  };
  await desk.write('list.csv', LIST);
  const job = { columns: vendor.asked, operations: { [vendor.operation]: step } };
  await desk.write('job.yaml', JSON.stringify(job));
  const lines = () => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  return {
    desk,
    book: () => {
      const entries = lines().map((line) => JSON.parse(line));
      const charged = entries.reduce((sum, entry) => sum + entry.charged, 0);
      return { asked: entries.map(({ name }) => name), charged };
    },
  };
}

const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '99', '--max-pause', '20s'];

const got = ({ desk }: AtVendor): readonly string[] => desk.place.rows().map(({ Got = '' }) => Got);

/** An account that finds no one for nothing, or that cannot tell. */
async function nobody(desk: {
  readonly operation: StandIn['operation'];
  readonly asked: object;
}): Promise<object> {
  const vendor = await ScriptedVendor.start((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('date', new Date().toUTCString());
    response.end(JSON.stringify({ at: { is: desk.operation === 'find-email' ? null : 'unsure' } }));
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return { vendor: 'provider', id: 'nobody', base_url: vendor.url, key: 'k', dialect: 'nobody.yaml' };
}

const nobodyDialect = ({ operation, asked }: StandIn): object => ({
  operations: {
    [operation]: {
      method: 'POST',
      path: '/ask',
      by: [Object.keys(asked).join('+')],
      gives: { [WANTED[operation]]: 'at.is' },
      credits: { most: 0, found: 0 },
      ...(operation !== 'find-email' && { verdicts: { valid: 'sure', unknown: 'unsure' } }),
    },
  },
});

describe.each(EIGHT.map((vendor) => [vendor.dialect, vendor] as const))('%s', (_, vendor) => {
  test('alone: each is asked once, and spent is what its book says', async () => {
    const at = await deskAt(vendor);
    const { credits, counts } = await at.desk.json(RUN);
    expect(got(at)).toEqual(vendor.wanted);
    expect(at.book().asked).toEqual(['ann', 'bob', 'cat']);
    expect({ ...credits, counts }).toMatchObject({ spent: at.book().charged, in_doubt: 0 });
    await at.desk.json(RUN);
    expect(at.book().asked).toHaveLength(3);
  });

  test('after a vendor that had nothing: the same', async () => {
    const at = await deskAt(vendor, { nobody: await nobody(vendor) });
    at.desk.place.writeDialect(nobodyDialect(vendor), 'nobody.yaml');
    const { credits } = await at.desk.json(RUN);
    expect(got(at)).toEqual(vendor.wanted);
    expect(at.book().asked).toEqual(['ann', 'bob', 'cat']);
    expect(credits).toMatchObject({ spent: at.book().charged, in_doubt: 0 });
  });

  const once = some(EIGHT, 2).includes(vendor) ? test : proof;

  once('killed twice: nothing is asked twice, and its book is what was spent or may have been', async () => {
    const at = await deskAt(vendor);
    for (const point of ['after-send', 'after-keep'])
      await at.desk.type(RUN, { env: { ROWONCE_CRASH_AT: point, ROWONCE_TEST_HOOKS: '1' } });
    const { credits } = await at.desk.json(RUN);
    expect(at.book().asked).toEqual(['ann', 'bob', 'cat']);
    expect(got(at).slice(1)).toEqual(vendor.wanted.slice(1));
    expect(at.desk.place.statuses()[0]).toBe('in_doubt');
    expect(credits.spent + credits.in_doubt).toBe(at.book().charged);
  });
});
