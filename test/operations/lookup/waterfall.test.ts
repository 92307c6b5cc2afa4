import { describe, expect, test } from 'vitest';
import { isWords } from '../../../src/core/errors.ts';
import { finding, NO_FINDINGS, together } from '../../../src/core/finding.ts';
import type { Findings } from '../../../src/core/findings.ts';
import type { Answer, Answered, Call } from '../../../src/core/operation.ts';
import {
  checkWaterfall,
  type Identifier,
  nextTier,
  type Tier,
  tiersPreparer,
} from '../../../src/operations/lookup/waterfall.ts';
import { type ReadAs, unusable, usable } from '../../../src/values/reading.ts';

/**
 * Goal: identifiers are tried in the order that the user was told, none twice, and the row's findings say what happened.
 * Method: an operation of three made-up identifiers, so that nothing here depends on what an ABN or a domain is:
 * `code` is usable when it is digits, `page` when it starts with "/", and `site` is the first part of a page.
 */

const identifier = (
  name: string,
  read: (text: string) => ReadAs,
  rest: Partial<Identifier> = {},
): Identifier => ({
  name,
  about: '',
  aliases: [],
  read: (cell) => (cell.trim() === '' ? { kind: 'blank' } : read(cell.trim())),
  ...rest,
});

function siteIn(text: string): ReadAs {
  if (text === '') return { kind: 'blank' };
  const site = /^\/?([a-z]+)/.exec(text)?.[1];
  return site === undefined ? unusable('no_dot_in_host') : usable(site);
}

const identifiers: readonly Identifier[] = [
  identifier('code', (text) => (/^\d+$/.test(text) ? usable(text) : unusable('contains_letters')), {
    quote: (cell) => cell.toUpperCase(),
  }),
  identifier('site', siteIn, { derivedFrom: { names: ['page'], read: siteIn } }),
  identifier('page', (text) => (text.startsWith('/') ? usable(text) : unusable('not_a_web_address'))),
];

const names = identifiers.map(({ name }) => name);
const lookUp = (parameters: Call['parameters']): Call => ({
  operation: 'look-up',
  parameters,
  ifLost: 'hold',
});
const tier = (parameters: Record<string, string>): Tier => ({
  name: Object.keys(parameters).join('+'),
  call: lookUp(parameters),
});

function prepare(row: Record<string, string>, waterfall?: readonly string[]) {
  return tiersPreparer(identifiers, waterfall === undefined ? {} : { waterfall }, lookUp)(row);
}

const ready = (tiers: readonly Tier[], remark?: Findings) => ({
  kind: 'ready',
  input: remark === undefined ? { tiers } : { tiers, remark },
});
const invalid = (...all: readonly Findings[]) =>
  expect.objectContaining({ kind: 'invalid', findings: together(...all) });

const nothingUsable = finding('nothing_usable', {});
const nothingComplete = finding('nothing_complete', {});
const blank = (input: string) => finding('blank', { input });
const noColumn = (input: string) => finding('no_column', { input });
const lettersInCode = finding('contains_letters', { input: 'code', cell: 'X7' });

describe('without a waterfall', () => {
  test('an identifier of its own comes first; the other cell is tried when it says something else', () => {
    expect(prepare({ page: '/bc/d', site: 'bc' })).toEqual(ready([tier({ site: 'bc' })]));
    expect(prepare({ page: '/bc/d', site: 'xy' })).toEqual(
      ready([tier({ site: 'xy' }), tier({ page: '/bc/d' })]),
    );
  });

  test('a cell that is no good for itself may still serve another identifier, and is then no news', () => {
    expect(prepare({ page: 'bc' })).toEqual(ready([tier({ site: 'bc' })]));
  });

  test('an unusable identifier does not stop the row, and is remarked', () => {
    expect(prepare({ code: 'x7', page: '/bc' })).toEqual(ready([tier({ site: 'bc' })], lettersInCode));
    expect(prepare({ code: '7', page: '99' })).toEqual(
      ready([tier({ code: '7' })], finding('not_a_web_address', { input: 'page', cell: '99' })),
    );
    expect(prepare({ site: '#', page: '/bc' })).toEqual(
      ready([tier({ site: 'bc' })], finding('no_dot_in_host', { input: 'site', cell: '#' })),
    );
  });
});

