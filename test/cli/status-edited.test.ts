/**
 * Goal: where the list or the job of a batch was edited, nothing of it is sent again, and `settle` says what brings it
 * back.
 * Method: the real commands before the sandbox as a vendor; each command that is printed is typed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { openNightDesk } from './night-desk.ts';

const JOB = 'operation: enrich-company\naccount: data\n';
const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9'] as const;

test.each<[string, (desk: Desk) => () => Promise<void>]>([
  ['list', (desk) => () => desk.write('list.csv', 'Domain\nother.example\n')],
  ['job', (desk) => () => desk.write('job.yaml', `${JOB}waterfall: [domain]\n`)],
])(
  'a lost call of a batch whose %s was edited is not sent again until that is put back',
  async (changed, editOf) => {
    const desk = await openDesk({ faults: 'charged-reset:x1' });
    desk.list(1);
    await desk.write('job.yaml', JOB);
    const { batch } = await desk.json([...RUN]);
    const files = ['list.csv', 'job.yaml'].map((name) => desk.place.path(name));
    const before = files.map((file) => readFileSync(file));
    await editOf(desk)();
    const retry = ['settle', batch, '--retry', '--extra-credits', '1'];
    const refused = await desk.type(retry);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      `No run goes on with batch ${batch}, because its ${changed === 'list' ? changed : 'job or account'} has changed, so it sends nothing again.\nSay what became of it with --answer or --not-done.\n`,
    );
    for (const [at, file] of files.entries()) writeFileSync(file, before[at] ?? '');
    expect(await desk.type(retry)).toMatchObject({ code: 0 });
    expect(await desk.json([...RUN])).toMatchObject({ batch, counts: { matched: 1 } });
  },
);

test('a sweep goes on with a batch that was begun with flags which say how its list is read', async () => {
  const nights = await openNightDesk();
  const { desk } = nights;
  desk.list(3);
  await desk.json(['run', 'night.yaml', 'list.csv', '-o', 'out.csv', '--repair', '--budget', '1']);
  expect(await nights.night()).toMatchObject({ said: { left: [], files: [{ counts: { matched: 3 } }] } });
});
