/**
 * Goal: nothing that stands in a ledger is ever executed or called, whoever put it there: it knows names, and what they mean stands in
 * the user's own accounts file.
 * Method: rows are put into the ledger of a folder and of a server, as by a stolen password; then the real commands run over it.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import postgres from '../../src/ledger/stores/postgres.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import { receiver } from '../run/receiver.ts';
import { type Desk, openDesk } from './desk.ts';
import { typedAt } from './typed.ts';

const AGREED = `notify:${'a'.repeat(32)}`;

const stores = {
  folder: async (desk: Desk): Promise<string> => desk.place.path('store'),
  server: async (): Promise<string> => {
    const server = await postgresServer();
    await server.createDatabase('notices_of_others');
    const store = server.url('notices_of_others');
    expect(await typedAt(['store', 'init', store])).toMatchObject({ code: 0 });
    return store;
  },
};

test.each(['folder', 'server'] as const)(
  'what somebody put among the notices of a %s starts no program and calls no address',
  async (kind) => {
    const desk = await openDesk();
    const { place } = desk;
    const store = await stores[kind](desk);
    desk.list(1);
    const run = () => desk.type(desk.run('--store', store));
    expect((await run()).code).toBe(0);
    const told = await receiver();
    const mark = place.path('executed');
    // The user has agreed to something of that kind before, or made a file of that name.
    mkdirSync(place.path('config/agreed'), { recursive: true, mode: 0o700 });
    writeFileSync(place.path(`config/agreed/${AGREED.replace(':', '-')}.txt`), '');
    const command = [process.execPath, '-e', `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`];
    const asOnceKept = [
      JSON.stringify({ command, folder: place.folder, agreement: AGREED }),
      JSON.stringify({ webhook: told.url, folder: place.folder, agreement: AGREED }),
    ];
    const opening = { clock: systemClock, waitForLockMs: 0, create: false, command: 'test' };
    for (const targets of [asOnceKept, ['nobody', told.url, 'constructor']]) {
      const ledger = await (kind === 'folder' ? sqlite : postgres).open(store, opening);
      for (const target of targets)
        await ledger.notices.keep({ id: target, kind: 'end', target, body: '{}', atMs: Date.now() });
      await ledger.close();
      const { code, stderr } = await run();
      expect(code).toBe(0);
      // Over a server another host may know the name.
      if (kind === 'folder') expect(stderr).toContain('has no');
      expect([existsSync(mark), told.received]).toEqual([false, []]);
    }
  },
);
