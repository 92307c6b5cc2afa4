/**
 * What people, letterheads and programs write before a value: `E: anna@acme.com`, `ABN/ACN: 51 824 753 556`,
 * `SMTP:anna@acme.com`. It is never a part of the value.
 */

const ABN = String.raw`A\.?B\.?N|Australian Business Number`;
const ACN = String.raw`A\.?C\.?N|Australian Company Number`;
const ANY = String.raw`(?:${ABN}|${ACN}|A\.?R\.?B\.?N)`;
/** `ABN/ACN`, `Australian Business Number (ABN)`: some of the words; one of them is wanted. */
const among = (wanted: string): string =>
  String.raw`(?=\D*(?:${wanted}))${ANY}(?:\.?\s*(?:[/|&,+-]|or|and)\s*${ANY}|\s*\(${ANY}\.?\))*`;

/** The words before values of one kind, as alternatives of a pattern. */
const WORDS = {
  email:
    'smtp|sip|e|m|(?:(?:work|home|private|personal|business) )?e-?mails?|mail|work|home|private|personal|courriel|correo',
  website:
    'w|web|www|web ?sites?|web ?page|webseite|home ?page|url|site(?: web)?|sitio web|internet|domain|link',
  profile: 'l|li|in|linked ?in|profile|xing|facebook|fb|twitter|x|github|orcid',
  phone:
    't[ée]l(?:[ée](?:ph|f)one?)?|phone|ph|mob(?:ile?)?|cell|[tmpd]|direct|ddi|office|work|handy|whatsapp',
  abn: `${among(ABN)}|AU`,
  acn: among(ACN),
  number: `nzbn|arbn|crn|uen|siren|siret|kvk|company|registration`,
} as const;

const OF_WHAT = String.raw`(?:\s*(?:no|nr|num|number|address|id|url|profile)(?!\p{L})\.?)?`;

/** What stands between the words and the value. The digits of a register may follow at once. */
const BETWEEN = {
  number: String.raw`\s*[:#=|]*\s*`,
  phone: String.raw`(?:(?<=\.)[:=|]?|\s*[.:=|]+|\s)\s*`,
  address: String.raw`(?:\s*[:=|]+\s*|\s+[-–—]\s+|\s+)(?=[\p{L}\p{N}]\S*$)`,
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
