import type { TableColumnObject } from '../../../api.ts';
import type { Line } from '../../parts/lines.ts';

/** What our own columns say of a row, as a sign that stands in the place of its answers. */

export interface Sign {
  readonly look: 'bad' | 'doubt' | 'none' | 'wait' | 'said' | 'warn';
  readonly says: string;
}

export interface Known {
  readonly columns: readonly TableColumnObject[];
  readonly isRunning: boolean;
}

export function signOf({ columns, isRunning }: Known, { cells, unreadable }: Line): Sign | undefined {
  if (unreadable !== undefined) return { look: 'bad', says: unreadable };
  const cell = (name: string): string =>
    cells[columns.findIndex((column) => column.from === 'ours' && column.name === name)] ?? '';
  const reason = cell('_reason').replace(/^no usable identifier: /, '');
  switch (cell('_status')) {
    case 'invalid':
    case 'refused':
      return { look: 'bad', says: reason };
    case 'in_doubt':
      return { look: 'doubt', says: `no answer came${mayHaveCost(cell('_credits'))}` };
    case 'no_match':
      return { look: 'none', says: 'nothing found' };
    case 'skipped':
      return { look: 'none', says: `left out${reason === '' ? '' : `: ${reason}`}` };
    case 'pending':
      return isRunning ? { look: 'wait', says: '' } : undefined;
    case 'applied':
    case 'unchanged':
      return { look: 'said', says: reason };
    default:
      // Something was found by another cell, and the one by which it is asked first has a fault.
      return reason === '' ? undefined : { look: 'warn', says: reason };
  }
}

const mayHaveCost = (credits: string): string =>
  credits === '' || credits === '0'
    ? ''
    : `; it may have cost ${credits} ${credits === '1' ? 'credit' : 'credits'}`;
