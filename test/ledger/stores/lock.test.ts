import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { credits } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { PAUSE_SIGNAL } from '../../../src/lib/pause-signal.ts';
import { admit, admitted, batchNamed, NOON_MS, replyWith } from './book.ts';
import { freshPlace, openStore } from './places.ts';
import { startSpender } from './processes.ts';

// Goal: one spender per store, whatever happens to it. Method: spenders in processes of their own, stopped and killed.

test('a spender that is stopped keeps the store, and one that is killed gives it back at once', async () => {
  const place = freshPlace(sqlite);
  const first = startSpender(place, 'hold');
  expect(await first.line()).toBe('open');
  first.process.kill('SIGSTOP');
  await expect(openStore(sqlite, place)).rejects.toMatchObject({
    code: 'busy',
    exitCode: 76,
    message: expect.stringMatching(
      new RegExp(`the last to say so was process ${first.process.pid}, "hold", since 20`),
    ),
  });
  await first.kill();
  const ledger = await openStore(sqlite, place);
  await ledger.close();
});

test('a program that has us as its library is asked to stop by no signal of its own', async () => {
  const itsOwn = (): void => {};
  process.on(PAUSE_SIGNAL, itsOwn);
  onTestFinished(() => void process.off(PAUSE_SIGNAL, itsOwn));
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  onTestFinished(() => ledger.close());
  const spender = await sqlite.spender?.(place);
  expect(spender).toMatchObject({ pid: process.pid });
  expect(spender).not.toHaveProperty('pausedBy');
});

test('an onlooker does not wait for a spender that is stopped', async () => {
  const place = freshPlace(sqlite);
  const spender = startSpender(place, 'hold');
  await spender.line();
  spender.process.kill('SIGSTOP');
  const reader = await sqlite.look(place);
  onTestFinished(() => reader.close());
  expect(await reader.batches()).toHaveLength(1);
});

test('asking for the store once more in its own process does not give it away to another', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  onTestFinished(() => ledger.close());
  await expect(openStore(sqlite, place)).rejects.toMatchObject({ code: 'busy' });
  await (await sqlite.look(place)).close();
  const second = startSpender(place, 'hold');
  expect(await second.rest()).toEqual(['stopped: busy']);
  await batchNamed(ledger, 'still ours');
});

test('whose lock file was deleted stops and says so, and whoever comes next takes the store', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'asked');
  rmSync(join(place, 'lock.db'));
  const second = startSpender(place, 'recover');
  expect(await second.line()).toBe('open');
  const takenOver = {
    code: 'store_lost',
    message: expect.stringMatching(/lock\.db was deleted, .* while it was in use; nothing new is sent\.$/),
  };
  await expect(admit(ledger, batch, 'more')).rejects.toMatchObject(takenOver);
  expect(await second.line()).toBe('recovered');
  // The other has put the call in doubt. What was paid for is kept all the same.
  await ledger.keep(attempt, replyWith('late'));
  const found = { kind: 'answered', answer: 'found', charged: credits(1), why: 'found' } as const;
  expect(await ledger.end(attempt, found, NOON_MS)).toBe('over');
  expect(await ledger.attempts([attempt])).toMatchObject([
    { reply: replyWith('late'), closure: { kind: 'in_doubt' } },
  ]);
  await second.kill();
  await ledger.close();
});

test('what a killed spender said about itself decides nothing', async () => {
  const place = freshPlace(sqlite);
  await (await openStore(sqlite, place)).close();
  const announcement = join(place, 'spender.json');
  expect(existsSync(announcement)).toBe(false);
  writeFileSync(announcement, '{"pid":1,"since":"2026-01-01T00:00:00.000Z","command":"gone"}\n');
  const ledger = await openStore(sqlite, place);
  onTestFinished(() => ledger.close());
  expect(JSON.parse(readFileSync(announcement, 'utf8'))).toMatchObject({
    pid: process.pid,
    command: 'run the tests',
  });
  writeFileSync(announcement, 'half of i');
  await expect(openStore(sqlite, place)).rejects.toThrow(
    /^Another process is spending from the store \S+\.$/,
  );
});
