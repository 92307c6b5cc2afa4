/** What a row is called, where it stands alone: in its panel, and among those that a report names. */

const FIRST = /^(?:contact )?(?:first|given)(?: name)?$|^forename$/;
const LAST = /^(?:contact )?(?:last|family)(?: name)?$|^surname$/;
const PERSON = /^(?:full|contact|person|person's|member|employee|staff|user)(?: name)?$/;
const COMPANY =
  /^(?:company|organi[sz]ation|firm|business|charity|account|employer|legal|trading)(?: (?:legal )?name)?$/;
const EMAIL = /\be ?mail\b/;

/** `contactFirst_Name` as `contact first name`. */
const wordsOf = (header: string): string =>
  header
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .replace(/\b(first|last|full|given|family)name\b/, '$1 name')
    .trim();

/** The inputs that name a person, and no company. */
const OF_PERSON = /(?:^|\.)(?:first_name|last_name|full_name|email|user_id)$/;

/**
 * A person is called by first and last name, else by an e-mail address; a company by its name. A row with
 * both is called after the one that is looked for.
 * @param askedColumns the columns by which it is asked, by their inputs.
 * @returns undefined for a row without any of those.
 */
export function rowName(
  header: readonly string[],
  cells: readonly string[],
  askedColumns: Readonly<Record<string, string>>,
): string | undefined {
  const cellOf = (isMeant: (name: string) => boolean): string =>
    cells.find((cell, at) => cell.trim() !== '' && isMeant(header[at] ?? ''))?.trim() ?? '';
  const called = (pattern: RegExp): string => cellOf((name) => pattern.test(wordsOf(name)));
  const askedBy = (input: string): string =>
    cellOf((name) =>
      Object.entries(askedColumns).some(([by, column]) => column === name && isInput(by, input)),
    );
  const first = askedBy('first_name') || called(FIRST);
  const last = askedBy('last_name') || called(LAST);
  const whole = first && last && `${first} ${last}`;
  const person = askedBy('full_name') || whole || called(PERSON);
  const company = askedBy('name') || called(COMPANY);
  const email = askedBy('email') || called(EMAIL);
  const any = called(/\bname\b/);
  const isOfPerson = Object.keys(askedColumns).some((by) => OF_PERSON.test(by));
  const byName = isOfPerson ? [person, called(/^name$/), email, company] : [company, person, any, email];
  return [...byName, any, last, first].find(Boolean);
}

const isInput = (by: string, input: string): boolean => by === input || by.endsWith(`.${input}`);
