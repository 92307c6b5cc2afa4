/** What the words of a 404 are about: a path, a project, or whom it was asked about. */

/** Words of a server that has nothing at a path. The URL of a profile that is not found is no such word. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint)\b(?! param)|\b(?:path|route|endpoint)\b[^"]{0,80}(?:not found|not exist)|\bcannot (?:get|post|put|patch|delete) \//i;

const LOOKED_AT_BYTES = 2_000;

export function namesRoute(body: Buffer): boolean {
  return NAMES_ROUTE.test(beginningOf(body));
}

const NAMES_PROJECT = /\b(?:no such|unknown|invalid) project\b|\bproject[^"]{0,80}(?:not.found|not exist)/i;
const NAMES_PERSON = /user|member|person|invit/i;

/** Whether an answer is about a project that is not there, and about nobody in it. */
export function namesProject(body: Buffer): boolean {
  const words = beginningOf(body);
  return NAMES_PROJECT.test(words) && !NAMES_PERSON.test(words);
}

const beginningOf = (body: Buffer): string => body.toString('utf8', 0, LOOKED_AT_BYTES);
