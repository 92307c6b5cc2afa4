/**
 * Goal: what a run says of its rows is what the vendor did and charged, whatever the vendor answers. Words that cannot be read stop a run
 * soon, with what would read them; a hostile answer spoils its own row alone.
 * Method: the real command before vendors of the test that answer as they are told, and keep a book of what they have done.
 */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { ESC, OBEYED } from '../support/nasty.ts';
import { deskBefore, SERVICE } from './desk.ts';

const ODD = '{"ergebnis":{},"status":"unbekannt"}';

test('twelve rows before a vendor that nobody can read stop after five, at once; the rule that is quoted reads what came', async () => {
  const { desk, asked } = await deskBefore(() => ODD);
  desk.list(12);
  const stopped = await desk.type(desk.run());
  expect(stopped.code).toBe(75);
  expect(stopped.stderr).toContain(
    '5 answers of one shape cannot be read; the last: status 200, "unbekannt", which does not say whether anything was found.',
  );
  const rule = /add the rule `- (\{.*?\})` to the `answers`/.exec(stopped.stderr)?.[1];
  expect(rule).toBe('{ status: [200], body: { path: "status", equals: "unbekannt" }, means: no_match }');
  expect(asked).toHaveLength(5);
  expect(desk.place.rows().filter(({ _status }) => _status === 'in_doubt')).toHaveLength(5);

  // Without a decision the next run buys one more, and not five.
  expect((await desk.type(desk.run())).code).toBe(75);
  expect(asked).toHaveLength(6);

  await desk.write('config/ours.yaml', `vendor: provider\nanswers:\n  - ${rule}\n`);
  expect(await desk.json(desk.run())).toMatchObject({ counts: { no_match: 12 }, stopped: null });
  expect(asked).toHaveLength(12);
});

test.each(
  some(
    [
      ['remove-user', 'User_id', ''],
      ['change-role', 'User_id,Role', ',editor'],
    ],
    1,
  ),
)(
  '%s that stops for its doubts has five rows in doubt, although each was to be asked once more',
  async (operation, header, role) => {
    const { desk, asked } = await deskBefore(() => ({ message: 'Benutzer ist weg' }), SERVICE);
    const rows = Array.from({ length: 7 }, (_, at) => `u-${at + 1}${role}`);
    await desk.write('list.csv', `${header}\n${rows.join('\n')}\n`);
    const run = ['run', operation, 'list.csv', '-o', 'out.csv', '--yes'];
    const stopped = await desk.type(run);
    expect(stopped).toMatchObject({ code: 75, stderr: expect.stringContaining('5 answers of one shape') });
    expect(stopped.stderr).toMatch(/rowonce settle [0-9a-f]{8}/);
    expect(asked).toHaveLength(5);
    expect(desk.place.rows().map(({ _status }) => _status)).toEqual([
      ...Array(5).fill('in_doubt'),
      ...Array(2).fill('pending'),
    ]);
    expect(desk.place.rows()[0]?._reason).toContain('"Benutzer ist weg"');
    expect(await desk.json(['status', 'last'])).toMatchObject({ counts: { in_doubt: 5 } });
    expect(await readFile(desk.place.path('out.report.html'), 'utf8')).toContain('5 in doubt');

    const plan = await desk.type(['plan', operation, 'list.csv']);
    expect(plan.stdout).toMatch(/\? row 2, u-1 in p-1: the result of an earlier \S+ is in doubt/);
    expect(plan.stdout).not.toContain('was lost');

    const again = await desk.json([...run, '--accept', 'doubts']);
    expect(again).toMatchObject({ counts: { in_doubt: 7 }, stopped: null });
  },
);

test.each([
  [
    'invite-user',
    'Email,Role',
    ['a@x.example,viewer', 'b@x.example,viewer'],
    ['invite_code', 'user_id'],
    'accepted=true',
  ],
  ['remove-user', 'User_id', ['u-1', 'u-2'], ['user_id'], 'done=yes'],
  ['create-project', 'Name', ['One', 'Two'], ['project_id'], undefined],
])(
  '%s: an id is no answer for all that are alike, and what is the same for each is accepted',
  async (operation, header, rows, ids, ofAll) => {
    const { desk } = await deskBefore(() => ({ message: 'Antrag ist raus' }), SERVICE);
    await desk.write('list.csv', `${header}\n${rows.join('\n')}\n`);
    await desk.type(['run', operation, 'list.csv', '-o', 'out.csv', '--yes']);
    for (const id of ids) {
      const refused = await desk.type(['settle', 'last', '--answer', `${id}=X`, '--all-like', '2']);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          `${id} differs from row to row, so one answer cannot give it for 2 rows.`,
        ),
      });
    }
    if (ofAll === undefined) return;
    const noted = await desk.type(['settle', 'last', '--answer', ofAll, '--all-like', '2']);
    expect(noted.stdout).toContain('Noted for 2 calls: your answer.');
  },
);

