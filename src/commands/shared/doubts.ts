import { isoTime } from '../../core/clock.ts';
import { unreachable } from '../../core/errors.ts';
import { subjectWords } from '../../core/membership.ts';
import type { Call } from '../../core/operation.ts';
import { counted } from '../../core/plain-text.ts';
import type { Decision, Look } from '../../ledger/ledger.ts';

/** `asked about this call at 2026-11-20T02:13:00.000Z, not_happened: the vendor did nothing for it (status 404)`. */
export function lookWords({ kind, said, why, atMs }: Look): string {
  return `${questionWords(kind)} at ${isoTime(atMs)}, ${said}: ${why}`;
}

/** `decided at 2026-11-20T02:13:00.000Z: retry asked for by the user`. */
export function decisionWords({ why, atMs }: Pick<Decision, 'why' | 'atMs'>): string {
  return `decided at ${isoTime(atMs)}: ${why}`;
}

/** `2 rows wait because what was bought turned out to be no answer; run the list with --yes to buy it again`. */
export function waitingWords(rows: number): string {
  const wait = `${counted(rows, 'row')} ${rows === 1 ? 'waits' : 'wait'}`;
  return `${wait} because what was bought turned out to be no answer; run the list with --yes to buy it again`;
}

function questionWords(kind: Look['kind']): string {
  switch (kind) {
    case 'read_back':
      return 'asked about this call';
    case 'usage':
      return 'asked for its count of credits';
    default:
      return unreachable(kind);
  }
}

/** `domain acme.example`; for a change also its subject: `create-invite of jo@x.com in proj-1, role editor`. */
export function callWords(call: Call): string {
  const { operation, change } = call;
  const subject = change === undefined ? [] : [`${operation} of ${subjectWords(change.subject)}`];
  // Parameters that repeat the subject's name, and blank ones, are left out.
  const isSaid = (value: string): boolean =>
    change !== undefined && (value === '' || `:${change.subject.name}`.endsWith(`:${value}`));
  const asked = Object.entries(call.parameters).filter(([, value]) => !isSaid(String(value)));
  return [...subject, ...asked.map(([name, value]) => `${name} ${valueWords(value)}`)].join(', ');
}

function valueWords(value: Call['parameters'][string]): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Counts open requests, for a run that goes on or one that ended without being able to write to the ledger. */
export function openWords(open: number): string {
  const have = `${counted(open, 'request')} ${open === 1 ? 'has' : 'have'} no answer yet`;
  return `${have}; if no run is at work, the next run or settle counts them as in doubt.`;
}
