/**
 * Goal: an administrator sees what a sheet would change, gets exactly that, and nothing twice; and a sheet that goes too
 * far, or that nobody agreed to, sends nothing.
 * Method: real commands over sheets of people, before one vendor in a process of its own, whose requests and state are the
 * judge. Every test has projects and sheets of its own. The first one starts the program, the others type in this process.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { proof } from '../combinations.ts';
import { TeamWorkplace, type Wanted } from '../faults/team-workplace.ts';
import { type JsonResult, objectIn } from './desk.ts';
import type { Ended } from './rowonce.ts';
import { type Typing, typed } from './typed.ts';

let team: TeamWorkplace;
beforeAll(async () => {
  team = await TeamWorkplace.open({ ownProcess: true });
  vi.stubEnv('ROWONCE_CONFIG', team.place.path('config'));
  vi.stubEnv('ROWONCE_STORE', team.place.path('store'));
});
afterAll(() => team[Symbol.asyncDispose]());

/** A sheet and a job of one test. */
class Sheet {
  readonly name: string;
  readonly project: string;

  constructor(name: string, job: object = {}) {
    this.name = name;
    this.project = `proj-${name}`;
    team.writeJob(job, `${name}.yaml`);
  }

  /** Writes the job anew. */
  job(job: object): void {
    team.writeJob(job, `${this.name}.yaml`);
  }

  /** @param people `jo as editor`, each on a row of the project. */
  write(...people: readonly string[]): void {
    team.writeSheet(
      people.map((each) => this.#wanted(each)),
      `${this.name}.csv`,
    );
  }

  type(command: string, ...more: readonly string[]): Promise<Ended> {
    return this.answering({}, command, ...more);
  }

  answering(typing: Typing, command: string, ...more: readonly string[]): Promise<Ended> {
    return typed([command, this.path('.yaml'), this.path('.csv'), ...more], typing);
  }

  async json(command: string, ...more: readonly string[]): Promise<JsonResult> {
    return objectIn((await this.type(command, ...more, '--json')).stdout);
  }

  /** Who is there in the end, as `jo as editor`. */
  async roles(): Promise<readonly string[]> {
    const roles = (await team.state()).roles((project) => project === this.project);
    return Object.entries(roles).map(([name, role]) => `${nameIn(name)} as ${role}`);
  }

  path(ending: string): string {
    return team.place.path(`${this.name}${ending}`);
  }

  #wanted(text: string): Wanted {
    const [who = '', role = ''] = text.split(' as ');
    return { email: who.includes('@') ? who : `${who}@acme.example`, role, project: this.project };
  }
}

/** `proj-x jo@acme.example` → `jo`. */
function nameIn(projectAndEmail: string): string {
  return projectAndEmail.replace(/^\S+ /, '').replace('@acme.example', '');
}

/** What a step sent to the vendor, as `create-invite`, by its own log. */
async function sentDuring(step: () => Promise<unknown>): Promise<readonly (string | null)[]> {
  const before = team.vendor.requests().length;
  await step();
  return team.vendor
    .requests()
    .slice(before)
    .map(({ operation }) => operation);
}

