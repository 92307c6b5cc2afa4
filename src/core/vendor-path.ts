import type { JsonValue } from './operation.ts';

/**
 * Paths below the address of an account, as a job or a dialect writes them. Both may come from another
 * person, and a server that forwards a request may decode its path before it resolves it. So a path must stay
 * below the address also when it is decoded.
 */

/**
 * The place of the account's key, which is filled in as a request leaves. `{{key}}` is a column of that name.
 */
export const KEY_PLACE = /(?<!\{)\{key\}/g;

export const keysIn = (request: JsonValue): number => [...JSON.stringify(request).matchAll(KEY_PLACE)].length;

/**
 * One "/" and no second one, which would begin the name of a host. No blanks, and no "#", because nothing
 * behind it is sent.
 */
const PATH = /^\/(?!\/)[!-"$-~]*$/;

/** No meaningful text is encoded more often, and each decoding reads the whole path. */
const MOST_DECODINGS = 4;

/** Signs without which no path leads elsewhere. Most paths have none of them. */
const TAKEN_ELSEWHERE = /[.%\\\t\n\r]|\/\//;

/**
 * Whether the path leads elsewhere, as it is or decoded: by a segment "." or "..", also with parameters
 * behind it, or by a beginning that names a host.
 */
export function leadsElsewhere(path: string): boolean {
  if (!TAKEN_ELSEWHERE.test(path)) return false;
  const [below = ''] = path.split('?');
  let text = below;
  for (let times = 0; times <= MOST_DECODINGS; times += 1) {
    if (isElsewhere(text)) return true;
    const decoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/**
 * Some servers read a backslash as a slash, and ignore the part of a segment behind a semicolon. Some decode
 * a path before they resolve it: then a question mark, "#" or NUL ends it. Tabs and line ends are removed, so
 * a dot before and a dot behind them stand side by side.
 */
function isElsewhere(path: string): boolean {
  const resolved = path.replaceAll(/[\t\n\r]/g, '');
  if (/^[/\\]{2}/.test(resolved)) return true;
  return resolved.split(/[/\\]/).some((segment) => /^\.{1,2}\s*(?:[;?#\0]|$)/.test(segment));
}

/**
 * The problem with the template of a path, as a clause; undefined when there is none. `placeholder` matches
 * the places that are filled in, each with one encoded segment, or a part of one.
 */
export function pathProblem(template: string, placeholder: RegExp): string | undefined {
  const [empty, filled] = ['', 'x'].map((text) => template.replaceAll(placeholder, text)) as [string, string];
  if (!PATH.test(filled)) return 'it must begin with one "/" and have neither blanks nor "#"';
  // Half an escape sequence would combine with the first letters of the filled-in value.
  if (new RegExp(`%[0-9a-f]?${placeholder.source}`, 'i').test(template))
    return 'it has a half escape sequence before a {';
  const hasHole = filled !== empty && isElsewhere(empty.split('?')[0]?.replace(/^\/{2,}/, '/') ?? '');
  return leadsElsewhere(filled) || hasHole ? 'a path must not have "." or ".." as a segment' : undefined;
}
