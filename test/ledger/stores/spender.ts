import { systemClock } from '../../../src/core/clock.ts';
import { StopError } from '../../../src/core/errors.ts';
import { describeOperations } from '../../../src/core/families.ts';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { said } from '../../support/told.ts';
import { admit, admitted, answered, batchNamed, MATCHED, replyWith, settle } from './book.ts';

/**
 * A spender in a process of its own, so that tests can stop it, kill it and fill its disk.
 * `node spender.ts FOLDER hold|some|fill|recover`. What it has been promised, it says on stdout, a line each.
 */
const [folder = '', action = ''] = process.argv.slice(2);
await describeOperations();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Holds the store until it is killed. */
async function hold(): Promise<void> {
  await new Promise(() => setInterval(() => {}, 1000));
}

/** Buys as many as `ROWS` says, then holds the store until it is killed; a number that it says is promised to be on the disk. */
async function some(ledger: Ledger, batch: BatchId): Promise<void> {
  for (let number = 1; number <= Number(process.env.ROWS); number += 1) {
    const attempt = await answered(ledger, batch, `call${process.pid}-${number}`);
    await settle(ledger, batch, number, MATCHED, [attempt]);
    say(String(number));
  }
  await hold();
}

/** Closes what another process has left open, as every run does first. */
async function recover(ledger: Ledger): Promise<void> {
  for (const { attempt } of await ledger.openAttempts())
    await ledger.end(attempt, { kind: 'in_doubt', why: said('no answer came') }, Date.now());
  say('recovered');
  await hold();
}

/** Fills the disk while requests are in flight, then lets their answers arrive. */
async function fill(ledger: Ledger, batch: BatchId): Promise<void> {
  const flying = await Promise.all(
    Array.from({ length: 40 }, (_, n) => admitted(ledger, batch, `flying${n}`)),
  );
  const filling = await until(async (row) =>
    settle(ledger, batch, row, { kind: 'refused', findings: said('x'.repeat(30_000)) }),
  );
  const closing = await Promise.allSettled(
    flying.map(async (attempt) => {
      await ledger.keep(attempt, replyWith('y'.repeat(5000)));
      const end = { kind: 'answered', answer: 'found', charged: 1 as never, why: said('found') } as const;
      await ledger.end(attempt, end, Date.now());
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
    some: () => some(ledger, batch),
    fill: () => fill(ledger, batch),
    recover: () => recover(ledger),
  };
  await actions[action]?.();
}

await spend().catch((error) => {
  if (!(error instanceof StopError)) throw error;
  say(`stopped: ${error.code}`);
});