test('the plan is a diff; the run does that; the same sheet again does nothing; an edited one sends the difference', async () => {
  const sheet = new Sheet('diff');
  sheet.write('jo as editor', 'ann as viewer', 'jo as Editor', 'bad@@x as viewer', 'kim as owner');
  const planned = await team.type('plan', 'diff.yaml', 'diff.csv');
  expect(planned.code).toBe(0);
  expect(planned.stdout.split('\n').slice(2)).toEqual([
    '+ invite jo@acme.example to proj-diff as editor (row 2)',
    '+ invite ann@acme.example to proj-diff as viewer (row 3)',
    '= jo@acme.example in proj-diff (row 4): the same as row 2',
    '! row 5, bad@@x: e-mail "bad@@x" holds more than one e-mail address',
    '! row 6, kim@acme.example: role "owner" is not known. Known are: viewer, editor, admin.',
    '2 changes (2 invites), 1 unchanged, 2 invalid.',
    '2 requests, about 1 s.',
    expect.stringMatching(/^ {2}id {13}[\w-]+$/),
    '',
  ]);
  expect(await sentDuring(() => sheet.type('plan'))).toEqual([]);

  expect(await team.json('run', 'diff.yaml', 'diff.csv', '--yes')).toMatchObject({
    rows: 5,
    counts: { applied: 2, unchanged: 1, invalid: 2 },
    requests: 2,
    stopped: null,
  });
  expect(await sheet.roles()).toEqual(['jo as editor', 'ann as viewer']);
  expect(await sentDuring(() => sheet.json('run'))).toEqual([]);

  sheet.write('jo as editor', 'ann as editor');
  expect((await sheet.type('plan')).stdout).toContain(
    '~ ann@acme.example in proj-diff: viewer → editor (delete invite, create invite) (row 3)\n' +
      '= jo@acme.example in proj-diff: editor (row 2)\n' +
      '1 change (1 role), 1 unchanged.\n',
  );
  expect(await sentDuring(() => sheet.json('run', '--yes'))).toEqual(['delete-invite', 'create-invite']);
  expect(await sheet.roles()).toEqual(['jo as editor', 'ann as editor']);
});

proof('plan --json has the changes beside the counts of every plan', async () => {
  const sheet = new Sheet('json');
  sheet.write('jo as editor', 'kim as owner');
  const { id, because, ...plan } = await sheet.json('plan');
  expect(id).toMatch(/^[\w-]+$/);
  expect(plan).toEqual({
    columns: { email: 'Email', role: 'Role', project_id: 'Project', user_id: 'User' },
    rows: 2,
    invalid: 1,
    duplicates: 0,
    bought_before: 0,
    in_doubt: 0,
    to_buy: 1,
    credits: { most: 0, expected: 0 },
    seconds: 1,
    reasons: [
      { reason: 'role "owner" is not known. Known are: viewer, editor, admin.', count: 1, first_rows: [3] },
    ],
    damage: [],
    changes: [
      {
        row: 2,
        action: 'invite',
        email: 'jo@acme.example',
        project: 'proj-json',
        from: null,
        to: 'editor',
        calls: ['create-invite'],
      },
      {
        row: 3,
        action: 'invalid',
        email: 'kim@acme.example',
        project: null,
        from: null,
        to: null,
        reason: 'role "owner" is not known. Known are: viewer, editor, admin.',
      },
    ],
    leavers: [],
    projects: [
      {
        project: 'proj-json',
        new: false,
        invited: { editor: 1 },
        changed: {},
        removed: 0,
        stay: 0,
        attention: 0,
      },
    ],
    guards: [],
  });
});

test('two rows that want different things of one person are both invalid, and the rest goes', async () => {
  const sheet = new Sheet('torn');
  sheet.write('jo as editor', 'ann as viewer', 'jo as viewer', 'jo as editor');
  await sheet.json('run', '--yes');
  expect(await sheet.roles()).toEqual(['ann as viewer']);
  const attention = readFileSync(sheet.path('.enriched.needs-attention.csv'), 'utf8');
  const reason = 'the list contradicts itself: row 2 says editor, row 4 says viewer; keep one of them';
  expect(attention.match(new RegExp(reason, 'g'))).toHaveLength(3);
});

// ---------------------------------------------------------------------------------------------------- consent

test('off a terminal a change needs --yes; nothing is sent without it, and nothing to do needs none', async () => {
  const sheet = new Sheet('consent');
  sheet.write('jo as editor');
  let refused = { code: null as number | null, stderr: '' };
  expect(
    await sentDuring(async () => {
      refused = await sheet.type('run');
    }),
  ).toEqual([]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'This run would make 1 change (1 invite) in the service, and nobody has agreed.',
  );
  expect(refused.stderr).toContain('--yes');
  expect((await sheet.type('run', '--yes')).code).toBe(0);
  expect((await sheet.type('run')).code).toBe(0);
});

