import { isoTime } from './clock.ts';
import { unreachable } from './errors.ts';
import type { Look } from './ledger.ts';

/** What the vendor said about a doubt, for a person and for a program. */

/** `asked about this call at 2026-11-20T02:13:00.000Z, not_happened: the vendor did nothing for it (status 404)`. */
export function lookWords({ kind, said, why, atMs }: Look): string {
  return `${questionWords(kind)} at ${isoTime(atMs)}, ${said}: ${why}`;
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

/** As `--json` shows it. A status of 0: no answer came. */
export function lookObject({ kind, said, why, status, body, atMs }: Look): object {
  return { kind, said, why, status, body: body.toString('utf8'), at: isoTime(atMs) };
}
