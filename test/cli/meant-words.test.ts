/**
 * Goal: a word that was typed wrong is answered with what was meant, and with a command that works as it is printed.
 * Method: twenty mistakes of ten kinds, typed at a desk. What stands in a file is mended as the answer says; then
 * the printed command is typed, and must get past the mistake. The vendor's book says that nothing was spent.
 */
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDesk } from './desk.ts';

interface Mistake {
  /** As it is typed behind `rowonce`; a word with a blank in it stands in quotes. */
  readonly typed: string;
  /** What the answer says to do, before the command. */
  readonly next: string;
  /** The command of the last line; left out: what was typed. */
  readonly command?: string;
  /** What is in `job.yaml`, or in the accounts file beside its vendor. */
  readonly job?: string;
  readonly account?: object;
  /** Of what the printed command leads to; left out: 0. */
  readonly code?: number;
}

const AGAIN = 'Correct it there, then run the same command again:';
const PLAN = 'plan enrich-company list.csv';

const MISTAKES: Readonly<Record<string, readonly Mistake[]>> = {
  'a name from another tool': [
    {
      typed: 'run enrich-company list.csv --budget 9 --dry-run -o out.csv',
      next: 'A plan shows what a run would do, and spends nothing.',
      command: PLAN,
    },
    {
      typed: 'run enrich-company --input list.csv --budget 0',
      next: 'The list needs no flag.',
      command: 'run enrich-company --budget 0 list.csv',
      code: 4,
    },
  ],
  'a slip in a flag': [
    { typed: `${PLAN} --acount data`, next: 'Did you mean --account?', command: `${PLAN} --account data` },
    {
      typed: 'plan enrich-company list.csv –strict',
      next: 'Did you mean --strict?',
      command: `${PLAN} --strict`,
    },
  ],
  'a slip in a command': [
    { typed: 'paln enrich-company list.csv', next: 'Did you mean plan?', command: PLAN },
    { typed: 'history', next: 'Did you mean log?', command: 'log' },
    { typed: 'acounts list', next: 'Did you mean accounts?', command: 'accounts list' },
  ],
  'a slip in an operation': [
    { typed: 'plan enrich-compnay list.csv', next: 'Did you mean enrich-company?', command: PLAN },
    { typed: 'plan company list.csv', next: 'Did you mean enrich-company?', command: PLAN },
  ],
  'a slip in a column': [
    {
      typed: `${PLAN} --column domain=Domian`,
      next: 'Did you mean Domain?',
      command: `${PLAN} --column domain=Domain`,
    },
    {
      typed: 'plan job.yaml list.csv',
      job: 'operation: enrich-company\ncolumns: { domain: domain }\n',
      next: `Did you mean Domain? ${AGAIN}`,
    },
  ],
  'a slip in a path': [
    { typed: 'plan enrich-company lits.csv', next: 'Did you mean list.csv?', command: PLAN },
    {
      typed: 'plan enrich-company ./list/companies.cvs',
      next: 'Did you mean lists/companies.csv?',
      command: 'plan enrich-company lists/companies.csv',
    },
  ],
  'a slip in an account': [
    { typed: `${PLAN} --account dta`, next: 'Did you mean data?', command: `${PLAN} --account data` },
    {
      typed: 'plan job.yaml list.csv',
      job: 'operation: enrich-company\naccount: dat\n',
      next: `Did you mean data? ${AGAIN}`,
    },
  ],
  'a slip in a file': [
    {
      typed: 'plan job.yaml list.csv',
      job: 'operation: enrich-compny\n',
      next: `Did you mean enrich-company? ${AGAIN}`,
    },
    {
      typed: 'plan list.csv job.yaml',
      job: 'operation: enrich-company\n',
      next: 'Name the job first, then the list.',
      command: 'plan job.yaml list.csv',
    },
  ],
  'a slip in an address': [
    {
      typed: PLAN,
      account: { base_url: 'htps://api.example.com' },
      next: 'Write it as https://api.example.com. Then run the same command again:',
    },
    {
      typed: 'accounts add --name two --vendor provider --base-url https//vendor.example --key-env K',
      next: 'Write it as https://vendor.example.',
      command: 'accounts add --name two --vendor provider --base-url https://vendor.example --key-env K',
    },
  ],
  'a slip in a key': [
    {
      typed: 'plan job.yaml list.csv',
      job: 'operation: enrich-company\nbugdet: { credits: 5 }\n',
      next: `Did you mean budget? ${AGAIN}`,
    },
    {
      typed: 'accounts add --name two --vendor provider --base-url https://v.example --api-key s3cr3t',
      next: 'No key is typed in a command, where others can read it: accounts add asks for it, or reads it with --key-stdin.',
      command: 'accounts add --name two --vendor provider --base-url https://v.example --key-stdin',
    },
  ],
};

/** The job with what the answer says in the place of the word that is wrong in it. */
function mended({ job = '', next }: Mistake): string {
  const meant = /Did you mean (?<word>\S+)\?/.exec(next)?.groups?.word ?? '';
  return job.replace(/\bdomain\b(?= \})|\bdat$|enrich-compny|bugdet/m, meant);
}

describe.each(Object.entries(MISTAKES))('%s', (_, mistakes) => {
  test.each(mistakes)('$typed', async (mistake) => {
    const { typed, next, command = typed, job, account, code = 0 } = mistake;
    const desk = await openDesk();
    desk.list(2);
    mkdirSync(desk.place.path('lists'));
    desk.list(2, 'lists/companies.csv');
    if (job !== undefined) await desk.write('job.yaml', job);
    if (account !== undefined) desk.place.writeAccount(desk.place.vendor.url, account);
    const answer = await desk.type(typed.split(' '));
    const [, said, line = ''] = answer.stderr.trimEnd().split('\n').slice(-3);
    expect(answer, answer.stderr).toMatchObject({ code: 2, stdout: '' });
    expect({ said, line }).toEqual({ said: next, line: `npx rowonce ${command}` });
    expect(answer.stderr).not.toContain('s3cr3t');

    if (job !== undefined) await desk.write('job.yaml', mended(mistake));
    desk.place.writeAccount(desk.place.vendor.url);
    const start = command.endsWith('--key-stdin') ? { stdin: 'k\n' } : {};
    const pasted = await desk.type(command.split(' '), start);
    expect(pasted, pasted.stderr).toMatchObject({ code });
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 0 });
  });
});

test('a job file with nearly the name of the list that is missing is not meant', async () => {
  const desk = await openDesk();
  await desk.write('fill.yaml', 'operation: enrich-company\n');
  const { code, stderr } = await desk.type('plan enrich-company file.csv'.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining('Check the name of the input file.')]);
});