test('on a terminal the diff is shown and asked about; only yes sends it', async () => {
  const sheet = new Sheet('asked');
  sheet.write('jo as editor', 'ann as viewer');
  const refused = await sheet.answering({ answer: 'n' }, 'run');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('+ invite jo@acme.example to proj-asked as editor (row 2)');
  expect(refused.stderr).toContain('Apply 2 changes to the service (2 invites)? [y/N]');
  expect(refused.stderr).toMatch(/You did not agree, so nothing was sent\.\n.*\n$/);
  expect(await sheet.roles()).toEqual([]);
  expect((await sheet.answering({ answer: 'y' }, 'run')).code).toBe(0);
  expect(await sheet.roles()).toEqual(['jo as editor', 'ann as viewer']);
});

proof('a batch that goes on is not asked about again', async () => {
  const sheet = new Sheet('goeson');
  sheet.write('jo as editor', 'ann as viewer');
  await sheet.json('run', '--yes', '--limit', '1');
  expect((await sheet.json('run')).counts).toEqual({ applied: 2 });
});

proof('play money is never asked about', async () => {
  const sheet = new Sheet('play');
  sheet.write('jo as editor');
  const env = ['--account', 'sandbox-service', '--store', team.place.path('play-store')];
  const { code, stdout } = await sheet.type('run', ...env);
  expect(code).toBe(0);
  expect(stdout).toContain('Changes    1 invite\n');
});

proof('a sample of a change is refused, because it says nothing of the rest', async () => {
  const sheet = new Sheet('sample');
  sheet.write('jo as editor');
  const { code, stderr } = await sheet.type('run', '--yes', '--sample', '1');
  expect(code).toBe(2);
  expect(stderr).toContain('onboard changes the service');
});

// ---------------------------------------------------------------------------------------------------- guards

test('every guard stops the run before anything is sent, names the rows, and says how it is allowed', async () => {
  const guards = { domains: ['acme.example'], max_invites: 2 };
  const sheet = new Sheet('guards', { guards });
  sheet.write('jo as admin', 'ann as viewer', 'eve@evil.example as viewer');
  expect((await sheet.type('plan')).stdout.match(/^A run would stop: .*$/gm)).toHaveLength(3);
  const sent = await sentDuring(async () => {
    expect((await sheet.json('run', '--yes')).stopped).toEqual({
      code: 'guard',
      message:
        'Nothing was sent, because this run would make 1 person admin (row 2, jo@acme.example in proj-guards); ' +
        'invite 1 person outside acme.example (row 4, eve@evil.example in proj-guards); ' +
        'send 3 invites, and max_invites is 2 (row 2, jo@acme.example in proj-guards; ' +
        'row 3, ann@acme.example in proj-guards; row 4, eve@evil.example in proj-guards).',
      next:
        'If that is right, add --allow-admin, or set guards: { admins: allow } in the job, and ' +
        "add evil.example to the guards' domains in the job, and set guards: { max_invites: 3 } in the job.",
      resume_at: null,
      answers: ['guards'],
      plan: expect.any(String),
    });
  });
  expect(sent).toEqual([]);
  new Sheet('guards', { guards: { admins: 'allow' } });
  expect((await sheet.json('run', '--yes')).counts).toEqual({ applied: 3 });
});

test('--allow-admin lets one run make somebody admin', async () => {
  const sheet = new Sheet('admin');
  sheet.write('jo as admin');
  expect((await sheet.type('run', '--yes')).code).toBe(2);
  expect((await sheet.type('run', '--yes', '--allow-admin')).code).toBe(0);
  expect(await sheet.roles()).toEqual(['jo as admin']);
});

