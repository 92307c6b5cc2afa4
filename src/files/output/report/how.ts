import { h } from 'preact';
import { counted } from '../../../core/plain-text.ts';
import type { Act } from '../../../ledger/ledger.ts';
import type { BatchStatusObject } from '../../../objects/batch-object.ts';
import { localTime } from './head.ts';
import { Table } from './table.ts';

export interface HowProps extends Pick<BatchStatusObject, 'requests' | 'calls'> {
  /** What people did with it, oldest first. */
  readonly acts: readonly { readonly kind: Act['kind']; readonly operator: string; readonly at: string }[];
}

const ACT_WORDS: Readonly<Record<Act['kind'], string>> = {
  begun: 'started by',
  gone_on: 'went on with',
  settled: 'doubts decided by',
  paused: 'paused by',
  resumed: 'resumed by',
  cancelled: 'stopped for good by',
  erased: 'forgotten by',
};

/** How a list was worked on. */
export function HowItWent({ requests, calls, acts }: HowProps) {
  const lines = acts.map(({ kind, operator, at }) => [localTime(at), `${ACT_WORDS[kind]} ${operator}`]);
  const asked = `${counted(requests, 'request')}, ${counted(calls, 'answer')}`;
  return h(Table, { columns: ['when', 'what'], lines: [...lines, ['in all', asked]] });
}
