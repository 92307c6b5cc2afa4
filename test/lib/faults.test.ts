/**
 * Goal: what the tests use to break the program does nothing to anybody else.
 * Method: each hook in a process of its own, with the variable that says "this is a test" and without it.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const FAULTS = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'lib', 'faults.ts')).href;

const SCRIPT = `
  import { crashPoint, testHook, vendorIsQuick } from ${JSON.stringify(FAULTS)};
  console.log(String(vendorIsQuick()), String(testHook('ROWONCE_FULL_AT_PAGES')));
  crashPoint('after-send');
`;

function withHooks(env: Readonly<Record<string, string>>) {
  const hooks = { ROWONCE_CRASH_AT: 'after-send', ROWONCE_VENDOR_IS_QUICK: '1', ROWONCE_FULL_AT_PAGES: '90' };
  const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    env: { ...hooks, ...env },
    encoding: 'utf8',
  });
  return { status, signal, said: stdout.trim() };
}

test.each([{}, { ROWONCE_TEST_HOOKS: '' }, { ROWONCE_TEST_HOOKS: '0' }])(
  'the hooks of the tests do nothing with %j',
  (env) => {
    expect(withHooks(env)).toEqual({ status: 0, signal: null, said: 'false undefined' });
  },
);
