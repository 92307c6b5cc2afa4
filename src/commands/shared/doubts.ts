import { counted } from '../../core/plain-text.ts';
import type { CallObject, DecisionObject, LookObject } from '../../objects/row-object.ts';

/** `the vendor was asked about this call at 2026-11-20T02:13:00.000Z, not_happened: nothing done (404)`. */
export function lookWords({ kind, said, why, at }: LookObject): string {
  if (kind === 'person') return `at ${at} ${why}`;
  const asked = kind === 'read_back' ? 'about this call' : 'for its count of credits';
  return `the vendor was asked ${asked} at ${at}, ${said}: ${why}`;
}

/** `decided at 2026-11-20T02:13:00.000Z: retry asked for by the user`. */
export function decisionWords({ why, at }: DecisionObject): string {
  return `decided at ${at}: ${why}`;
}

/**
 * `domain acme.example`; for a change also its subject: `create-invite of jo@x.com in proj-1, role editor`.
 */
export function callWords({ operation, parameters, subject }: CallObject): string {
  // Parameters that repeat what the subject says, and blank ones, are left out.
  const isSaid = (value: string): boolean =>
    subject !== null && (value === '' || ` ${subject} `.includes(` ${value} `));
  const asked = Object.entries(parameters).filter(([, value]) => !isSaid(String(value)));
  const whom = subject === null ? [] : [`${operation} of ${subject}`];
  return [...whom, ...asked.map(([name, value]) => `${name} ${valueWords(value)}`)].join(', ');
}

function valueWords(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * Counts requests that a run has left open, or for whose answers it still waits.
 * @param which run settles them.
 */
export function openWords(open: number, which = 'the next'): string {
  const have = `${counted(open, 'request')} ${open === 1 ? 'has' : 'have'} no answer yet`;
  return `${have}; if no run is at work, ${which} run or settle counts them as in doubt.`;
}