describe('a tier of all that a row has', () => {
  const waterfall = ['all:code+page+site', 'code', 'page'];

  test('a tier of all is one call, and those that would repeat it are not made', () => {
    expect(prepare({ code: '7', page: '/bc/d' }, waterfall)).toEqual(
      ready([tier({ code: '7', page: '/bc/d' }), tier({ code: '7' }), tier({ page: '/bc/d' })]),
    );
    expect(prepare({ code: '7', page: ' ' }, waterfall)).toEqual(ready([tier({ code: '7' })]));
    expect(prepare({ code: '7', site: 'bc' }, ['site+code', 'all:code+site'])).toEqual(
      ready([tier({ site: 'bc', code: '7' })]),
    );
  });

  test('a tier of all has what is read out of a cell only where that cell itself is not sent', () => {
    expect(prepare({ code: '7', page: '/bc/d' }, ['all:code+site'])).toEqual(
      ready([tier({ code: '7', site: 'bc' })]),
    );
    expect(prepare({ page: '/bc/d', site: 'xy' }, ['all:page+site'])).toEqual(
      ready([tier({ page: '/bc/d', site: 'xy' })]),
    );
  });

  test('a tier of all leaves out what is unusable, and says so; a row that has none of it is invalid', () => {
    expect(prepare({ code: 'x7', page: '/bc/d' }, waterfall)).toEqual(
      ready([tier({ page: '/bc/d' })], lettersInCode),
    );
    expect(prepare({ code: 'x7', page: '' }, waterfall)).toEqual(
      invalid(nothingUsable, lettersInCode, blank('page')),
    );
  });
});

describe('what the vendor has no field for', () => {
  const asked = (row: Record<string, string>, waterfall?: readonly string[]) =>
    tiersPreparer(
      identifiers,
      { unaskable: ['page'], ...(waterfall === undefined ? {} : { waterfall }) },
      lookUp,
    )(row);

  test('an identifier without a field is not asked by, and what can be read out of it still is', () => {
    expect(asked({ code: '7', page: '/bc/d' })).toEqual(ready([tier({ code: '7' }), tier({ site: 'bc' })]));
    expect(asked({ page: '/bc/d' }, ['page', 'site'])).toEqual(ready([tier({ site: 'bc' })]));
  });

  test('an identifier without a field is the reason of a row that has nothing else', () => {
    expect(asked({ page: '/bc/d' }, ['page'])).toEqual(
      invalid(nothingUsable, finding('unaskable', { input: 'page', cell: '/bc/d' })),
    );
    expect(asked({ page: ' ' }, ['page'])).toEqual(invalid(nothingUsable, blank('page')));
  });
});

describe('a row that nothing can be bought for is invalid, and says why, cell by cell', () => {
  test.each<readonly [Record<string, string>, readonly string[] | undefined, readonly Findings[]]>([
    [{ code: 'x7', page: '' }, undefined, [nothingUsable, lettersInCode, blank('page')]],
    [{}, undefined, [nothingUsable, finding('no_column_chosen', {})]],
    [{ page: '9' }, ['site'], [nothingUsable, finding('no_dot_in_host', { input: 'page', cell: '9' })]],
    [{ page: '/bc' }, ['code'], [nothingUsable, noColumn('code')]],
    [{ code: '7', page: '' }, ['code+site'], [nothingComplete, blank('page')]],
    [{ code: '7' }, ['code+page'], [nothingComplete, noColumn('page')]],
  ])('%j by %j', (row, waterfall, findings) => {
    expect(prepare(row, waterfall)).toEqual(invalid(...findings));
  });
});