proof(
  'remove_missing removes who is not in the sheet, up to a tenth of the people; without it nobody',
  async () => {
    const people = Array.from({ length: 10 }, (_, index) => `p${index} as viewer`);
    const keeps = new Sheet('missing');
    keeps.write(...people);
    await keeps.json('run', '--yes');
    keeps.write(...people.slice(2));
    expect(await sentDuring(() => keeps.json('run', '--yes'))).toEqual([]);

    const sheet = new Sheet('missing', { remove_missing: true });
    const refused = await sheet.json('run', '--yes');
    expect(refused.stopped.message).toContain('remove 2 of 10 people whom the file no longer names');
    sheet.write(...people.slice(1));
    expect((await sheet.type('plan')).stdout).toContain(
      '- remove p0@acme.example from proj-missing (delete invite) (not in the file)\n',
    );
    const done = await sheet.json('run', '--yes');
    expect(done).toMatchObject({ rows: 9, counts: { unchanged: 9, applied: 1 }, removed: 1 });
    expect(await sheet.roles()).toHaveLength(9);
    const removed = parse(readFileSync(done.removed_file), { columns: true });
    expect(removed).toMatchObject([
      { email: 'p0@acme.example', project: 'proj-missing', role: 'viewer', _status: 'applied' },
    ]);
    expect(done.removed_file).toBe(sheet.path('.enriched.removed.csv'));
    expect(await sentDuring(() => sheet.json('run'))).toEqual([]);
  },
);

proof(
  'a row with a misspelt project holds back the person whom it names; the others are removed, and listed apart',
  async () => {
    const job = {
      remove_missing: true,
      guards: { max_removals: '100%' },
      columns: { email: 'Email', role: 'Role', project: 'Project' },
      projects: { Apart: 'proj-apart' },
    };
    const sheet = new Sheet('apart', job);
    const write = (...rows: readonly string[]) =>
      writeFile(sheet.path('.csv'), `Email,Role,Project\n${rows.map((row) => `${row}\n`).join('')}`);
    const people = ['jo', 'ann', 'bob', 'cid'].map((who) => `${who}@acme.example,viewer,Apart`);
    await write(...people);
    await sheet.json('run', '--yes');
    await write(`${people[0]}`, 'bob@acme.example,viewer,Aprat');
    expect(await sheet.json('plan')).toMatchObject({ removed: 2, held_back: 1 });
    const done = await sheet.json('run', '--yes');
    expect(done).toMatchObject({
      counts: { unchanged: 1, invalid: 1, applied: 2, refused: 1 },
      removed: 2,
      not_removed: 1,
      changes: {
        done: { remove: 2 },
        counts: { applied: 2, unchanged: 1, held_back: 1, invalid: 1 },
        projects: [
          { project: 'Apart', to: 'viewer', counts: { unchanged: 1 } },
          { project: 'Apart', to: 'none', done: { remove: 2 }, counts: { applied: 2, held_back: 1 } },
        ],
      },
    });
    expect(await sheet.roles()).toEqual(['jo as viewer', 'bob as viewer']);
    const listed = (path: string) => parse(readFileSync(path), { columns: true });
    expect(listed(done.removed_file)).toMatchObject([
      { email: 'ann@acme.example' },
      { email: 'cid@acme.example' },
    ]);
    expect(done.not_removed_file).toBe(sheet.path('.enriched.not-removed.csv'));
    expect(listed(done.not_removed_file)).toMatchObject([
      { email: 'bob@acme.example', project: 'Apart', role: 'viewer', _status: 'held_back' },
    ]);
    const report = readFileSync(sheet.path('.enriched.report.html'), 'utf8');
    expect(report).toContain('2 removals from Apart; 1 stays as it was, 1 held back, 1 invalid.');
    expect(report).toMatch(
      /<h2>Not in the list<.*bob@acme\.example<td>Apart<td>held back<td>.*row 3 is invalid/s,
    );
    const again = await sheet.type('run');
    expect(again.stdout).toContain('Changes    2 removals, 1 held back\n');
    expect(again.stderr).toContain('continues: 5 of 5 rows are finished');
    const exported = await sheet.json('export');
    expect(exported.not_removed_file).toBe(done.not_removed_file);
    expect(exported.removed_file).toBe(done.removed_file);
  },
);

