/**
 * Goal: where the list, the job or the account of an open batch was edited, `settle` and `resume` say alike that no
 * run goes on with it, and what brings it back. What was said beside the job is no edit of it.
 * Method: the real commands before the sandbox as a vendor; each command that is printed is typed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { type Desk, openDesk } from './desk.ts';
import { openNightDesk } from './night-desk.ts';

const JOB = 'operation: enrich-company\naccount: data\n';
const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9'] as const;

/** A desk with a batch of three rows that has bought one of them and was paused. */
async function openBatch(...more: readonly string[]): Promise<{ desk: Desk; batch: string }> {
  const desk = await openDesk();
  desk.list(3);
  await desk.write('job.yaml', JOB);
  const { batch } = await desk.json([...RUN, ...more, '--limit', '1']);
  await desk.type(['pause', batch]);
  return { desk, batch };
}

test.each<[string, (desk: Desk) => () => Promise<void>]>([
  ['list', (desk) => () => desk.write('list.csv', 'Domain\nother.example\n')],
  ['job', (desk) => () => desk.write('job.yaml', `${JOB}waterfall: [domain]\n`)],
  [
    'account',
    (desk) => async () => desk.place.writeAccount(desk.place.vendor.url, { id: 'of another customer' }),
  ],
])(
  'who resumes an open batch whose %s was edited hears that no run goes on with it, until that is put back',
  async (changed, editOf) => {
    const { desk, batch } = await openBatch();
    const files = ['list.csv', 'job.yaml', 'config/accounts.yaml'].map((name) => desk.place.path(name));
    const before = files.map((file) => readFileSync(file));
    await editOf(desk)();

    const ends = changed === 'list' ? ' and ends this one' : '';
    const words = `its ${changed} has changed, so a run of it begins another batch${ends}; put the ${changed} back as it was to go on with it`;
    const over = { why: `its ${changed} has changed`, changed };
    const resumed = await desk.type(['resume', batch]);
    expect(resumed.stdout).toBe(
      `Batch ${batch} is not paused any more.\nNo run goes on with it: ${words}.\n`,
    );
    expect(resumed.stderr).toBe('');
    expect(await desk.json(['resume', batch])).toEqual({ batch, held: false, was_held: false, over });

    for (const [at, file] of files.entries()) writeFileSync(file, before[at] ?? '');
    await desk.type(['pause', batch]);
    const { stdout, stderr } = await desk.type(['resume', batch]);
    expect(stdout).toBe(`Batch ${batch} may go on.\n`);
    const typed = stderr.trimEnd().replace('To continue now: npx --no rowonce ', '').split(' ');
    expect(await desk.json(typed)).toMatchObject({ batch, counts: { matched: 3 } });
  },
);

test.each(
  some(
    [
      [['--account', 'data']],
      [['--repair', '--country', 'AU']],
      [['--encoding', 'utf-8']],
      [['--column', 'domain=Domain']],
      [['--waterfall', 'domain']],
    ],
    2,
  ),
)('what was said beside the job is no edit of it, nor is what asks nothing else: %s', async (more) => {
  const { desk, batch } = await openBatch(...more);
  await desk.write('job.yaml', `${JOB}budget: { credits: 5 }\n`);
  expect((await desk.type(['resume', batch])).stderr).toMatch(/^To continue now: /);
});

test('a sweep goes on with a batch that was begun with flags which say how its list is read', async () => {
  const nights = await openNightDesk();
  const { desk } = nights;
  desk.list(3);
  await desk.json(['run', 'night.yaml', 'list.csv', '-o', 'out.csv', '--repair', '--budget', '1']);
  expect(await nights.night()).toMatchObject({ said: { left: [], files: [{ counts: { matched: 3 } }] } });
});
