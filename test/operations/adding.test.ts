import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { loadMember } from '../../src/core/family.ts';
import type { Operation } from '../../src/core/operation.ts';

/**
 * Goal: who follows `docs/internals/adding.md` has a working operation.
 * Method: its program is taken out of the page as it stands, put into a folder, loaded and run.
 */
test('the operation in the guide works as it stands', async () => {
  const guide = await readFile(new URL('../../docs/internals/adding.md', import.meta.url), 'utf8');
  const [, program = ''] = /```ts\n(import \{ type Call[\s\S]*?)```/.exec(guide) ?? [];
  const sources = new URL('../../src/', import.meta.url).href;
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-guide-'));
  try {
    await writeFile(
      join(folder, 'verify-email.ts'),
      program
        .replaceAll("from '../", `from '${sources}`)
        .replaceAll("from './", `from '${sources}operations/`),
    );
    const operation = await loadMember<Operation>(pathToFileURL(folder), 'verify-email');

    expect(operation?.prepare({ email: 'jo' }, {})).toEqual({
      kind: 'invalid',
      reason: 'e-mail jo: is not an e-mail address',
    });
    expect(operation?.prepare({}, {})).toEqual({ kind: 'invalid', reason: 'e-mail: blank' });
    expect(operation?.prepare({ email: ' Jo@Example.org ' }, {})).toEqual({
      kind: 'ready',
      input: 'jo@example.org',
    });

    const call = { operation: 'verify-email', parameters: { email: 'jo@example.org' }, ifLost: 'hold' };
    expect(operation?.next('jo@example.org', () => undefined)).toEqual({ kind: 'send', call });
    expect(operation?.next('jo@example.org', () => ({ kind: 'found', fields: true }))).toEqual({
      kind: 'end',
      outcome: { kind: 'matched', matchedBy: 'email' },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