proof(
  'while a row is invalid nobody is removed for not being in the sheet, because that row may mean them',
  async () => {
    const sheet = new Sheet('unclear', { remove_missing: true, guards: { max_removals: '100%' } });
    sheet.write('jo as viewer', 'ann as viewer');
    await sheet.json('run', '--yes');
    sheet.write('jo@@acme.example as viewer', 'ann as viewer');
    const done = await sheet.json('run', '--yes');
    expect(done).toMatchObject({ counts: { unchanged: 1, invalid: 1, refused: 1 }, requests: 0, removed: 0 });
    expect(await sheet.roles()).toEqual(['jo as viewer', 'ann as viewer']);
    expect(done).toMatchObject({ removed_file: null, not_removed: 1 });
    expect(readFileSync(done.not_removed_file, 'utf8')).toContain(
      'jo@acme.example was not removed from proj-unclear, because row 2 is invalid',
    );
  },
);

// ---------------------------------------------------------------------------------------------------- long plans

proof(
  'a long plan is cut on the terminal, and --all shows every line; whom the sheet leaves out is named and stays',
  async () => {
    const sheet = new Sheet('long');
    sheet.write('old as viewer', 'jo as viewer');
    await sheet.json('run', '--yes');
    const people = Array.from({ length: 60 }, (_, at) => `p${at} as viewer`);
    sheet.write('jo as viewer', ...people);
    const invitesIn = (stdout: string) => stdout.split('\n').filter((line) => line.startsWith('+ invite'));
    const cut = (await sheet.type('plan')).stdout;
    expect(invitesIn(cut)).toHaveLength(50);
    expect(cut).toContain('and 10 more: --all shows them');
    expect(invitesIn((await sheet.type('plan', '--all')).stdout)).toHaveLength(60);
    expect(cut).toContain(
      '= old@acme.example in proj-long: viewer (not in the file): stays, because the job does not have remove_missing',
    );
    expect(await sheet.json('plan')).toMatchObject({
      leavers: [{ email: 'old@acme.example', project: 'proj-long', role: 'viewer' }],
      projects: [{ project: 'proj-long', invited: { viewer: 60 }, removed: 0, stay: 2 }],
    });
    await sheet.json('run', '--yes');
    expect(await sheet.roles()).toContain('old as viewer');
  },
);

// ---------------------------------------------------------------------------------------------------- projects, doubts

test('a project that is to be made is made once for all its rows, and said to be there for good', async () => {
  const sheet = new Sheet('made', {
    columns: { email: 'Email', role: 'Role', project: 'Project' },
    create_projects: true,
  });
  sheet.write('jo as editor', 'ann as viewer');
  expect((await sheet.type('plan')).stdout.split('\n').slice(2, 6)).toEqual([
    '+ create project proj-made (row 2); it cannot be deleted again',
    '+ invite jo@acme.example to proj-made as editor (row 2)',
    '+ invite ann@acme.example to proj-made as viewer (row 3)',
    '3 changes (1 new project, 2 invites).',
  ]);
  const sent = await sentDuring(async () => {
    expect((await sheet.type('run', '--yes')).stdout).toContain('Changes    1 new project, 2 invites\n');
  });
  expect(sent.toSorted()).toEqual(['create-invite', 'create-invite', 'create-project']);
  expect(await sentDuring(() => sheet.type('run'))).toEqual([]);
});

