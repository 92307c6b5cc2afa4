import { z } from 'zod';
import type { BatchFigures } from '../files/output/batch-figures.ts';
import type { AttentionReason } from '../ledger/tally.ts';
import { membersOf, noun } from './noun.ts';

/** What came of a batch, in the figures of its report. */

const reason = membersOf<AttentionReason>();
const ReasonObject = noun({
  /** `invalid`, `refused` or `in_doubt`. */
  kind: reason(z.string(), ({ kind }) => kind),
  words: reason(z.string(), ({ words }) => words),
  rows: reason(z.number(), ({ count }) => count),
  first_rows: reason(z.array(z.number()), (of) => of.first_rows),
});

const figure = membersOf<BatchFigures>();
const asked = z.object({ name: z.string(), asked: z.number(), found: z.number() });
const column = z.object({ name: z.string(), filled: z.number() });
export const FiguresObject = noun({
  /** Rows: all, usable, asked for, and found. */
  rows: figure(z.number(), ({ rows }) => rows),
  usable: figure(z.number(), ({ usable }) => usable),
  asked: figure(z.number(), (of) => of.asked),
  found: figure(z.number(), ({ found }) => found),
  /** Rows that a person has to look at, and why, the most frequent reason first. */
  attention: figure(z.number(), ({ attention }) => attention),
  reasons: figure(z.array(ReasonObject), ({ reasons }) => reasons.map(ReasonObject.of)),
  /** For how many rows each identifier was asked and found. */
  identifiers: figure(z.array(asked), ({ identifiers }) => identifiers),
  /** In how many rows each added column has a value. */
  columns: figure(z.array(column), ({ columns }) => columns),
  /** What answers that were shared or bought before would have cost. */
  saved: figure(z.number(), ({ saved }) => saved),
  /** What the spent credits cost. */
  cost: figure(z.object({ amount: z.number(), currency: z.string() }).nullable(), ({ cost = null }) => cost),
});
