import { h } from 'preact';
import { counted, grouped } from '../../../core/plain-text.ts';
import type { FiguresObject } from '../../../objects/batch-view.ts';
import type { NamedRow } from '../report-object.ts';
import { Ruled } from './arranged.ts';
import { Sectioned } from './parts.ts';

export type Reason = FiguresObject['reasons'][number];

export interface NeedsProps {
  readonly reasons: readonly Reason[];
  /** The names of the first rows of each reason. */
  readonly names: readonly NamedRow[];
}

interface OtherAbnProps extends Pick<NeedsProps, 'names'> {
  readonly other: FiguresObject['other_abn'] | undefined;
}

type Named = Pick<Reason, 'rows' | 'words' | 'first_rows'>;

/** The person who can help, by the kind of a reason. */
const WHO: Readonly<Record<string, string>> = {
  invalid: 'Correct the list',
  refused: 'Check the account at the vendor',
  in_doubt: 'Settle what is in doubt',
};

const DONE = 'Damaged cells of rows that are done';
const OTHERS = 'Answers about another company or person';

/**
 * The rows that need a person, by the person whom they need; `who` is left out of those that need no one. A
 * row that is done may have a damaged cell.
 */
export function needsByWho(reasons: readonly Reason[]) {
  const whoOf = ({ kind, is_other: isOther }: Reason): string => (isOther ? OTHERS : (WHO[kind] ?? DONE));
  const byWho = Map.groupBy(reasons, whoOf);
  const needing = [...byWho].filter(([who]) => who !== DONE && who !== OTHERS);
  return [
    ...needing.map(([who, all], at) => ({ title: at === 0 ? 'Needs attention' : undefined, who, all })),
    ...[OTHERS, DONE].map((title) => ({ title, who: undefined, all: byWho.get(title) ?? [] })),
  ].filter(({ all }) => all.length > 0);
}

const MOST_NAMED = 3;

/** Each of the first rows by its name, with what is the matter, and how many others there are of the same. */
export const Needs = ({ reasons, names }: NeedsProps) =>
  needsByWho(reasons).map(({ title, who, all }) => {
    const rows = all.reduce((sum, reason) => sum + reason.rows, 0);
    const says = who === undefined ? title : `Needs attention: ${counted(rows, 'row')}. ${who}.`;
    const lines = all.flatMap((reason) => linesOf(reason, names));
    return h(Sectioned, { title: says ?? '', lines, show: (shown) => h(Ruled, { cells: 3, lines: shown }) });
  });

/** What was found with another ABN than the list has. Nobody has to decide about it. */
export function OtherAbn({ other, names }: OtherAbnProps) {
  if (other === undefined) return null;
  const title = `Found with another ABN than yours: ${counted(other.count, 'row')}`;
  const { count: rows, first_rows } = other;
  const lines = linesOf({ rows, first_rows, words: 'Is it the company that you mean?' }, names);
  return h(Sectioned, { title, lines, show: (shown) => h(Ruled, { cells: 3, lines: shown }) });
}

function linesOf({ rows, words, first_rows: first }: Named, names: readonly NamedRow[]): string[][] {
  const nameOf = (row: number): string => names.find((each) => each.row === row)?.name ?? '';
  const shown = first.slice(0, MOST_NAMED);
  const remainingRows = rows - shown.length;
  const lines = shown.map((row) => [`Row ${grouped(row)}`, nameOf(row), words]);
  return remainingRows > 0 ? [...lines, ['', `and ${grouped(remainingRows)} more`, words]] : lines;
}