test('a change whose answer was lost is shown in doubt, is no work, and is not sent again by the same sheet', async () => {
  const sheet = new Sheet('doubt');
  sheet.write('jo as editor', 'ann as viewer');
  await team.vendor.setFaults('charged-reset@create-invite:x1');
  const { batch } = await sheet.json('run', '--yes', '--limit', '1');
  await team.vendor.setFaults();
  expect((await sheet.type('plan')).stdout).toContain(
    `? row 2, jo@acme.example in proj-doubt: the result of an earlier create-invite is in doubt (row 2 of batch ${batch})`,
  );
  await sheet.json('run', '--yes');
  const again = await sheet.json('run');
  expect(again).toMatchObject({ batch, counts: { in_doubt: 1, applied: 1 }, requests: 0 });
});

proof('what the service has announced and does not offer is said so', async () => {
  for (const word of ['delete-project', 'scim', 'provision-users']) {
    const { code, stderr } = await typed(['run', word, 'any.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('the service does not offer this yet.');
  }
});

proof('run --help maps the prebuilt steps of the service to operations', async () => {
  const { stdout } = await typed(['run', '--help']);
  const steps = [...stdout.matchAll(/^ {2}([A-Z][\w ]+?) {2,}([a-z-]+)/gm)].map(([, step, operation]) => [
    step,
    operation,
  ]);
  expect(steps).toEqual([
    ['People Enrichment', 'enrich-person'],
    ['Company Enrichment', 'enrich-company'],
    ['People Search', 'search-people'],
    ['API Call', 'api-call'],
  ]);
});

proof('the jobs that are there to be copied do what they say in the sandbox', async () => {
  const checkout = join(import.meta.dirname, '..', '..');
  const run = async (job: string, list: string, ...more: readonly string[]) => {
    const [jobPath, input] = [join(checkout, 'jobs', job), join(checkout, 'fixtures', list)];
    const paths = ['-o', team.place.path(list), '--store', team.place.path('copied-store')];
    return objectIn((await typed(['run', jobPath, input, ...paths, '--json', ...more])).stdout);
  };
  expect((await run('onboard-team.yaml', 'team.csv')).stopped).toMatchObject({ code: 'guard' });
  expect((await run('onboard-team.yaml', 'team.csv', '--allow-admin')).counts).toEqual({
    applied: 12,
    unchanged: 1,
    invalid: 3,
  });
  expect((await run('offboard.yaml', 'leavers.csv')).counts).toEqual({ applied: 1, refused: 1, invalid: 2 });
});

proof(
  'a sheet in its own words: several projects in a cell, its words for roles, and the id of a project that is made',
  async () => {
    const job = {
      operation: 'onboard',
      account: 'data',
      columns: { email: 'Email', role: 'Access', project: 'Teams', organization_id: 'Org' },
      projects: { Alpha: 'proj-words-a', Beta: 'proj-words-b' },
      roles: { 'Read only': 'viewer' },
      create_projects: true,
    };
    await writeFile(team.place.path('words.yaml'), JSON.stringify(job));
    const sheet = [
      'Email,Access,Teams,Org',
      'wo@acme.example,READ ONLY,"Alpha; Launch words",',
      'wi@acme.example,Editor,"Alpha, Beta",',
      'wa@acme.example,Editor,"Launch words",org-2',
    ];
    await writeFile(team.place.path('words.csv'), `${sheet.join('\n')}\n`);
    const run = () => typed(['run', team.place.path('words.yaml'), team.place.path('words.csv'), '--yes']);
    const plan = await typed(['plan', team.place.path('words.yaml'), team.place.path('words.csv')]);
    expect(plan.stdout).toContain('wo@acme.example');
    const sent = await sentDuring(async () => expect((await run()).code).toBe(0));
    expect(sent.filter((each) => each === 'create-project')).toHaveLength(2);
    expect(sent.filter((each) => each === 'create-invite')).toHaveLength(5);

    const state = await team.state();
    const made = state.projects.filter(({ name }) => name === 'Launch words');
    const organizations = team.vendor
      .requests()
      .flatMap(({ operation, body }) =>
        operation === 'create-project' && body.name === 'Launch words' ? [body.organization_id] : [],
      );
    expect(organizations.sort()).toEqual(['org-1', 'org-2']);
    const rows = team.place.rows('words.enriched.csv');
    expect(rows.map(({ _status, _source }) => `${_status} ${_source}`)).toEqual(
      Array(3).fill('applied sent'),
    );
    const ids = made.map(({ project }) => project);
    expect(ids).toContain(rows[0]?.project_id);
    expect(ids).toContain(rows[2]?.project_id);
    expect(rows[0]?._reason).toBe(
      `Alpha: invited as viewer; Launch words: project created: project_id ${rows[0]?.project_id}; invited as viewer`,
    );
    expect(rows[1]?._reason).toBe('Alpha: invited as editor; Beta: invited as editor');
    expect(await sentDuring(run)).toEqual([]);

    const undone = objectIn((await typed(['undo', 'last', '--yes', '--json'])).stdout);
    expect(undone.not_undone.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
      'project launch words',
      'project launch words of org-2',
    ]);
    expect(Object.keys((await team.state()).roles((project) => project.startsWith('proj-words')))).toEqual(
      [],
    );
  },
);

proof('one role for all needs no column of roles', async () => {
  const job = { operation: 'invite-user', account: 'data', role: 'viewer' };
  await writeFile(team.place.path('all.yaml'), JSON.stringify(job));
  await writeFile(team.place.path('all.csv'), 'Email,Project ID\nal@acme.example,proj-all\n');
  const { code, stderr } = await typed([
    'run',
    team.place.path('all.yaml'),
    team.place.path('all.csv'),
    '--yes',
  ]);
  expect(code, stderr).toBe(0);
  expect((await team.state()).roles((project) => project === 'proj-all')).toEqual({
    'proj-all al@acme.example': 'viewer',
  });
});

test.each([
  [{ role: 'owner' }, 'a role is viewer, editor or admin'],
  [{ roles: { Owner: 'boss' } }, 'a role is viewer, editor or admin'],
  [{ role: 'viewer', roles: { Reader: 'viewer' } }, '`role` gives every row the same role'],
])('a role that says nothing is refused before anything is sent: %j', async (more, words) => {
  await writeFile(team.place.path('odd.yaml'), JSON.stringify({ operation: 'invite-user', ...more }));
  await writeFile(team.place.path('odd.csv'), 'Email,Role\nal@acme.example,viewer\n');
  const { code, stderr } = await typed(['plan', team.place.path('odd.yaml'), team.place.path('odd.csv')]);
  expect(stderr).toContain(words);
  expect(code).toBe(2);
});

proof(
  'killed between two projects of one row, the same command goes on with the other: nobody is invited twice',
  async () => {
    const people = [{ email: 'ky@acme.example', role: 'viewer', project: 'proj-kill-a; proj-kill-b' }];
    team.writeSheet(people, 'kill.csv');
    const order = { input: 'kill.csv', output: 'kill-out.csv' };
    expect((await team.run({ ...order, crashAt: 'after-close' })).signal).toBe('SIGKILL');
    const invited = async () => (await team.state()).roles((project) => project.startsWith('proj-kill'));
    expect(await invited()).toEqual({ 'proj-kill-a ky@acme.example': 'viewer' });
    expect(await team.runHere(order)).toMatchObject({ code: 0, report: { counts: { applied: 1 } } });
    expect(await invited()).toEqual({
      'proj-kill-a ky@acme.example': 'viewer',
      'proj-kill-b ky@acme.example': 'viewer',
    });
    expect((await team.state()).invitedTwice()).toEqual([]);
    const undone = await typed(['undo', 'last', '--yes']);
    expect(undone.code).toBe(0);
    expect(await invited()).toEqual({});
  },
);