test.each([
  ['remove-user', 'User_id', '', { applied: 7 }, 12],
  ['invite-user', 'Email,Role', '@x.example,viewer', { applied: 2, in_doubt: 5 }, 7],
])(
  '%s: the rule that a stop for doubts prints reads such answers from then on, and settle ends those in doubt',
  async (operation, header, rest, counts, requests) => {
    const { desk, asked } = await deskBefore(() => ({ message: 'Auftrag erledigt' }), SERVICE);
    const rows = Array.from({ length: 7 }, (_, at) => `u-${at + 1}${rest}`);
    await desk.write('list.csv', `${header}\n${rows.join('\n')}\n`);
    const run = ['run', operation, 'list.csv', '-o', 'out.csv', '--yes'];
    const { stderr } = await desk.type(run);
    const rule = /add the rule `- (\{.*?\})` to the `answers`/.exec(stderr)?.[1];
    await desk.write('config/ours.yaml', `vendor: service\nanswers:\n  - ${rule}\n`);
    expect(await desk.json(run)).toMatchObject({ counts, stopped: null });
    expect(asked).toHaveLength(requests);
    if (!('in_doubt' in counts)) return;

    const [, batch = ''] =
      /settle those that are in doubt, as .*settle ([0-9a-f]{8}) lists them/.exec(stderr) ?? [];
    const listed = await desk.type(['settle', batch]);
    expect(listed.stderr).toContain('--all-like ROW');
    await desk.type(['settle', batch, '--answer', 'accepted=true', '--all-like', '2']);
    expect(await desk.json(run)).toMatchObject({ counts: { applied: 7 } });
    expect(asked).toHaveLength(requests);
  },
);

test('matches without a field where they should stand stop the run; corrected, they are read and not bought again', async () => {
  const { desk, asked, speak } = await deskBefore((_, nth) => ({
    person: { full_name: `Jo ${nth}`, emails: ['jo@a.example'] },
  }));
  speak({ fields_at: 'data' });
  desk.list(12);
  const { code, stderr } = await desk.type(desk.run());
  expect(code).toBe(2);
  expect(stderr).toContain(
    '5 matches in a row hold no field at `data` but the question; the last: status 200, {"person":',
  );
  expect(stderr).toContain('say in the dialect where the fields are, as `fields_at`');
  expect(stderr).toContain('- { status: [200], body: { path: …, matches: … }, means: no_match }');
  expect(asked).toHaveLength(5);

  speak({ fields_at: 'person' });
  expect(await desk.json(desk.run())).toMatchObject({ stopped: null });
  expect(asked).toHaveLength(12);
  expect(desk.place.rows().map(({ emails }) => emails)).toEqual(Array(12).fill('jo@a.example'));
});

const SIX = `Email,Role\n${[1, 2, 3, 4, 5, 6].map((at) => `u${at}@x.example,viewer`).join('\n')}\n`;

/** What services publish for an invite of somebody who is there, or is invited. */
const SO_ALREADY: readonly (readonly [status: number, body: object])[] = [
  [409, { message: 'This user is already a member of the project' }],
  [409, { message: 'u1@x.example is already a user of project "proj-1".' }],
  [409, { message: 'u1@x.example Has a pending invite' }],
  [
    422,
    { message: 'Validation Failed', errors: [{ message: 'Invitee is already a part of this organization' }] },
  ],
  [409, { message: 'Member already exists' }],
  [409, { error: { code: 409, message: 'Member already exists.', errors: [{ reason: 'duplicate' }] } }],
  [400, { code: 'email_already_invited_to_organization', message: 'Email already invited to organization.' }],
  [400, { already_exists: 'This user is already a member of this project' }],
  [
    400,
    { errors: [{ code: 'organization.invitation_already_exists', message: 'Invitation already sent.' }] },
  ],
  [200, { ok: false, error: 'already_in_team' }],
  [200, { success: [], failed: [{ email: '$EMAIL', reason: 'already a member' }], totalFailed: 1 }],
];

