import { columnsIn, PLACEHOLDER, templateProblem } from '../../cell-template.ts';
import { quoted } from '../../change-inputs.ts';

/**
 * The path of a call, in which `{{Column}}` stands for a row's cell. A cell is percent-encoded, so it never ends a
 * segment, a path or a query; and as some servers decode a path before they resolve it, no segment may become `.` or `..`
 * by decoding either.
 */

/** As a path of a dialect; a second slash at its beginning would make another address of it. */
const ENDPOINT = /^\/(?!\/)[!-"$-~]*$/;

/** Half an escape sequence before a cell would make a sign of its own of the cell's first letters. */
const HALF_AN_ESCAPE = /%[0-9a-f]?\{\{/i;

/** What is wrong with the template, as a clause; undefined when nothing is. */
export function endpointProblem(endpoint: string): string | undefined {
  const broken = templateProblem(endpoint);
  if (broken !== undefined) return broken;
  if (HALF_AN_ESCAPE.test(endpoint)) return 'it has a half escape sequence before a {{';
  const filled = endpoint.replaceAll(PLACEHOLDER, 'x');
  if (!ENDPOINT.test(filled)) return 'it begins with one "/" and holds neither blanks nor "#"';
  return leadsElsewhere(filled) ? 'a path may hold neither "." nor ".." for a segment' : undefined;
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

/** Whether a segment of the path, as it stands or decoded, is one that is resolved away. */
function leadsElsewhere(endpoint: string): boolean {
  const [path = ''] = endpoint.split('?');
  return decoded(path)
    .split(/[/\\]/)
    .some((segment) => segment === '.' || segment === '..');
}

/** Twice, because what is decoded twice on its way is resolved after the second time. */
function decoded(path: string): string {
  return [path, path].reduce(
    (text) => text.replaceAll(/%(2[ef]|5c|25)/gi, (encoded) => decodeURIComponent(encoded)),
    path,
  );
}
