import { h } from 'preact';
import { counted } from '../../../core/plain-text.ts';
import type { CourseObject } from '../report-object.ts';
import { localTime } from './head.ts';
import { Table } from './table.ts';

/** How a list was worked on. */
export function HowItWent({ requests, calls, acts }: CourseObject) {
  const lines = acts.map(({ at, what }) => [localTime(at), what]);
  const asked = `${counted(requests, 'request')}, ${counted(calls, 'answer')}`;
  return h(Table, { columns: ['when', 'what'], lines: [...lines, ['in all', asked]] });
}
