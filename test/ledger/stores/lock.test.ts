import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { credits } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { said } from '../../support/told.ts';
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

test('a spender whose lock file was deleted stops and says so, and whoever comes next takes the store', async () => {
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
  const found = { kind: 'answered', answer: 'found', charged: credits(1), why: said('found') } as const;
  expect(await ledger.end(attempt, found, NOON_MS)).toBe('over');
  expect(await ledger.attempts([attempt])).toMatchObject([
    { reply: replyWith('late'), end: { kind: 'in_doubt' } },
  ]);
  await second.kill();
  await ledger.close();
});
