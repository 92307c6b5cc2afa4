/**
 * Goal: a vendor that answers with a list of contacts is read by what each of them is, wherever in the list it stands: by the
 * dialect's `gives`, its rules and its `later`, and by the job's `add`.
 * Method: the real command before a vendor on a real socket whose lists are in another order for each person.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const FIND = {
  method: 'POST',
  path: '/find',
  by: ['first_name+last_name+domain'],
  gives: { email: 'contacts[type=email].value' },
  credits: { most: 1, found: 1, miss: 0 },
};
const JOB = {
  account: 'data',
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  operations: {
    'find-email': { add: { Email: 'email', Mobile: 'contacts[type=phone][kind=mobile].value' } },
  },
};
const LIST = 'First,Last,Site\nAnn,Lee,a.example\nBob,Poe,b.example\nCat,Roy,c.example\n';

const email = (value: string | null): object => ({ type: 'email', value });
const phone = (kind: string, value: string): object => ({ type: 'phone', kind, value });
const CONTACTS: Readonly<Record<string, readonly object[]>> = {
  Ann: [phone('work', '02 9000 1234'), email('ann@a.example'), phone('mobile', '0491 570 006')],
  Bob: [email(null), phone('mobile', '0491 570 156'), email('bob@b.example'), email('bob@home.example')],
  Cat: [phone('work', '02 9000 1239'), email(null)],
};

async function deskOf(operation: object, more: object = {}, ready?: () => boolean): Promise<DeskBefore> {
  const at = await deskBefore(({ input, path }, nth) => {
    if (!path.startsWith('/jobs')) {
      const jobs = [
        { of: 'other', id: 'x' },
        { of: 'this', id: `job-${input.first_name}` },
      ];
      return ready === undefined ? { contacts: CONTACTS[String(input.first_name)] } : { jobs, nth };
    }
    const steps = [
      { name: 'queue', state: 'ok' },
      { name: 'search', state: ready?.() ? 'over' : 'running' },
    ];
    return { steps, contacts: ready?.() ? CONTACTS[path.slice('/jobs/job-'.length)] : [] };
  });
  at.speak({ operations: { 'find-email': operation }, ...more });
  await at.desk.write('job.yaml', JSON.stringify(JOB));
  await at.desk.write('list.csv', LIST);
  return at;
}

const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--yes', '--budget', '9'];
const cells = ({ desk }: DeskBefore): string[] =>
  desk.place.rows().map(({ Email, Mobile, _status }) => [Email, Mobile, _status].join(' | '));
const WANTED = [
  'ann@a.example | 0491 570 006 | matched',
  'bob@b.example | 0491 570 156 | matched',
  ' |  | no_match',
];

test('an address and a number are found by what they are, at any place in the list', async () => {
  const at = await deskOf(FIND);
  const { code, stderr } = await at.desk.type(RUN);
  expect(code, stderr).toBe(0);
  expect(cells(at)).toEqual(WANTED);
});

test('the first that is what the place says is taken, also by `add` and without `gives`', async () => {
  const { gives: _, ...operation } = FIND;
  const at = await deskOf(operation);
  at.speak({ operations: { 'enrich-person': operation } });
  const wanted = { Email: 'contacts[type=email].value', State: 'contacts[type=email].state' };
  const add = { ...wanted, Mobile: 'contacts[type=phone].value', Work: 'contacts[kind=work].email' };
  const { columns, account } = JOB;
  await at.desk.write('job.yaml', JSON.stringify({ operation: 'enrich-person', account, columns, add }));
  const answers: Readonly<Record<string, readonly object[]>> = {
    Ann: [email('hidden'), { ...email('ann@a.example'), state: 'hidden' }, phone('work', 'Upgrade to view')],
    Bob: [{ ...email('b***@b.example'), state: 'valid' }, phone('mobile', '0491 570 156')],
    Cat: [{ kind: 'work', email: true }, { kind: 'work', email: 'cat@c.example' }, email('02 9000 1239')],
  };
  at.answer = ({ input }) => ({ name: `${input.first_name} L`, contacts: answers[String(input.first_name)] });
  const { code, stderr } = await at.desk.type(RUN);
  expect(code, stderr).toBe(0);
  const cell = (row: Readonly<Record<string, string>>): string =>
    [row.Email, row.State, row.Mobile, row.Work].join(' | ');
  expect(at.desk.place.rows().map(cell)).toEqual([
    'ann@a.example | hidden |  | ',
    ' | valid | 0491 570 156 | ',
    ' |  |  | cat@c.example',
  ]);
});

test('an id and the word of the end are read so in answers that come later', async () => {
  let asked = 0;
  const later = { id: 'jobs[of=this].id', path: '/jobs/{id}', every: '1s', gives_up: '1h' };
  const answers = [
    { status: [200], body: { path: 'steps[name=search].state', equals: 'over' }, means: 'as_stated' },
    { status: ['2xx'], means: 'pending' },
  ];
  const at = await deskOf({ ...FIND, later }, { answers }, () => ++asked > 4);
  const { code, stderr } = await at.desk.type(RUN);
  expect(code, stderr).toBe(0);
  expect(cells(at)).toEqual(WANTED);
  expect(at.asked.filter(({ path }) => path === '/find')).toHaveLength(3);
});

test('what is told of a doubt stands where the dialect reads it', async () => {
  const at = await deskOf({ ...FIND, answers: [{ status: ['2xx'], means: 'in_doubt' }] });
  await at.desk.type([...RUN, '--limit', '1']);
  const told = ['settle', 'last', '2', '--answer', 'contacts[type=phone][kind=mobile].value=13 33 45'];
  const settled = await at.desk.type([...told, '--answer', 'email=ann@told.example']);
  expect(settled.code, settled.stderr).toBe(0);
  await at.desk.type([...RUN, '--limit', '1']);
  expect(cells(at)[0]).toBe('ann@told.example | 13 33 45 | matched');
});

test('a place that is written otherwise is refused before anything is sent', async () => {
  const at = await deskOf({ ...FIND, gives: { email: 'contacts[type=email.value' } });
  const odd = await at.desk.type(RUN);
  expect(odd.code).toBe(2);
  expect(odd.stderr).toContain('contacts[type=email].value');
  at.speak({ operations: { 'find-email': FIND }, fields_at: 'data[type=person]' });
  const elsewhere = await at.desk.type(RUN);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toContain('fields_at');
  expect(at.asked).toEqual([]);
});
