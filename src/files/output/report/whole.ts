import { type ComponentChild, type ComponentChildren, h } from 'preact';
import { counted, grouped } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';
import { countedOf } from '../summary-words.ts';
import { Found } from './came.ts';
import { Changes, HalfDone, HeldBack, People } from './changes.ts';
import { Head, localTime } from './head.ts';
import { Needs } from './needs.ts';
import { Fold, Table } from './table.ts';

/** How a list was worked on. */
function HowItWent({ requests, calls, acts }: ReportObject) {
  const lines = acts.map(({ at, what }) => [localTime(at), what]);
  const requestWords = `${counted(requests, 'request')}, ${counted(calls, 'answer')}`;
  return h(Table, { columns: ['when', 'what'], lines: [...lines, ['in all', requestWords]] });
}

interface WholeProps extends ReportObject {
  /** Behind the names of rows that were not found: where the others are. Left out: nowhere to be clicked. */
  readonly others?: ComponentChild;
  /** What stands behind it in the place where it is shown. */
  readonly children?: ComponentChildren;
}

/** The whole report, for a manager: nothing of it has to be opened to be read. */
export function Whole({ others, children, ...report }: WholeProps) {
  const { figures, changes, needing } = report;
  return [
    h(Head, report),
    changes === undefined ? h(Found, report) : h(People, changes),
    h(Needs, { reasons: figures.reasons, names: needing }),
    changes && h(HalfDone, changes),
    changes && h(HeldBack, changes),
    h(NotFound, { ...report, others }),
    h(Fold, { title: 'How it went' }, changes && h(Changes, changes), h(HowItWent, report)),
    children,
  ];
}

/** The names of what was not found: the first of them, and where the others are. */
function NotFound({ counts, operation, not_found: names, others }: WholeProps) {
  const missed = counts.no_match ?? 0;
  if (missed === 0) return null;
  const more = missed - names.length;
  return h(
    'section',
    null,
    h('h2', null, `Not found: ${countedOf(missed, operation)}`),
    h(
      'ul',
      { class: 'cols' },
      names.map(({ row, name }) => h('li', null, name || `row ${grouped(row)}`)),
    ),
    (more > 0 || others) && h('p', null, more > 0 && `and ${grouped(more)} more. `, others),
  );
}