test.each(SO_ALREADY)(
  'who is there or invited already is unchanged, for nothing, is not asked about again, and six of them stop no run: %s %j',
  async (status, body) => {
    const { desk, asked } = await deskBefore(({ input }) => {
      const said = JSON.stringify(body).replace('$EMAIL', input.email ?? '');
      return new Response(said, { status });
    }, SERVICE);
    await desk.write('list.csv', SIX);
    for (const operation of ['invite-user', 'onboard']) {
      const run = ['run', operation, 'list.csv', '-o', 'out.csv', '--yes'];
      expect(await desk.json(run)).toMatchObject({ counts: { unchanged: 6 }, stopped: null });
      if (operation === 'invite-user')
        expect(desk.place.rows()[0]?._reason).toMatch(/already|pending.*, so nothing had to change/i);
    }
    expect(asked).toHaveLength(6);
  },
);

test.each([
  [409, 'the maximum number of pending invites is reached'],
  [409, 'has a pending invite in another organization'],
  [409, 'User already exists'],
])('what speaks of another invite, or of none, is refused as it is: %s %s', async (status, message) => {
  const { desk } = await deskBefore(() => Response.json({ message }, { status }), SERVICE);
  await desk.write('list.csv', 'Email,Role\njo@x.example,viewer\n');
  const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
  expect((await desk.json(run)).counts).not.toHaveProperty('unchanged');
});

test('who keeps the invite of before, with another role than is wanted, needs attention, in the words of the service', async () => {
  const { desk, asked } = await deskBefore(({ path }, nth) => {
    if (path.endsWith('/delete')) return {};
    return nth === 1
      ? { invite_code: 'IC-1' }
      : Response.json({ message: 'jo@x.example has a pending invite' }, { status: 409 });
  }, SERVICE);
  const run = ['run', 'onboard', 'list.csv', '-o', 'out.csv', '--yes'];
  await desk.write('list.csv', 'Email,Role\njo@x.example,viewer\n');
  expect(await desk.json(run)).toMatchObject({ counts: { applied: 1 } });
  await desk.write('list.csv', 'Email,Role\njo@x.example,editor\n');
  const attention =
    /^invited before as viewer, wanted editor \(status 409, "jo@x\.example has a pending invite"\)/;
  expect(await desk.json(run)).toMatchObject({ counts: { refused: 1 } });
  expect(desk.place.rows()[0]?._reason).toMatch(attention);
  expect(asked).toHaveLength(3);
});

test.each(['invite-user', 'onboard'])(
  '%s of who is a member already is asked once, whatever they are',
  async (operation) => {
    const message = 'jo@x.example is already a member of the project';
    const { desk, asked } = await deskBefore(() => Response.json({ message }, { status: 409 }), SERVICE);
    const run = ['run', operation, 'list.csv', '-o', 'out.csv', '--yes'];
    for (const [role, requests] of [
      ['viewer', 1],
      ['viewer', 0],
      ['editor', 0],
    ] as const) {
      await desk.write('list.csv', `Email,Role\njo@x.example,${role}\n`);
      expect(await desk.json(run)).toMatchObject({ counts: { unchanged: 1 }, requests });
    }
    expect(desk.place.rows()[0]?._reason).toBe(
      operation === 'onboard'
        ? 'jo@x.example has accepted, so their role can only be set by user_id. Give the user_id'
        : 'jo@x.example is in the project already, with an unknown role',
    );
    expect(asked).toHaveLength(1);
  },
);

/** By the first part of the domain that is asked for, with how the row ends. */
const HOSTILE: Readonly<Record<string, readonly [Response | string, string]>> = {
  nested: ['['.repeat(200_000) + ']'.repeat(200_000), 'in_doubt'],
  packed: [Response.json({ name: 'x' }, { headers: { 'content-encoding': 'toString' } }), 'in_doubt'],
  names: ['{"__proto__":"a","constructor":"b","toString":"c","name":"d","NAME":"f"}', 'matched'],
  title: [Response.json({ error: `${ESC}]0;owned\u0007${ESC}[2Jno\u202e such` }, { status: 422 }), 'refused'],
  good: ['{"name":"Acme"}', 'matched'],
};

test('a hostile answer spoils its own row alone, and a terminal obeys none', async () => {
  const { desk } = await deskBefore(({ input }) => HOSTILE[input.domain?.split('.')[0] ?? '']?.[0]);
  const domains = Object.keys(HOSTILE).map((name) => `${name}.example\n`);
  await desk.write('list.csv', `Domain\n${domains.join('')}`);
  const { code, stdout, stderr } = await desk.type(desk.run());
  expect(code).toBe(3);
  expect(desk.place.statuses()).toEqual(Object.values(HOSTILE).map(([, status]) => status));
  const shown = await desk.type(['status', 'last', '5']);
  const files = await Promise.all(['out.csv', 'out.report.html'].map((name) => desk.read(name)));
  for (const text of [stdout, stderr, shown.stdout, ...files]) expect(text).not.toMatch(OBEYED);
});
