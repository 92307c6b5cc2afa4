import { dialectMark } from '../src/client/dialect.ts';
import provider from '../src/client/dialects/provider.ts';
import { callKeyOf } from '../src/core/call-key.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Digests } from '../src/core/format.ts';
import { rowInputOf } from '../src/files/input.ts';
import {
  type AttemptId,
  admit,
  type BatchId,
  closeAttempt,
  credits,
  type Ledger,
  recordReply,
} from '../src/ledger/ledger.ts';
import sqlite from '../src/ledger/stores/sqlite.ts';
import { abn } from './program.ts';
import { answerBody } from './speed/vendor.ts';

/** A store with bought answers, written through the ledger's contract as a run would have, but without a vendor. */

/** The identity of the account that `connect` writes. */
const ACCOUNT = '["id","bench"]';

const ANSWER = Buffer.from(answerBody(0));

/** Enough to fill the store's groups of commits. */
const WRITES_AT_ONCE = 512;

/** Buys the company of every nth row of the bench's lists. @param every 1: of all rows. */
export async function fillStore(location: string, rows: number, every: number): Promise<void> {
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
    inputRows: Math.ceil(rows / every),
    settings: { job: 'enrich-company', columns: { abn: 'ABN' }, on_existing: 'refuse' },
    createdAtMs: Date.now(),
  });
  let row = 0;
  const buyNext = async (): Promise<void> => {
    while (row < rows) {
      const next = row;
      row += every;
      await buy(ledger, batch.id, next);
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, buyNext));
  await ledger.close();
}

/** A list whose rows were all bought: `serial` and those after it are the companies of its rows. */
export interface BoughtList {
  readonly path: string;
  readonly sha256: string;
  readonly rows: number;
  readonly serial: number;
  readonly createdAtMs: number;
  /** What a run remembers of the file. */
  readonly digests?: Digests | undefined;
}

/** Writes finished batches over these lists, as runs would have left them. */
export async function fillBatches(location: string, lists: Iterable<BoughtList>): Promise<void> {
  const options = { clock: systemClock, waitForLockMs: 0, create: true, command: 'bench' };
  const ledger = await sqlite.open(location, options);
  const left = lists[Symbol.iterator]();
  const fillNext = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await fillBatch(ledger, next.value);
  };
  await Promise.all(Array.from({ length: 32 }, fillNext));
  await ledger.close();
}

async function fillBatch(ledger: Ledger, list: BoughtList): Promise<void> {
  const { path, sha256, rows, serial, createdAtMs, digests } = list;
  const columns = { abn: 'ABN' };
  const { batch } = await ledger.beginBatch({
    ...{ key: path, lineage: path, accountIdentity: ACCOUNT, accountName: 'data', sandbox: false },
    ...{ vendor: 'provider', operation: 'enrich-company', inputPath: path, inputSha256: sha256 },
    ...{ inputRows: rows, createdAtMs },
    settings: { job: 'enrich-company', columns, on_existing: 'refuse' },
  });
  const inputOf = rowInputOf(columns, ['ABN']);
  let at = 0;
  const settleNext = async (): Promise<void> => {
    while (at < rows) {
      const index = at;
      at += 1;
      const row = index + 2;
      const answer = await buy(ledger, batch.id, serial + index, row, createdAtMs);
      const input = inputOf({ cells: [abn(serial + index)] });
      const outcome = { kind: 'matched', matchedBy: 'abn' } as const;
      await ledger.finishRows([{ batch: batch.id, row, outcome, answers: [answer], input }]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(rows, WRITES_AT_ONCE) }, settleNext));
  if (digests !== undefined) await ledger.keepPieces(batch.id, digests);
  await ledger.changeBatch(batch.id, { state: 'finished' });
}

/** @param serial the number of the company. */
async function buy(
  ledger: Ledger,
  batch: BatchId,
  serial: number,
  row = serial + 2,
  atMs = Date.now(),
): Promise<AttemptId> {
  const call = { operation: 'enrich-company', parameters: { abn: abn(serial) }, ifLost: 'hold' } as const;
  const key = callKeyOf(ACCOUNT, call);
  const intent = { key, accountIdentity: ACCOUNT, call, batch, row, reserve: credits(1), atMs };
  const admission = await admit(ledger, intent);
  if (admission.kind !== 'admitted') throw new Error('the store of the bench has a budget');
  await recordReply(ledger, admission.attempt, {
    status: 200,
    headers: {},
    body: ANSWER,
    receivedAtMs: atMs,
  });
  const judged = { kind: 'answered', answer: 'found', charged: credits(1), why: 'found' } as const;
  // Without its mark an answer is an older program's, and is judged again before it is used.
  const closure = { ...judged, dialect: dialectMark(provider) };
  await closeAttempt(ledger, admission.attempt, closure, atMs);
  return admission.attempt;
}
