/**
 * Words of a column's name that say that it is about somebody else than the row: `Parent ABN`, `Referrer e-mail`. Such a
 * column is never taken by its cells, which are as valid as the row's own, and would be paid for. Imports nothing.
 */

const WORDS: ReadonlySet<string> = new Set(
  `parent ultimate holding group subsidiary supplier vendor reseller distributor wholesaler partner agent broker
  referrer referer referral referred referee introducer sponsor competitor accountant auditor lawyer solicitor trustee
  guarantor landlord insurer previous former old past manager supervisor boss assistant spouse guardian kin emergency
  owner rep salesperson sales by creator author sender assigned assignee our ours my billing invoice invoicing source
  `
    .trim()
    .split(/\s+/),
);

/** Capitals within a word begin another one, as in `parentAbn`. */
export function isSomebodyElses(column: string): boolean {
  const words = column.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return words.split(/[^\p{L}]+/u).some((word) => WORDS.has(word));
}
