import {
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
  normaliseWebsite,
} from '../../../operations/lookup/identifiers.ts';
import { isAbn, isEmail } from '../../../operations/lookup/recognise.ts';

/** The text, and as operations send it: by what it is, so that an address does not find the company of its domain. */
export function spellingsOf(text: string): readonly string[] {
  if (text === '' || text.length > 500) return [];
  const readers = isEmail(text)
    ? [normaliseEmail]
    : isAbn(text)
      ? [normaliseAbn]
      : [
          normaliseDomain,
          normaliseWebsite,
          normalisePersonProfile,
          normaliseCompanyProfile,
          normaliseProfileSlug,
        ];
  const read = readers.map((reader) => reader(text));
  return [...new Set([text, ...read.flatMap((each) => (each.kind === 'usable' ? each.value : []))])];
}
