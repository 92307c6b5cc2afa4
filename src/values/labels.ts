/**
 * What people, letterheads and programs write before a value: `E: anna@acme.com`, `ABN/ACN: 51 824 753 556`,
 * `SMTP:anna@acme.com`. It is never a part of the value.
 */

const ABN = String.raw`A\.?B\.?N|Australian Business Number`;
const ACN = String.raw`A\.?C\.?N|Australian Company Number`;
const OR = String.raw`\.?\s*(?:[/|&,+-]|or|and)\s*`;
const ABN_OR_ACN = `(?:${ABN})${OR}(?:${ACN})|(?:${ACN})${OR}(?:${ABN})`;

/** The words before values of one kind, as alternatives of a pattern. */
const WORDS = {
  email: 'smtp|sip|e|m|e-?mails?|mail|work e-?mail|courriel|correo',
  website: 'w|web|www|web ?sites?|web ?page|home ?page|url|site|internet|domain|link',
  profile: 'l|li|in|linked ?in|profile|xing|facebook|fb|twitter|x|github|orcid',
  phone:
    't[ée]l(?:[ée](?:ph|f)one?)?|phone|ph|mob(?:ile?)?|cell|[tmpd]|direct|ddi|office|work|handy|whatsapp',
  abn: `${ABN_OR_ACN}|${ABN}`,
  acn: `${ABN_OR_ACN}|${ACN}`,
  number: `nzbn|arbn|crn|uen|siren|siret|kvk|company|registration`,
} as const;

const OF_WHAT = String.raw`(?:\s*(?:no|nr|num|number|address|id|url|profile)(?!\p{L})\.?)?`;

/** What stands between the words and the value. The digits of a register may follow at once. */
const BETWEEN = {
  number: String.raw`\s*[:#=|]*\s*`,
  phone: String.raw`(?:(?<=\.)[:=|]?|\s*[.:=|]+|\s)\s*`,
  address: String.raw`(?:\s*[:=|]+\s*|\s+[-–—]\s+|\s+)(?=\S+$)`,
} as const;

const pattern = (words: string, between: string): RegExp =>
  new RegExp(String.raw`^(?:${words})(?!\p{L})\.?${OF_WHAT}${between}`, 'iu');

const LABELS = {
  email: pattern(WORDS.email, BETWEEN.address),
  website: pattern(WORDS.website, BETWEEN.address),
  profile: pattern(WORDS.profile, BETWEEN.address),
  phone: pattern(WORDS.phone, BETWEEN.phone),
  abn: pattern(WORDS.abn, BETWEEN.number),
  acn: pattern(WORDS.acn, BETWEEN.number),
  number: pattern(WORDS.number, BETWEEN.number),
} as const;

/** The text without what stands before a value of that kind; the same text where nothing does. */
export const withoutLabel = (kind: keyof typeof LABELS, text: string): string =>
  text.replace(LABELS[kind], '');
