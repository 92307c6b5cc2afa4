import { type ComponentChild, type ComponentChildren, h } from 'preact';
import { counted, grouped } from '../../../core/plain-text.ts';
import type { ReportObject } from '../report-object.ts';
import { countedOf } from '../summary-words.ts';
import { Ruled } from './arranged.ts';
import { Found } from './came.ts';
import { Admins, Changes, HalfDone, HeldBack, LeftOut, People } from './changes.ts';
import { Head, localTime } from './head.ts';
import { Needs, OtherAbn } from './needs.ts';
import { Fold, Sectioned, Table } from './parts.ts';

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
    h(OtherAbn, { other: figures.other_abn, names: needing }),
    changes && h(HalfDone, changes),
    changes && h(HeldBack, changes),
    changes && h(LeftOut, changes),
    changes && h(Admins, { persons: changes.persons, by: report.started_by }),
    h(Mends, report),
    h(NotFound, { ...report, others }),
    h(Fold, { title: 'How it went' }, changes && h(Changes, changes), h(HowItWent, report)),
    children,
  ];
}

/** What the list said otherwise before somebody mended it on the page. */
function Mends({ mends }: WholeProps) {
  const lines = mends.map(({ row, column, value }) => [`Row ${grouped(row)}`, column, value]);
  const show = (shown: typeof lines) => h(Ruled, { cells: 3, lines: shown });
  return h(Sectioned, { title: `Mended before the start: ${counted(mends.length, 'cell')}`, lines, show });
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
