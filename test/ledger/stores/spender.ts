import { systemClock } from '../../../src/core/clock.ts';
import { StopError } from '../../../src/core/errors.ts';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { admit, admitted, answered, batchNamed, batchSpec, MATCHED, replyWith, settle } from './book.ts';

/**
 * A spender in a process of its own, so that tests can stop it, kill it and fill its disk.
 * `node spender.ts FOLDER hold|buy|some|group|fill|plan|recover`. What it has been promised, it says on stdout, a line each.
 */
const [folder = '', action = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Holds the store until it is killed. */
async function hold(): Promise<void> {
  await new Promise(() => setInterval(() => {}, 1000));
}

/** Buys one call after the other until it is killed; a number that it says has been promised to be on the disk. */
async function buy(ledger: Ledger, batch: BatchId, rows = Number.POSITIVE_INFINITY): Promise<void> {
  for (let number = 1; number <= rows; number += 1) {
    const attempt = await answered(ledger, batch, `call${process.pid}-${number}`);
    await settle(ledger, batch, number, MATCHED, [attempt]);
    say(String(number));
  }
}

/** Buys as many as `ROWS` says, then holds the store until it is killed. */
async function some(ledger: Ledger, batch: BatchId): Promise<void> {
  await buy(ledger, batch, Number(process.env.ROWS));
  await hold();
}

/** Closes what another process has left open, as every run does first. */
async function recover(ledger: Ledger): Promise<void> {
  for (const { attempt } of await ledger.openAttempts())
    await ledger.end(attempt, { kind: 'in_doubt', why: 'no answer came' }, Date.now());
  say('recovered');
  await hold();
}

/** A hundred rows in one turn, which is one commit. */
async function group(ledger: Ledger, batch: BatchId): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, (_, index) => settle(ledger, batch, index + 2, MATCHED)));
  say('committed');
}

/** Begins a batch of changes with a long plan, which supersedes one that is open. */
async function plan(ledger: Ledger): Promise<void> {
  const rows = Array.from(
    { length: 2000 },
    (_, index) => ({ row: index + 2, kind: 'work', work: {} }) as const,
  );
  await ledger.beginBatch(batchSpec({ key: 'key-team', lineage: 'lineage-a' }), false, rows);
  say('planned');
}

/** Fills the disk while requests are in flight, then lets their answers arrive. */
async function fill(ledger: Ledger, batch: BatchId): Promise<void> {
  const flying = await Promise.all(
    Array.from({ length: 40 }, (_, n) => admitted(ledger, batch, `flying${n}`)),
  );
  const filling = await until(async (row) =>
    settle(ledger, batch, row, { kind: 'refused', reason: 'x'.repeat(30_000) }),
  );
  const closing = await Promise.allSettled(
    flying.map(async (attempt) => {
      await ledger.keep(attempt, replyWith('y'.repeat(5000)));
      const closure = { kind: 'answered', answer: 'found', charged: 1 as never, why: 'found' } as const;
      await ledger.end(attempt, closure, Date.now());
    }),
  );
  const kept = closing.filter(({ status }) => status === 'fulfilled').length;
  const admission = await codeOf(admit(ledger, batch, 'new'));
  const row = await codeOf(settle(ledger, batch, 1_000_000, MATCHED));
  await ledger.close();
  say(JSON.stringify({ filling, kept, admission, row }));
}

async function until(write: (row: number) => Promise<void>): Promise<string> {
  for (let row = 2; ; row += 1) {
    const code = await codeOf(write(row));
    if (code !== 'written') return code;
  }
}

async function codeOf(write: Promise<unknown>): Promise<string> {
  return write.then(
    () => 'written',
    (error) => (error instanceof StopError ? error.code : String(error)),
  );
}

async function spend(): Promise<void> {
  const options = { waitForLockMs: 0, clock: systemClock, create: true, command: action };
  const ledger = await sqlite.open(folder, options);
  const batch = await batchNamed(ledger, 'a');
  say('open');
  const actions: Record<string, () => Promise<void>> = {
    hold,
    buy: () => buy(ledger, batch),
    some: () => some(ledger, batch),
    group: () => group(ledger, batch),
    fill: () => fill(ledger, batch),
    plan: () => plan(ledger),
    recover: () => recover(ledger),
  };
  await actions[action]?.();
}

await spend().catch((error) => {
  if (!(error instanceof StopError)) throw error;
  say(`stopped: ${error.code}`);
});
