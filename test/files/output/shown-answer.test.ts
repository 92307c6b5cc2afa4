/**
 * Goal: each cell is read in the words of the account that filled its step, says that account's name, and shows
 * nothing of an answer that filled none.
 * Method: the answers of a row, as a ledger gives them, at accounts whose vendors say the same in different places.
 */
import { expect, test } from 'vitest';
import type { AnswerPlace } from '../../../src/core/answer-body.ts';
import { NO_FINDINGS } from '../../../src/core/finding.ts';
import { addedCells, additionOf, textCells } from '../../../src/files/output/added-columns.ts';
import { shownAnswer, shownAnswers } from '../../../src/files/output/shown-answer.ts';
import { settingsKept } from '../../../src/job/job-settings.ts';
import { type AttemptId, type BatchId, credits, type RowAnswer } from '../../../src/ledger/ledger.ts';
import { safeCell } from '../../../src/lib/formulas.ts';

const BATCH = {
  accounts: [
    { identity: 'h', name: 'hunter' },
    { identity: 'p', name: 'prospeo' },
  ],
};

const EMAIL: AnswerPlace = {
  accounts: { h: { fields: 'data', gives: { email: 'data.email' } }, p: { gives: { email: 'mail.0' } } },
};
const TITLE: AnswerPlace = { envelope: 'inner' };
const STEPS: AnswerPlace = { steps: { 'find-email': EMAIL, 'enrich-person': TITLE } };

function answer(accountIdentity: string, body: object, more: Partial<RowAnswer> = {}): RowAnswer {
  return {
    attempt: 1 as AttemptId,
    batch: '0a1b2c3d' as BatchId,
    kind: 'found',
    why: NO_FINDINGS,
    accountIdentity,
    call: { operation: 'find-email', parameters: {}, ifLost: 'hold' },
    charged: credits(1),
    answeredAtMs: 0,
    paidRow: 2,
    body: Buffer.from(JSON.stringify(body)),
    ...more,
  };
}

const HUNTERS = { data: { email: 'h@a.example' } };
const PROSPEOS = { mail: ['p@a.example'] };
const TITLES = answer(
  'h',
  { inner: { job_title: 'Vet' } },
  { call: { operation: 'enrich-person', parameters: {}, ifLost: 'hold' } },
);

function cellsOf(place: AnswerPlace, add: Readonly<Record<string, string>>, answers: readonly RowAnswer[]) {
  const { columns } = additionOf(['Domain'], add, undefined, false, place);
  const row = { row: 2, cells: ['a.example'] };
  const cells = addedCells(columns, row, shownAnswer(answers, place), BATCH, textCells(safeCell));
  return Object.fromEntries(columns.map(({ name }, at) => [name, cells[at]]));
}

test.each<readonly [what: string, answers: readonly RowAnswer[], Email: string, Email_source: string]>([
  ['the first fills it', [answer('h', HUNTERS, { fills: true })], 'h@a.example', 'hunter'],
  [
    'the second fills it',
    [answer('h', {}, { kind: 'no_match', fills: false }), answer('p', PROSPEOS, { fills: true })],
    'p@a.example',
    'prospeo',
  ],
  [
    'the first fills it, and the second found something else',
    [answer('h', HUNTERS, { fills: true }), answer('p', PROSPEOS, { fills: false })],
    'h@a.example',
    'hunter',
  ],
  ['what was found fills nothing', [answer('h', HUNTERS, { fills: false })], '', ''],
])('one step: %s', (_what, answers, Email, Email_source) => {
  expect(cellsOf(EMAIL, { Email: 'email' }, answers)).toEqual({ Email, Email_source });
});

test('several steps: each is read and named by the account that filled it', () => {
  const add = { Email: 'find-email.email', Title: 'enrich-person.job_title' };
  const both = [answer('p', PROSPEOS, { fills: true }), { ...TITLES, fills: true } as const];
  expect(cellsOf(STEPS, add, both)).toEqual({
    Email: 'p@a.example',
    Email_source: 'prospeo',
    Title: 'Vet',
    Title_source: 'hunter',
  });
  expect(cellsOf(STEPS, add, [answer('p', PROSPEOS, { fills: false }), { ...TITLES, fills: true }])).toEqual({
    Email: '',
    Email_source: '',
    Title: 'Vet',
    Title_source: 'hunter',
  });
});

test('a row of one account, and one that an earlier version kept, shows what was found last', () => {
  const place = { steps: { 'find-email': { gives: { email: 'mail.0' } }, 'enrich-person': TITLE } };
  const add = { Email: 'find-email.email', Title: 'enrich-person.job_title' };
  const answers = [answer('p', { mail: ['old@a.example'] }), TITLES, answer('p', PROSPEOS)];
  expect(cellsOf(place, add, answers)).toEqual({ Email: 'p@a.example', Title: 'Vet' });
  expect(shownAnswers(answers)).toEqual(answers);
});

test('a batch keeps the places of its accounts', () => {
  expect(settingsKept({ answer_at: STEPS as never }).answer_at).toEqual(STEPS);
  expect(settingsKept({ answer_at: EMAIL as never }).answer_at).toEqual(EMAIL);
});
