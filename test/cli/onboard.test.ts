/**
 * Goal: an administrator sees what a sheet would change, gets exactly that, and nothing twice; and a sheet that goes too
 * far, or that no one agreed to, sends nothing.
 * Method: real commands over sheets of people, before one vendor in a process of its own, whose requests and state are the
 * judge. Every test has projects and sheets of its own. The first one starts the program, the others type in this process.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
    '! row 5, bad@@x: e-mail bad@@x: has more than one @',
    '! row 6, kim@acme.example: role "owner" is not known. Say with --role "owner=…" which of viewer, editor and admin that is.',
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
    'This run would make 1 change (1 invite) in the service, and you have not agreed.',
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

test('a plan says which names of the list nobody knows, who is known, and what would allow a guarded change', async () => {
  const sheet = new Sheet('names', {
    columns: { email: 'Email', project: 'Project', role: 'Role' },
    projects: { Atlas: 'proj-names-1' },
    guards: { max_invites: 0 },
  });
  const rows = [
    'jo@acme.example,Atlas,viewer',
    'al@acme.example,Atlsa,Read only',
    'bo@acme.example,Borea,read  ONLY',
  ];
  writeFileSync(sheet.path('.csv'), `Email,Project,Role\n${rows.join('\n')}\n`);
  const plan = await sheet.json('plan');
  expect(plan.unknown).toEqual({
    projects: [
      { name: 'Atlsa', rows: 1 },
      { name: 'Borea', rows: 1 },
    ],
    roles: [{ name: 'Read only', rows: 2 }],
    misspelled: [{ name: 'Atlsa', rows: 1, meant: 'Atlas' }],
  });
  expect(plan).toMatchObject({ people: 0, guards: [{ allows: { max_invites: 1 } }] });
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
        'send 3 invites, and the limit is 2 (row 2, jo@acme.example in proj-guards; ' +
        'row 3, ann@acme.example in proj-guards; row 4, eve@evil.example in proj-guards).',
      next:
        'If that is right, add --allow-admin, or set guards: { admins: allow } in the job, and ' +
        "add evil.example to the guards' domains in the job, and set guards: { max_invites: 3 } in the job.",
      resume_at: null,
      answers: ['guards'],
      choices: [{ flag: '--accept', value: 'guards', says: 'allow it, for this plan alone' }],
      plan: expect.any(String),
    });
  });
  expect(sent).toEqual([]);
  new Sheet('guards', { guards: { admins: 'allow' } });
  expect((await sheet.json('run', '--yes')).counts).toEqual({ applied: 3 });
});

test('remove_missing removes who is not in the sheet, up to a tenth of the people; without it nobody', async () => {
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
    '- remove p0@acme.example from proj-missing (delete invite) (not in the file); last changed by missing.csv\n',
  );
  const done = await sheet.json('run', '--yes');
  expect(done).toMatchObject({ rows: 9, counts: { unchanged: 9, applied: 1 }, removed: 1 });
  expect(await sheet.roles()).toHaveLength(9);
  expect(readFileSync(sheet.path('.enriched.report.html'), 'utf8')).toMatch(
    /proj-missing<\/span> <span>− removed<\/span> <span>p0@acme\.example<\/span> <span>viewer \(not in the list\)/,
  );
  expect(await sentDuring(() => sheet.json('run'))).toEqual([]);
});

// ---------------------------------------------------------------------------------------------------- projects

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
