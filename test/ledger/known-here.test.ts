/**
 * Goal: a loss of power takes no note of this host, by which a file of ours is known as ours.
 * Method: notes below a home of their own, and a look at the folder each time that something is made sure of.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isWrittenHere, noteWrittenHere } from '../../src/ledger/ledger.ts';

test('a note is on the disk before what follows it: first its bytes, then its name', () => {
  const home = fs.mkdtempSync(join(tmpdir(), 'rowonce-known-'));
  vi.stubEnv('XDG_STATE_HOME', home);
  const known = (): readonly string[] => fs.readdirSync(join(home, 'rowonce-ledgers', 'known'));
  const stood: (readonly string[])[] = [];
  const watching = vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    stood.push(known());
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    watching.mockRestore();
    syncBuiltinESMExports();
    vi.unstubAllEnvs();
    fs.rmSync(home, { recursive: true });
  });
  noteWrittenHere('/lists/leads.enriched.csv', ['hash']);
  const [written, named] = stood;
  expect(written).toEqual([expect.stringMatching(/\.new$/)]);
  expect(named).toEqual([expect.not.stringMatching(/\.new$/)]);
  expect(isWrittenHere('/lists/leads.enriched.csv', 'hash')).toBe(true);
});
