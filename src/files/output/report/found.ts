import { h } from 'preact';
import { rowsPending } from '../../../core/counts.ts';
import { grouped } from '../../../core/plain-text.ts';
import type { BatchView, FiguresObject, StepObject } from '../../../objects/batch-view.ts';
import type { WholeView } from '../batch-view.ts';
import { accountWords, askedIdentifiers, inputWords, stepCost, whatWords } from '../summary-words.ts';
import { Bar, Section, type ShareProps, shareWords } from './table.ts';

/** What was found: of how many rows, by what, in which columns, and at which account. */

/** Each step says where the rows of the step before it went, so that they add up. */
export function Funnel(view: WholeView) {
  const { rows, usable, asked, found, filled_before: filled } = view.figures;
  const { no_match: missed = 0, refused = 0, in_doubt: doubted = 0 } = view.counts;
  const pending = rowsPending(view);
  const steps = [
    { count: rows, word: rows === 1 ? 'row' : 'rows', lost: [] },
    { count: usable, word: 'usable', lost: [lostWords(rows - usable, 'cannot be used')] },
    {
      count: asked,
      word: 'asked',
      lost: [
        lostWords(pending, view.steps === undefined ? 'not asked' : 'not finished'),
        lostWords(filled, 'had it already'),
        lostWords(usable - asked - pending - filled, 'left out'),
      ],
    },
    {
      count: found,
      word: 'found',
      lost: [
        lostWords(missed, 'not found'),
        lostWords(refused, 'refused'),
        lostWords(doubted, 'in doubt'),
        lostWords(asked - found - missed - refused - doubted, 'given up'),
      ],
    },
  ];
  const shown = steps.map(({ count, word, lost }) => {
    const where = lost.filter((words) => words !== '').join(', ');
    const number = h('b', null, grouped(count));
    return h('li', null, number, ` ${word}`, h(Bar, { part: count, all: rows }), h('small', null, where));
  });
  return h('ol', { class: 'funnel' }, shown);
}

const lostWords = (count: number, word: string): string => (count === 0 ? '' : `${grouped(count)} ${word}`);

/** Rows that are not finished may have cells, which are counted beside their accounts alone. */
function titleOf(says: string, view: OfRows): string {
  return view.steps !== undefined && rowsPending(view) > 0 ? `${says}, in finished rows` : says;
}

type OfRows = Pick<BatchView, 'rows' | 'counts' | 'steps'>;

export function Identifiers(view: OfRows & { readonly figures: Pick<FiguresObject, 'identifiers'> }) {
  const lines = askedIdentifiers(view.figures).map(({ name, asked, found }) =>
    shareLine(identifierWords(name), { part: found, all: asked }),
  );
  const title = titleOf('What it was found by', view);
  return h(Section, { title, columns: ['asked by', 'found'], most: 6, lines });
}

/** `profile page (people)` for `enrich-person.profile_url`. */
function identifierWords(name: string): string {
  const [inputs = '', step] = name.split('.').reverse();
  const words = inputs.split('+').map(inputWords).join(' + ');
  return step === undefined ? words : `${words} (${whatWords(step)})`;
}

export function Columns(view: OfRows & { readonly figures: Pick<FiguresObject, 'columns'> }) {
  const lines = view.figures.columns.map(({ name, filled, found }) =>
    shareLine(name, { part: filled, all: found }),
  );
  return h(Section, {
    title: titleOf('What came back', view),
    columns: ['column', 'filled'],
    most: 8,
    lines,
  });
}

const shareLine = (name: string, share: ShareProps) => [name, [h(Bar, share), shareWords(share)]];

/** What each account was asked and found at which price, where there are several. */
export function Accounts({ steps = [] }: { readonly steps?: readonly StepObject[] | undefined }) {
  const lines = steps.map((step) => {
    const share = { part: step.found, all: step.reached };
    const words = `${shareWords(share)}; ${stepCost(step)}`;
    return [`${accountWords(step.account)}: ${whatWords(step.operation)}`, [h(Bar, share), words]];
  });
  return h(Section, { title: 'Who found it', columns: ['account', 'found, and what it cost'], lines });
}
