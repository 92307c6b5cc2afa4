import type { OutcomeKind } from './row.ts';

/**
 * Why a row needs a person, in few words that many rows share: without its cell, and without what only the vendor's programmers
 * understand. The whole reason stands in the row's `_reason`.
 */
export function attentionWords(kind: OutcomeKind, reason: string): string {
  if (kind === 'in_doubt') return doubtWords(reason);
  return kind === 'refused' ? refusalWords(reason) : invalidWords(reason);
}

const QUOTED = /\s*"(?:[^"\\]|\\.)*"…?/g;

/** `ABN 123: the checksum fails`, as the waterfall says what is wrong with a cell. A cell may hold any sign, so the last colon counts. */
const WITH_CELL = /^(profile (?:URL|slug)|[^\s:]+) (?!(?:URL|slug): )(?:.*): (.*)$/s;

/** A cell may hold semicolons, so a clause begins only with what clauses are about. */
const CLAUSES = /; (?=(?:ABN|domain|website|e-mail|profile URL|profile slug)(?:: | .*: ))/;

/** What an administrator mends in the job. */
const NO_PROJECT = /^project .* is not among the job's `projects`/;

const NOTHING_USABLE = /^no usable identifier: /;

/** As a row of several steps says it of each. */
const BY_STEPS = /(^|; )[a-z]+-[a-z]+: (no usable identifier: )/g;

function invalidWords(said: string): string {
  const reason = said.replaceAll(BY_STEPS, (_, before, words) => (before === '' ? words : before));
  if (NO_PROJECT.test(reason)) return 'the project is not known';
  const parts = reason.replace(NOTHING_USABLE, '').split(CLAUSES);
  const plain = NOTHING_USABLE.test(reason)
    ? parts.map((part) => part.replace(WITH_CELL, '$1: $2'))
    : [reason];
  return [...new Set(plain)].join('; ').replaceAll(QUOTED, '');
}

function refusalWords(reason: string): string {
  const plain = reason.replaceAll(QUOTED, '').replaceAll(/\s*\([^()]*\)/g, '');
  return plain === '' ? 'refused' : plain;
}

function doubtWords(reason: string): string {
  if (/\b(?:no|not an) answer\b.*\bbuy it again\b/.test(reason))
    return 'what came was no answer; it can be bought again';
  return 'no answer came, or one that cannot be read; it may have been charged';
}
