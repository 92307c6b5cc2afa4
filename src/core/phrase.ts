/**
 * What to do is data, and each face says it in its way. A terminal names the flag, the command or the entry
 * of a file. The page has a button or a field for it, and says the sentence without. A program reads the
 * data.
 */
export type Doing =
  | { readonly flag: string; readonly value?: string }
  /** A command line. */
  | { readonly command: string }
  /** An entry of a file that people write: the job, the accounts file or a dialect. */
  | { readonly field: string }
  /** The same once more, as it was typed or clicked. */
  | { readonly again: true };

/** A text that every face says, or a phrase that each says in its way. */
export type Words = string | Phrase;

export class Phrase {
  /** For who types commands and writes files. */
  readonly typed: string;
  /** For who has a button or a field for all that can be done. */
  readonly shown: string;
  readonly does: readonly Doing[];

  constructor(typed: string, shown: string, ...does: readonly Doing[]) {
    this.typed = typed;
    this.shown = shown;
    this.does = does;
  }

  toString(): string {
    return this.typed;
  }

  /** The same with other texts, such as the name of a list in the place of its path. */
  map(change: (text: string) => string): Phrase {
    return new Phrase(change(this.typed), change(this.shown), ...this.does);
  }
}

/**
 * Puts a phrase together. A line end of the source is a blank. Before what the page does not say, its
 * sentence has no blank either.
 */
export function phrase(texts: TemplateStringsArray, ...parts: readonly (Words | number)[]): Phrase {
  const [first = '', ...others] = texts.map((text) => text.replace(/\s*\n\s*/g, ' '));
  let [typed, shown] = [first, first];
  const does: Doing[] = [];
  for (const [at, text] of others.entries()) {
    const part = asPhrase(parts[at] ?? '');
    typed += part.typed + text;
    shown = (part.shown === '' ? shown.trimEnd() : shown + part.shown) + text;
    does.push(...part.does);
  }
  return new Phrase(typed, shown.trim(), ...does);
}

export const asPhrase = (part: Words | number): Phrase =>
  part instanceof Phrase ? part : new Phrase(String(part), String(part));

/** Several in one, such as sentences one after the other. There is at least one. */
export const joined = (all: readonly Words[], between = ' '): Phrase =>
  all.map(asPhrase).reduce((before, one) => phrase`${before}${between}${one}`);

/** As a terminal says it. */
export const typedWords = (words: Words): string => asPhrase(words).typed;

/** As the page says it. */
export const shownWords = (words: Words): string => asPhrase(words).shown;

export const doesIn = (words: Words): readonly Doing[] => asPhrase(words).does;

/** A part of a sentence that only those need who type. */
export function typing(texts: TemplateStringsArray, ...parts: readonly (Words | number)[]): Phrase {
  return faces(phrase(texts, ...parts), '');
}

/** The same said in two ways. */
export function faces(typed: Words, shown: string): Phrase {
  return new Phrase(typedWords(typed), shown, ...doesIn(typed));
}

export function asFlag(flag: string, value?: string | number): Phrase {
  if (value === undefined) return new Phrase(flag, '', { flag });
  return new Phrase(`${flag} ${value}`, '', { flag, value: String(value) });
}

/** `with --budget 9`. */
export const byFlag = (flag: string, value?: string | number): Phrase => typing`with ${asFlag(flag, value)}`;

/** A command line of this program, or of the user's machine. */
export const asCommand = (command: string): Phrase => new Phrase(command, '', { command });

/** An entry of a file by its name. @param shown what the page calls it. */
export const asField = (field: string, shown = ''): Phrase => new Phrase(field, shown, { field });

export const AGAIN = new Phrase('run the same command again', 'try again', { again: true });
/** At the beginning of a sentence. */
export const DO_AGAIN = new Phrase('Run the same command again', 'Try again', { again: true });

/** What is done while another process is at work. */
export const LET_IT_END = phrase`Let it end, or wait for it ${byFlag('--wait', '2h')}.`;
