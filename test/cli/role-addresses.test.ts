/**
 * Goal: no one pays for the person behind `info@`, an address that is hidden or made up is asked by nowhere, and what
 * can be mended for sure is mended when the user says so.
 * Method: the real command before a vendor on a real socket.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const BOTH = {
  operations: {
    'enrich-person': {
      method: 'POST',
      path: '/person',
      by: ['email', 'profile_url'],
      gives: { job_title: 'title' },
      credits: { most: 1, found: 1 },
    },
    'check-email': {
      method: 'POST',
      path: '/check',
      by: ['email'],
      gives: { verdict: 'state' },
      credits: { most: 1, found: 1 },
      verdicts: { valid: 'ok' },
    },
  },
};

async function deskOf(list: string): Promise<DeskBefore> {
  const at = await deskBefore(({ path }) =>
    path.startsWith('/check') ? { state: 'ok' } : { title: 'Owner' },
  );
  at.speak(BOTH);
  await at.desk.write('list.csv', list);
  return at;
}

const job = (at: DeskBefore, entries: object): Promise<void> =>
  at.desk.write('job.yaml', JSON.stringify({ budget: { credits: 99 }, ...entries }));
const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes'];
const asked = (at: DeskBefore): unknown[] => at.asked.map(({ input }) => Object.values(input)[0]);
const ROLES =
  'Email,Profile\ninfo@acme.example,\nNoReply@acme.example,https://x.com/ann\nann@acme.example,\n';
const PERSON = {
  operation: 'enrich-person',
  columns: { email: 'Email', profile_url: 'Profile' },
  add: { T: 'job_title' },
};

test('an address of a department is no person, and its row says so and goes on by its profile', async () => {
  const at = await deskOf(ROLES);
  await job(at, PERSON);
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
  expect(plan).toMatchObject({ invalid: 1, to_buy: 2, role_addresses: { count: 2, first_rows: [2, 3] } });
  const run = await at.desk.type(RUN);
  expect(asked(at)).toEqual(['https://x.com/ann', 'ann@acme.example']);
  const [first, second] = at.desk.place.rows();
  expect(first?._reason).toContain('info@acme.example: is the address of a department or a machine');
  expect(first?._reason).toContain('role_addresses: send');
  // The address is right, so no one has to correct it.
  expect([second?._status, second?._reason]).toEqual([
    'matched',
    expect.not.stringContaining('so correct it'),
  ]);
  expect(run.code).toBe(3);
});

test('role_addresses: send asks for them, and is another batch', async () => {
  const at = await deskOf(ROLES);
  await job(at, { ...PERSON, role_addresses: 'send' });
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['info@acme.example', 'noreply@acme.example', 'ann@acme.example']);
});

test('a check of an address asks for those of departments, and the plan counts them', async () => {
  const at = await deskOf(ROLES);
  await job(at, { operation: 'check-email', columns: { email: 'Email' }, add: { V: 'verdict' } });
  const { stdout } = await at.desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toContain('2 rows with that of a department or a machine, such as info@: row 2, 3');
  await at.desk.type(RUN);
  expect(asked(at)).toEqual(['info@acme.example', 'noreply@acme.example', 'ann@acme.example']);
});

test('nobody is asked by a mask, a stand-in, a commented line or a look-alike, with and without --repair', async () => {
  const none = ['a***@acme.example', 'none@none.com', '#bo@acme.example', 'аnna@acme.example'];
  const at = await deskOf(`Email\n${none.join('\n')}\n`);
  await job(at, { operation: 'enrich-person', columns: { email: 'Email' } });
  for (const more of [[], ['--repair']])
    expect(await at.desk.json(['plan', 'job.yaml', 'list.csv', ...more])).toMatchObject({
      invalid: 4,
      to_buy: 0,
    });
});

test('a plan shows what --repair would make of a cell, and the run sends that', async () => {
  const at = await deskOf(
    'Email\nSMTP:ann@acme.example\n“bo@acme.example”\ncat&#64;acme.example\n"dan@acme,example"\n',
  );
  await job(at, { operation: 'enrich-person', columns: { email: 'Email' } });
  expect(await at.desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ invalid: 4, to_buy: 0 });
  const plan = await at.desk.json(['plan', 'job.yaml', 'list.csv', '--repair']);
  const pairs = plan.damage.flatMap(
    (each: { examples: { cell: string; repaired: string }[] }) => each.examples,
  );
  expect(
    pairs.map(({ cell, repaired }: { cell: string; repaired: string }) => `${cell} → ${repaired}`).toSorted(),
  ).toEqual([
    'SMTP:ann@acme.example → ann@acme.example',
    'cat&#64;acme.example → cat@acme.example',
    'dan@acme,example → dan@acme.example',
    '“bo@acme.example” → bo@acme.example',
  ]);
  await at.desk.type([...RUN, '--repair']);
  expect(asked(at)).toEqual(['ann@acme.example', 'bo@acme.example', 'cat@acme.example', 'dan@acme.example']);
});
