import { leadsElsewhere, pathProblem } from '../../core/vendor-path.ts';
import { columnsIn, PLACEHOLDER, templateProblem } from '../lookup/cell-template.ts';
import { quoted } from '../team/change-inputs.ts';

/**
 * The path of a call, in which `{{Column}}` stands for a row's cell. A cell is percent-encoded, so it never ends a
 * segment, a path or a query; and as some servers decode a path before they resolve it, no segment may become `.` or `..`
 * by decoding either.
 */

/** What is wrong with the template, as a clause; undefined when nothing is. */
export function endpointProblem(endpoint: string): string | undefined {
  const broken = templateProblem(endpoint);
  if (broken !== undefined) return broken;
  return pathProblem(endpoint, PLACEHOLDER);
}

export type FilledEndpoint =
  | { readonly kind: 'filled'; readonly endpoint: string }
  /** The reason for which the row is invalid. */
  | { readonly kind: 'wrong'; readonly problem: string };

export function filledEndpoint(endpoint: string, cells: Readonly<Record<string, string>>): FilledEndpoint {
  const problems = columnsIn(endpoint).flatMap((name) => cellProblem(name, (cells[name] ?? '').trim()));
  if (problems.length > 0) return { kind: 'wrong', problem: problems.join('; ') };
  const filled = endpoint.replaceAll(PLACEHOLDER, (_, name: string) =>
    encodeURIComponent((cells[name] ?? '').trim()),
  );
  return leadsElsewhere(filled)
    ? { kind: 'wrong', problem: `the path ${quoted(filled)} would lead elsewhere` }
    : { kind: 'filled', endpoint: filled };
}

function cellProblem(name: string, cell: string): readonly string[] {
  if (cell === '') return [`${name}: blank`];
  const canBeSent = cell.isWellFormed() && !/\p{Cc}/u.test(cell);
  return canBeSent
    ? []
    : [`${name} ${quoted(cell)} holds a line end or another character that cannot be sent`];
}
