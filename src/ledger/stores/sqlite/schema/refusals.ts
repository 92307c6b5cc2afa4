import { ENDED, type Kind, SENT } from '../../../rules/moves.ts';
import { isOneOf } from '../lookups.ts';
import { tableOf } from '../tables.ts';

/** A rule about new entries of these kinds of one table: its sentence, and when it is broken, in SQL over `NEW`. */
export function refusedEntry(
  name: string,
  kinds: readonly Kind[],
  rule: { readonly says: string; readonly from?: string; readonly where: string },
): string {
  const [first = 'intent'] = kinds;
  const isAll = kinds === SENT || kinds === ENDED || first === 'reply';
  const table = tableOf(first);
  return `
CREATE TRIGGER ${table}_${name} BEFORE INSERT ON ${table}${isAll ? '' : ` WHEN ${isOneOf('NEW.kind', kinds)}`} BEGIN
  SELECT RAISE(ABORT, 'money rule: ${rule.says}')
${rule.from === undefined ? '' : `    FROM ${rule.from}\n`}   WHERE ${rule.where};
END;
`;
}
