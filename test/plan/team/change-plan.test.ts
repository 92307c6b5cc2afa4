/**
 * Goal: what a list would change is known before anything is sent: every row once, rows that get in each other's way
 * found, and what the service itself says counted more than what is remembered.
 * Method: real sheets through the operations as they are, in the dialect as it is built in; no ledger, so that nothing is
 * known but what a test says the service tells.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { KnownSubject, SubjectFacts } from '../../../src/core/membership.ts';
import { openHeader } from '../../../src/files/input.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { type AskTeam, type ChangePlan, planChanges } from '../../../src/plan/team/change-plan.ts';
import { diffLines, EVERY_LINE } from '../../../src/plan/team/diff-words.ts';
import { chooseJob } from '../../../src/run/choose.ts';
import { freshLedger } from '../../ledger/stores/places.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-plan-'));
  vi.stubEnv('ROWONCE_CONFIG', folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const HEADER = 'Email,Role,Project,User_ID';
const PROJECTS = { Sales: 'proj-sales', Data: 'proj-data' };

interface Planning {
  readonly askTeam?: AskTeam;
  /** What else the job says. */
  readonly job?: object;
  /** People of Sales whom the ledger knows, because a list of ours has brought them there. */
  readonly brought?: Readonly<Record<string, SubjectFacts>>;
}

async function planned(
  rows: readonly string[],
  { askTeam, job, brought }: Planning = {},
): Promise<ChangePlan> {
  const { order, input } = await orderOf(rows, job);
  if (brought === undefined) return planChanges({ ...order, ledger: undefined }, input, askTeam);
  const ledger = await freshLedger(sqlite);
  const subjects = async () => peopleOfSales(brought, 1);
  return planChanges(
    { ...order, ledger: Object.defineProperty(ledger, 'subjects', { value: subjects }) },
    input,
    askTeam,
  );
}

async function orderOf(rows: readonly string[], job: object = {}) {
  const [sheet, jobFile] = [join(folder, 'team.csv'), join(folder, 'team.yaml')];
  writeFileSync(sheet, `${[HEADER, ...rows].join('\n')}\n`);
  writeFileSync(jobFile, JSON.stringify({ operation: 'onboard', projects: PROJECTS, ...job }));
  const order = await chooseJob({ job: jobFile, entries: { account: 'sandbox-service' } });
  return { order, input: await openHeader(sheet, order.job) };
}

/** `2 invite`, in the order of the plan. */
const actions = ({ changes }: ChangePlan): readonly string[] =>
  changes.map(({ row, action }) => `${row} ${action}`);

function peopleOfSales(
  people: Readonly<Record<string, SubjectFacts>>,
  sequence: number,
): readonly KnownSubject[] {
  return Object.entries(people).map(([name, facts]) => ({
    subject: { project: 'proj-sales', name },
    sequence,
    facts: { ...(name.includes('@') ? { email: name } : {}), ...facts },
  }));
}

test('a user id that two addresses share is one person', async () => {
  const plan = await planned(['jo@x.example,editor,Sales,u1', 'jo@y.example,viewer,Sales,u1']);
  expect(actions(plan)).toEqual(['2 invalid', '3 invalid']);
  expect(plan.changes[0]?.reason).toContain('row 2 says editor, row 3 says viewer');
});

test('while a row cannot be read, people whom the list does not name stay', async () => {
  const brought = { 'old@x.example': { state: 'member', role: 'viewer', userId: 'u9' } } as const;
  const rows = ['jo@x.example,viewer,Sales,', '"old"@x.example,viewer,Sales,'];
  const plan = await planned(rows, { brought, job: { remove_missing: true } });
  expect(actions(plan)).toEqual(['2 invite', '3 invalid', '4 unchanged']);
  expect(plan.changes[1]?.reason).toContain('line 3 cannot be read: a cell in quotes begins here');
});

test('people whom the list does not name are told where nobody removes them, and nothing is planned for them', async () => {
  const brought = {
    'old@x.example': { state: 'member', role: 'viewer', userId: 'u9' },
    'jo@x.example': { state: 'member', role: 'viewer', userId: 'u1' },
  } as const;
  const rows = ['jo@x.example,viewer,Sales,', 'mo@x.example,editor,Data,'];
  const plan = await planned(rows, { brought });
  expect(actions(plan)).toEqual(['2 unchanged', '3 invite']);
  expect(plan.leavers).toEqual([{ email: 'old@x.example', project: 'Sales', role: 'viewer' }]);
  expect(diffLines(plan)).toContain(
    '= old@x.example in Sales: viewer (not in the file): stays, because the job does not have remove_missing',
  );
  const removing = await planned(rows, { brought, job: { remove_missing: true } });
  expect(removing.leavers).toEqual([]);
  expect(actions(removing)).toEqual(['2 unchanged', '3 invite', '4 remove']);
});

test('a long plan is cut, with every line where that is asked for', async () => {
  const invites = Array.from(
    { length: 60 },
    (_, at) => `p${at}@x.example,${at < 2 ? 'editor' : 'viewer'},Sales,`,
  );
  const brought = { 'old@x.example': { state: 'invited', role: 'viewer', inviteCode: 'i1' } } as const;
  const plan = await planned(
    [...invites, 'old@x.example,editor,Sales,', 'mo@x.example,viewer,Data,', 'no@@x.example,viewer,Data,'],
    { brought },
  );
  expect(diffLines(plan).at(-1)).toBe('62 changes (61 invites, 1 role), 1 invalid.');
  expect(diffLines(plan).filter((line) => line.startsWith('+'))).toHaveLength(50);
  expect(diffLines(plan)).toContain('  and 12 more: --all shows them');
  const every = diffLines(plan, EVERY_LINE);
  expect(every.filter((line) => /^[+~] /.test(line))).toHaveLength(62);
  expect(every.some((line) => line.includes('--all'))).toBe(false);
});
