import { iconvLite } from './libraries.ts';

/**
 * The encodings of texts, by the names under which a batch keeps them. Two spellings of one encoding, such as
 * `SJIS` and `Shift_JIS`, are one name.
 */

/** The encodings that are recognised in a file without help. */
export const GUESSED_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;

/** Encodings of one byte a character that are never guessed, in the spelling in which batches keep them. */
export const NAMED_ENCODINGS = [
  'macintosh',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-9',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
] as const;

/** Encodings of several bytes a character, in which lists from East Asia come. */
export const EAST_ASIAN_ENCODINGS = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'] as const;

const NAMES: readonly string[] = [
  ...GUESSED_ENCODINGS,
  ...NAMED_ENCODINGS,
  ...EAST_ASIAN_ENCODINGS,
  ...['gbk', 'cp437', 'cp850', 'cp852', 'cp866', 'koi8-r', 'koi8-u'],
  ...['windows-874', 'windows-1255', 'windows-1256', 'windows-1258'],
];

/** A name of `NAMES`, or the letters and digits of another name that iconv-lite knows. */
export type Encoding = string;

/** How others spell a name, beside capitals and signs. */
const SPELLINGS: Readonly<Record<string, string>> = {
  utf16: 'utf-16le',
  ucs2: 'utf-16le',
  latin1: 'iso-8859-1',
  macroman: 'macintosh',
  gb2312: 'gbk',
  cp936: 'gbk',
  sjis: 'shift_jis',
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  windows31j: 'shift_jis',
  cp949: 'euc-kr',
  ksc56011987: 'euc-kr',
  cp950: 'big5',
  big5hkscs: 'big5',
};

/** These are ways to write bytes in a text, and no encodings of one. */
const NO_TEXT: ReadonlySet<string> = new Set(['base64', 'hex']);

const squeezed = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/g, '');

/** The encoding of that name in any spelling; undefined where iconv-lite does not know it. */
export function encodingNamed(text: string): Encoding | undefined {
  const name = squeezed(text).replace(/^(?:cp|win|ansi)(?=125\d$|874$)/, 'windows');
  const known = SPELLINGS[name] ?? NAMES.find((each) => squeezed(each) === name);
  if (known !== undefined) return known;
  return name !== '' && !NO_TEXT.has(name) && iconvLite().encodingExists(name) ? name : undefined;
}

/** The names that a person who mistyped one may have meant. */
export const encodingNames = (): readonly string[] => NAMES;

const IN_WORDS: Readonly<Record<string, string>> = {
  shift_jis: 'Shift_JIS',
  big5: 'Big5',
  macintosh: 'Macintosh',
};

/** `UTF-16LE`, `ISO-8859-1`, `Windows-1252`, `Shift_JIS`. */
export const encodingWords = (encoding: Encoding): string =>
  IN_WORDS[encoding] ??
  (encoding.startsWith('windows') ? encoding.replace('w', 'W') : encoding.toUpperCase());
