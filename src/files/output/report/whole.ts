import { type ComponentChildren, h } from 'preact';
import { counted } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';
import { Changes, HeldBack, People } from './changes.ts';
import { Accounts, Columns, Funnel, Identifiers } from './found.ts';
import { Head, type HeadProps, localTime } from './head.ts';
import { Needs, type NeedsProps } from './needs.ts';
import { Fold, Table } from './table.ts';

/** How a list was worked on. */
function HowItWent({ requests, calls, acts }: ReportObject) {
  const lines = acts.map(({ at, what }) => [localTime(at), what]);
  const asked = `${counted(requests, 'request')}, ${counted(calls, 'answer')}`;
  return h(Table, { columns: ['when', 'what'], lines: [...lines, ['in all', asked]] });
}

interface WholeProps extends ReportObject, Pick<HeadProps, 'files'>, Pick<NeedsProps, 'which'> {
  /** What stands behind it in the place where it is shown. */
  readonly children?: ComponentChildren;
}

/** The whole report, for a manager. */
export function Whole({ which, children, ...report }: WholeProps) {
  const { figures, changes } = report;
  return [
    h(Head, report),
    changes === undefined ? h(Found, report) : h(People, changes),
    h(Needs, { reasons: figures.reasons, which }),
    changes && h(HeldBack, changes),
    h(Fold, { title: 'How it went' }, changes && h(Changes, changes), h(HowItWent, report)),
    children,
  ];
}

function Found(view: ReportObject) {
  return [
    h(Funnel, view),
    h('div', { class: 'pair' }, h(Columns, view), h(Identifiers, view)),
    h(Accounts, view),
  ];
}