describe('a waterfall is checked before a row is read', () => {
  test.each<readonly [readonly string[], string, string]>([
    [['cod'], 'the waterfall names "cod", which this operation does not know', 'Did you mean code?'],
    [
      ['code', 'Site+pgae'],
      'the waterfall names "Site", which this operation does not know',
      'Did you mean site?',
    ],
    [
      ['telephone'],
      'the waterfall names "telephone", which this operation does not know',
      'Use one of these: code, site, page.',
    ],
    [
      ['code+'],
      'the waterfall names "", which this operation does not know',
      'Use one of these: code, site, page.',
    ],
    [
      ['all:'],
      'the waterfall names "", which this operation does not know',
      'Use one of these: code, site, page.',
    ],
  ])('%j may not', (waterfall, message, next) => {
    const { message: fact, next: advice = '' } = checkWaterfall(names, waterfall) ?? {};
    expect([fact, isWords(advice) ? advice : advice.next]).toEqual([message, next]);
  });
});

// ---------------------------------------------------------------------------------------------------- stepping

const input = { tiers: [tier({ code: '7' }), tier({ site: 'bc' }), tier({ page: '/bc/d' })] };
const found: Answer = { kind: 'found', fields: { name: 'Acme' } };
const missed: Answer = { kind: 'no_match' };
const refused = (words: string): Answer => ({ kind: 'refused', findings: finding('told', { words }) });

/** Answers by the parameter that was asked for. */
function ledger(answers: Readonly<Record<string, Answer>>): Answered {
  return (call) => Object.entries(answers).find(([name]) => name in call.parameters)?.[1];
}

describe('the next step', () => {
  test('the next step is the first lookup that has no answer yet', () => {
    const step = (answers: Record<string, Answer>) => nextTier(input, ledger(answers));
    expect(step({})).toEqual({ kind: 'send', call: lookUp({ code: '7' }) });
    expect(step({ code: missed })).toEqual({ kind: 'send', call: lookUp({ site: 'bc' }) });
    expect(step({ code: refused('no'), site: missed })).toEqual({
      kind: 'send',
      call: lookUp({ page: '/bc/d' }),
    });
    // A gap is filled before anything else: a later answer, bought for another row, does not decide this one.
    expect(step({ site: found })).toEqual({ kind: 'send', call: lookUp({ code: '7' }) });
  });

  test.each<readonly [string, Record<string, Answer>, object]>([
    [
      'the first match ends the row',
      { code: found },
      { kind: 'matched', matchedBy: 'code', findings: NO_FINDINGS },
    ],
    [
      'a later one too',
      { code: missed, site: refused('?'), page: found },
      { kind: 'matched', matchedBy: 'page', findings: NO_FINDINGS },
    ],
    [
      'nothing found',
      { code: missed, site: missed, page: missed },
      { kind: 'no_match', findings: finding('no_match', { by: ['code', 'site', 'page'] }) },
    ],
    [
      'found nowhere and refused in part',
      { code: refused('bad code'), site: missed, page: refused('bad page') },
      {
        kind: 'no_match',
        findings: together(
          finding('no_match', { by: ['site'] }),
          finding('refused', { by: 'code', words: 'bad code' }),
          finding('refused', { by: 'page', words: 'bad page' }),
        ),
      },
    ],
    [
      'refused altogether',
      { code: refused('a'), site: refused('b'), page: refused('c') },
      {
        kind: 'refused',
        findings: together(
          finding('refused', { by: 'code', words: 'a' }),
          finding('refused', { by: 'site', words: 'b' }),
          finding('refused', { by: 'page', words: 'c' }),
        ),
      },
    ],
  ])('%s', (_, answers, outcome) => {
    expect(nextTier(input, ledger(answers))).toEqual({ kind: 'end', outcome });
  });
});
