import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { parse } from 'csv-parse';
import { callKeyOf } from '../src/call-key.ts';
import { systemClock } from '../src/clock.ts';
import { type BatchId, credits, type Ledger } from '../src/ledger.ts';
import sqlite from '../src/stores/sqlite.ts';
import { abn, connect, inFolder, PROGRAM } from './program.ts';

/** How long `plan` takes over a million rows of which the store knows half, beside nothing but parsing the same file. */

const ROWS = 1_000_000;

/** The identity of the account that `connect` writes. */
const ACCOUNT = '["id","bench"]';

/** As long as an answer with some ten fields. */
const ANSWER = Buffer.from(JSON.stringify({ name: 'Company (sandbox)', about: 'x'.repeat(200) }));

/** Enough to fill the store's groups of commits. */
const WRITES_AT_ONCE = 512;

export function measurePlan(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const list = join(folder, 'list.csv');
    await writeList(list);
    // No vendor is there: a plan never sends.
    const env = await connect(folder, 'http://127.0.0.1:1', 1);
    await fillStore(join(folder, 'store'));
    const bare = await timed(() => parseAlone(list));
    const described = await timed(() => type(['plan', list], env));
    const planned = await timed(() => type(['plan', 'enrich-company', list, '--account', 'data'], env));
    const words = (name: string, seconds: number): string =>
      `${name.padEnd(40)} ${seconds.toFixed(1)} s, ${(seconds / bare).toFixed(1)} times the parsing`;
    return [
      `${'csv-parse alone'.padEnd(40)} ${bare.toFixed(1)} s for ${ROWS} rows`,
      words('plan FILE', described),
      words('plan enrich-company FILE, half bought', planned),
    ];
  });
}

async function writeList(path: string): Promise<void> {
  const file = createWriteStream(path);
  file.write('ABN,Name,Street,Town,State,Postcode,Website\n');
  for (let row = 0; row < ROWS; row += 1) {
    const street = `"${row % 900} Example Street, Level ${row % 30}"`;
    const line = `${abn(row)},Company ${row} Pty Ltd,${street},Sydney,NSW,2000,https://www.company-${row}.example/about\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

/** A store that has bought every other row, as an earlier batch would have. */
async function fillStore(location: string): Promise<void> {
  const options = { clock: systemClock, waitForLockMs: 0, create: true, command: 'bench' };
  const ledger = await sqlite.open(location, options);
  const { batch } = await ledger.beginBatch({
    key: 'bench',
    lineage: 'bench',
    accountIdentity: ACCOUNT,
    accountName: 'data',
    sandbox: false,
    vendor: 'provider',
    operation: 'enrich-company',
    inputPath: '/elsewhere.csv',
    inputSha256: 'bench',
    inputRows: ROWS / 2,
    settings: {},
    createdAtMs: Date.now(),
  });
  let row = 0;
  const buyNext = async (): Promise<void> => {
    while (row < ROWS) {
      const next = row;
      row += 2;
      await buy(ledger, batch.id, next);
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, buyNext));
  await ledger.close();
}

async function buy(ledger: Ledger, batch: BatchId, row: number): Promise<void> {
  const call = { operation: 'enrich-company', parameters: { abn: abn(row) }, ifLost: 'hold' } as const;
  const atMs = Date.now();
  const key = callKeyOf(ACCOUNT, call);
  const intent = { key, accountIdentity: ACCOUNT, call, batch, row: row + 2, reserve: credits(1), atMs };
  const admission = await ledger.admit(intent);
  if (admission.kind !== 'admitted') throw new Error('the store of the bench has a budget');
  await ledger.record(admission.attempt, { status: 200, headers: {}, body: ANSWER, receivedAtMs: atMs });
  const closure = { kind: 'settled', answer: 'found', charged: credits(1), why: 'found' } as const;
  await ledger.closeAttempt(admission.attempt, closure, atMs);
}

/** With the options that the program reads lists with. */
async function parseAlone(path: string): Promise<void> {
  const options = { bom: true, record_delimiter: ['\r\n', '\n', '\r'], skip_empty_lines: true };
  for await (const _ of createReadStream(path).pipe(parse(options)));
}

async function type(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--quiet'], { env });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
