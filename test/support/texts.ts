/** Where words stand: the texts and comments of a program, and the prose of a page, cut into sentences. */

/** Comments, regular expressions behind what may stand before one, and texts that are no template. */
const PLAIN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/;

/** The same and templates. */
export const TOKEN = new RegExp(`${PLAIN.source}|\`(?:\\\\.|[^\`\\\\])*\``, 'g');

export const SQL = /^[`'"]?\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|BEGIN|PRAGMA)\b/;

export interface Text {
  readonly line: number;
  readonly text: string;
}

const lineAt = (program: string, index: number): number => program.slice(0, index).split('\n').length;

/** Where the template that begins at `start` ends, and its text with `⟨…⟩` for what is put in. */
function templateAt(program: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = start + 1; at < program.length; at += 1) {
    const two = program.slice(at, at + 2);
    if (program[at] === '`') return { text, end: at + 1 };
    if (two === '${') {
      text += '⟨…⟩';
      at = braceEnd(program, at + 2);
    } else if (program[at] === '\\') {
      text += two;
      at += 1;
    } else text += program[at];
  }
  return { text, end: program.length };
}

/** The brace that ends what is put into a template. */
function braceEnd(program: string, start: number): number {
  for (let at = start; at < program.length; at += 1) {
    if (program[at] === '}') return at;
    if (program[at] === '{') at = braceEnd(program, at + 1);
    else if (program[at] === '`') at = templateAt(program, at).end - 1;
    else
      at +=
        (/^(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/.exec(program.slice(at, at + 400))?.[0].length ?? 1) -
        1;
  }
  return program.length;
}

/** The texts of a program that have several words, and the words between tags. Comments in SQL are no texts. */
export function textsOf(program: string): readonly Text[] {
  const found: Text[] = [];
  const next = new RegExp(`${PLAIN.source}|\``, 'g');
  for (let match = next.exec(program); match !== null; match = next.exec(program)) {
    const [token] = match;
    if (token.startsWith('/')) continue;
    const line = lineAt(program, match.index);
    if (token !== '`') found.push({ line, text: token.slice(1, -1) });
    else {
      const { text, end } = templateAt(program, match.index);
      found.push({ line, text: text.replaceAll(/^\s*--.*$/gm, '') });
      // What is put in may have texts of its own.
      if (text.includes('⟨…⟩'))
        found.push(
          ...textsOf(program.slice(match.index + 1, end - 1)).map((each) => ({
            ...each,
            line: line + each.line - 1,
          })),
        );
      next.lastIndex = end;
    }
  }
  const between = /<\/|\/>/.test(program)
    ? program.matchAll(/(?<=>)[^<>{}=;]*[a-z][^<>{}=;]*(?=<\/|\{|<[A-Za-z])/g)
    : [];
  for (const { 0: text, index } of between)
    found.push({ line: lineAt(program, index), text: text.replaceAll(/\s+/g, ' ').trim() });
  return found.filter(({ text }) => text.includes(' '));
}

/** The comments of a program. Lines of `//` that follow each other are one comment. */
export function commentsOf(program: string): readonly Text[] {
  const found: { line: number; text: string }[] = [];
  for (const { 0: token, index } of program.matchAll(TOKEN)) {
    if (!/^\/[/*]/.test(token)) continue;
    const line = lineAt(program, index);
    const text = token.replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, '').trim();
    const last = found.at(-1);
    if (token.startsWith('//') && last !== undefined && last.line + last.text.split('\n').length === line)
      last.text += `\n${text}`;
    else found.push({ line, text });
  }
  return found;
}

/** The paragraphs, list items and cells of a page, each on one line. Blocks of code are no prose. */
export function proseOf(page: string): readonly string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```$|^<!--.*?-->$/gm, '');
  const joined = prose.replaceAll(/\n(?=[^\n|#-])(?! *(?:[-*|]|\d+\.) )/g, ' ');
  return joined
    .split(/\n|(?<!\\)\|/)
    .map((line) => line.replace(/^[\s>|*#-]+(?=\s)|^\d+\.\s/, '').trim())
    .filter((line) => /[a-z]/i.test(line));
}

/** Sentences as a person counts them: code is one word, also a list of it, and a link is its words. */
export function sentencesOf(text: string): readonly string[] {
  const plain = text
    .replaceAll(/`[^`]*`/g, 'CODE')
    .replaceAll(/CODE(?:,? (?:and )?CODE)+/g, 'CODE')
    .replaceAll(/\]\([^)]*\)|[[\]*]/g, '')
    .replaceAll(/\s+/g, ' ');
  return plain.split(/(?<=[.!?][")”]?) (?=[A-Z“"(])/).map((each) => each.trim());
}

export const wordsIn = (sentence: string): number =>
  sentence.split(' ').filter((word) => /\w/.test(word)).length;

export interface Habit {
  readonly habit: RegExp;
  readonly better: string;
}

/** Words and orders that a reader in a hurry stumbles over, or that name one thing in two ways. */
export const HABITS: readonly Habit[] = [
  { habit: /\bwhose\b/i, better: 'a sentence of its own, or "with"' },
  { habit: /\bof which\b/i, better: 'a sentence of its own' },
  { habit: /\bthat which\b/i, better: 'the noun' },
  { habit: /\bnobody\b/i, better: '"no one" with its noun: no user, no vendor' },
  { habit: /\b(?:of|from|to|for|by) whom\b/i, better: 'who, or the noun' },
  { habit: /\bso-manieth\b/i, better: 'every nth' },
  { habit: /\btype (?:the (?:same )?command|it again|rowonce|npm)\b/i, better: 'run the same command again' },
  { habit: /\bfits not\b/i, better: 'does not fit' },
  { habit: /\bnot look so\b/i, better: 'not look like an ABN' },
];

export const LONGEST_SENTENCE = 35;
