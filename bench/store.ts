import { callKeyOf } from '../src/core/call-key.ts';
import { systemClock } from '../src/core/clock.ts';
import { type BatchId, credits, type Ledger } from '../src/ledger/ledger.ts';
import sqlite from '../src/ledger/stores/sqlite.ts';
import { abn } from './program.ts';
import { answerBody } from './speed/vendor.ts';

/** A store with bought answers, written through the ledger's contract as a run would have, but without a vendor. */

/** The identity of the account that `connect` writes. */
const ACCOUNT = '["id","bench"]';

const ANSWER = Buffer.from(answerBody(0));

/** Enough to fill the store's groups of commits. */
const WRITES_AT_ONCE = 512;

/** Buys the company of every so-manieth row of the bench's lists. @param every 1: of all rows. */
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
    settings: {},
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
