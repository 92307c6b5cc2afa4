import type { Line } from '../../parts/lines.ts';
import type { Drawn } from './cells.tsx';

/** What our own columns say of a row, as a sign that stands in the place of its answers. */

export interface Sign {
  readonly look: 'bad' | 'doubt' | 'soft' | 'wait' | 'said' | 'warn';
  readonly says: string;
  /** All of what is known; left out: no more than it says. */
  readonly title?: string;
}

export function signOf(drawn: Drawn, line: Line): Sign | undefined {
  if (line.unreadable !== undefined) return { look: 'bad', says: line.unreadable };
  const reason = withoutPrefix(oursIn(drawn, line, '_reason'));
  switch (oursIn(drawn, line, '_status')) {
    case 'invalid':
    case 'refused':
      return { look: 'bad', says: reason };
    case 'in_doubt':
      return doubtOf(reason);
    case 'no_match':
      return NOTHING;
    case 'skipped':
      return { look: 'soft', says: `left out${reason === '' ? '' : `: ${reason}`}` };
    case 'pending':
      return drawn.scene.isRunning ? { look: 'wait', says: '' } : undefined;
    case 'applied':
    case 'unchanged':
      return { look: 'said', says: reason };
    default:
      if (reason === '' || stepSigns(drawn, line).size > 0) return undefined;
      // Else something was found by another cell, and the one by which it is asked first has a fault.
      return { look: line.results === undefined ? 'warn' : 'said', says: reason };
  }
}

function doubtOf(reason: string): Sign {
  const { most } = /, (?<most>[\d,]+ credits?) at risk/.exec(reason)?.groups ?? {};
  return { look: 'doubt', says: `no answer came${most === undefined ? '' : `; it may have cost ${most}`}` };
}

const NOTHING: Sign = { look: 'soft', says: 'nothing found' };

/** Why a step of several has found nothing, by the name of the step. */
export function stepSigns(drawn: Drawn, line: Line): ReadonlyMap<string, Sign> {
  const reason = oursIn(drawn, line, '_reason');
  const parts = reason.split(/; (?=[a-z-]+: )/);
  return new Map(
    parts.flatMap((part) => {
      const { step, why = '' } = /^(?<step>[a-z]+-[a-z]+): (?<why>.*)/.exec(part)?.groups ?? {};
      if (step === undefined) return [];
      // Each of several accounts stands before its own words.
      const said = why.replace(/^\S+: /, '');
      if (/^(?:no match|its address)/.test(said)) return [[step, { ...NOTHING, title: reason }]];
      if (said.startsWith('in doubt')) return [[step, doubtOf(said)]];
      return [[step, { look: UNUSABLE.test(why) ? 'bad' : 'soft', says: withoutPrefix(why) }]];
    }),
  );
}

const oursIn = ({ rows }: Drawn, { cells }: Line, name: string): string =>
  cells[(rows.columns ?? []).findIndex((column) => column.from === 'ours' && column.name === name)] ?? '';

const UNUSABLE = /^no usable identifier: /;

const withoutPrefix = (reason: string): string => reason.replace(UNUSABLE, '');
