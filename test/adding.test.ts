import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadMember } from '../src/core/families.ts';
import type { Format } from '../src/core/format.ts';
import type { Operation } from '../src/core/operation.ts';
import { InputFile } from '../src/files/input.ts';
import { deskBefore } from './cli/desk.ts';
import { environmentOf } from './cli/rowonce.ts';

/**
 * Goal: who follows `docs/internals/adding.md` has a working operation and format.
 * Method: each program is taken out of the page as it stands, put into a folder, loaded and run.
 */
async function added<Member>(path: string): Promise<Member | undefined> {
  const at = new URL(`../${path}`, import.meta.url);
  const whole = (await shownAt(path)).replaceAll(
    /from '(\.[^']+)'/g,
    (_, file: string) => `from '${new URL(file, at).href}'`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-guide-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [name = ''] = path.split('/').at(-1)?.split('.') ?? [];
  await writeFile(join(folder, `${name}.ts`), whole);
  return loadMember<Member>(pathToFileURL(folder), name);
}

/** The program in the guide behind the path of a file. */
async function shownAt(path: string): Promise<string> {
  const guide = await readFile(new URL('../docs/internals/adding.md', import.meta.url), 'utf8');
  const [, program = ''] = guide.split(`\`${path}\``)[1]?.split('```') ?? [];
  return program.replace(/^ts\n/, '');
}

const ROOT = join(import.meta.dirname, '..');

test('the operation in the guide is bought with its file and its entry in a dialect, and no other edit', async () => {
  const { desk, asked } = await deskBefore(() => ({ takes_mail: true }));
  const tree = await mkdtemp(join(tmpdir(), 'rowonce-guide-'));
  onTestFinished(() => rm(tree, { recursive: true }));
  await cp(join(ROOT, 'src'), join(tree, 'src'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(tree, 'package.json'));
  for (const name of ['node_modules', 'fixtures', 'dist']) await symlink(join(ROOT, name), join(tree, name));
  await writeFile(
    join(tree, 'src/operations/verify-email.ts'),
    await shownAt('src/operations/verify-email.ts'),
  );
  const provider = join(tree, 'src/client/dialects/provider.ts');
  const entry = await shownAt('src/client/dialects/provider.ts');
  const dialect = await readFile(provider, 'utf8');
  await writeFile(provider, dialect.replace('  operations: {', `  operations: {\n${entry}`));

  await desk.write('list.csv', 'Email\njo@a.example\n');
  const words = ['run', 'verify-email', 'list.csv', '--budget', '9', '-o', 'out.csv', '--json'];
  const main = pathToFileURL(join(tree, 'src/cli/main.ts')).href;
  const start = `(await import('${main}')).main(${JSON.stringify(words)})`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', start], {
    cwd: desk.place.folder,
    env: environmentOf({ env: desk.environment() }),
  });
  expect(JSON.parse(stdout)).toMatchObject({ counts: { matched: 1 }, credits: { spent: 1 } });
  expect(asked.map(({ path, input }) => [path, input])).toEqual([
    ['/verify/email', { email: 'jo@a.example' }],
  ]);
  expect(await desk.read('out.csv')).toMatch(/^Email,takes_mail,.*\njo@a\.example,true,matched,/);
});

test('the operation in the guide works as it stands', async () => {
  const operation = await added<Operation>('src/operations/verify-email.ts');
  expect(operation?.preparer({})({ email: 'jo' })).toEqual({
    kind: 'invalid',
    findings: [{ code: 'not_an_email', facts: { input: 'email', cell: 'jo' } }],
  });
  expect(operation?.preparer({})({})).toEqual({
    kind: 'invalid',
    findings: [{ code: 'blank', facts: { input: 'email' } }],
  });
  expect(operation?.preparer({})({ email: ' Jo@Example.org ' })).toEqual({
    kind: 'ready',
    input: 'jo@example.org',
  });

  const call = { operation: 'verify-email', parameters: { email: 'jo@example.org' }, ifLost: 'hold' };
  expect(operation?.next('jo@example.org', () => undefined)).toEqual({ kind: 'send', call });
  expect(operation?.next('jo@example.org', () => ({ kind: 'found', fields: true }))).toEqual({
    kind: 'end',
    outcome: { kind: 'matched', matchedBy: 'email', findings: [] },
  });
});

test('the format in the guide works', async () => {
  const format = await added<Format>('src/files/formats/psv.ts');
  const path = join(await mkdtemp(join(tmpdir(), 'rowonce-guide-')), 'a.psv');
  onTestFinished(() => rm(join(path, '..'), { recursive: true }));
  await writeFile(path, 'abn|name\n1|"A|B"\n');
  const sheet = await format?.open(new InputFile(path), {});
  expect(await sheet?.header()).toEqual(['abn', 'name']);
  expect((await sheet?.survey())?.rows).toBe(1);
});
