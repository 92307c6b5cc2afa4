/**
 * Goal: batches that run at once in one process share what belongs to their account, which is its limit, its pauses, its
 * key and its unfinished business, and nothing else.
 * Method: real lists, a real store and a vendor process for each account; several runs side by side on one open store.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stop } from '../../src/core/errors.ts';
import type { RunEvent } from '../../src/core/events.ts';
import { credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import type { FileOptions } from '../../src/plan/context.ts';
import { choose } from '../../src/run/choose.ts';
import { openSpender, type Spender } from '../../src/run/run-job.ts';
import { Sessions } from '../../src/run/sessions.ts';
import { Vendor, type VendorOptions } from '../faults/vendor.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { connect } from './connected.ts';

/** The accounts `one` and `two`, each with a vendor process, a key and limits of its own. */
interface Place {
  readonly folder: string;
  readonly vendors: { readonly one: Vendor; readonly two: Vendor };
}

type AccountName = keyof Place['vendors'];

async function openPlace(
  options: Partial<Record<AccountName, VendorOptions>>,
  limits: object,
): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-sessions-'));
  const start = (name: AccountName): Promise<Vendor> => {
    mkdirSync(join(folder, name));
    return Vendor.start(join(folder, name), options[name]);
  };
  const vendors = { one: await start('one'), two: await start('two') };
  const account = (name: AccountName): object => ({
    vendor: 'provider',
    base_url: vendors[name].url,
    key: `key-${name}`,
    limits,
  });
  const accounts = { one: account('one'), two: account('two') };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
  vi.stubEnv('ROWONCE_CONFIG', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([vendors.one.stop(), vendors.two.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, vendors };
}

async function openStore(folder: string): Promise<Spender> {
  const spender = await openSpender(false, { store: join(folder, 'store') });
  onTestFinished(() => spender.close());
  return spender;
}

/** A list of so many domains that no other list has. */
function writeList(folder: string, name: string, rows: number): string {
  const path = join(folder, `${name}.csv`);
  writeFileSync(
    path,
    `Domain\n${domainsOf(name, rows)
      .map((domain) => `${domain}\n`)
      .join('')}`,
  );
  return path;
}

async function runOn(
  spender: Spender,
  account: string,
  file: string,
  more: Partial<FileOptions> = {},
): Promise<RunObject> {
  const chosen = await choose({ job: 'enrich-company', entries: { account } });
  return spender.run(chosen, { file, output: `${file}.out`, budget: credits(1_000), ...more });
}

/** Resolves with the first event of that kind. */
function firstOf(kind: RunEvent['kind']): { readonly heard: Promise<void>; onEvent(event: RunEvent): void } {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  return { heard, onEvent: (event) => event.kind === kind && resolve() };
}

const AMPLE = { concurrency: 4, per_second: 10_000 };

test('a pause of one account does not hold another', async () => {
  const { folder, vendors } = await openPlace({ one: { faults: '429:1' } }, AMPLE);
  const spender = await openStore(folder);
  const paused = firstOf('paused');
  const ending = new AbortController();
  const held = runOn(spender, 'one', writeList(folder, 'held', 20), {
    onEvent: paused.onEvent,
    signal: ending.signal,
  });
  await paused.heard;
  expect(await runOn(spender, 'two', writeList(folder, 'free', 20))).toMatchObject({
    counts: { matched: 20 },
    pauses: { count: 0 },
  });
  ending.abort(stop('interrupted', 'Stopped.', 'Go on.'));
  expect(await held).toMatchObject({ counts: {}, stopped: { code: 'interrupted' } });
  expect((await vendors.one.book()).charges).toBe(0);
});

test('what a kill left open is settled once, by the first of several runs, and the others wait for it', async () => {
  await using workplace = await Workplace.open();
  const { folder } = workplace;
  workplace.writeAccount(workplace.vendor.url, { limits: AMPLE });
  workplace.writeList(domainsOf('killed', 40));
  await workplace.run({ crashAt: 'after-send:7' });
  vi.stubEnv('ROWONCE_CONFIG', join(folder, 'config'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const spender = await openSpender(false, { store: join(folder, 'store') });
  const sessions = new Sessions();
  const [first, second] = [
    await connect(spender.ledger, 'data', { sessions }),
    await connect(spender.ledger, 'data', { sessions }),
  ];
  const recoveries = [first, second].map(({ run }) => sessions.recover(run));
  const [settledFirst, settledSecond] = await Promise.all(recoveries);
  expect(settledFirst).toBeGreaterThan(0);
  expect(settledSecond).toBe(0);
  await Promise.all([first.run.close(), second.run.close()]);
  await spender.close();
});
