import { CONTAINERS, isFilled, type Leaf, type Name, truthOf } from './names.ts';
import type { Question } from './question.ts';
import { LONGEST_TEXT, type Sense } from './words.ts';

/** Codes that say nothing: no error, and the status of a success. */
const NO_CODE = /^(?:0*|[123]\d\d|null|none|no|n)$/i;

/** Objects in which an answer speaks of itself as it does at its top. */
const SPEAKING = /^(?:meta|status|response)$/;
/** Lists of what is wrong, in place of a sentence. */
const DETAILS = /^(?:detail|message)s?$/;

export const isTrouble = ({ kind }: Name): boolean => kind === 'trouble';

/** True or false about the request as a whole. */
function isMark({ name: { kind, plain }, value }: Leaf): boolean {
  if (kind === 'success' || typeof value !== 'boolean') return kind === 'success';
  return plain === '' || (kind === 'machine' && /(?:status|result|outcome|code)$/.test(plain));
}

/** A title and a description may be those of the thing itself. */
function isText({ name: { kind, plain }, under, isMember }: Leaf, isAlone: boolean): boolean {
  if (plain === '' || kind === 'prose' || (isMember && SPEAKING.test(plain))) return true;
  if (under.some((each) => DETAILS.test(each.plain))) return true;
  return kind === 'described' && (isAlone || !/^(?:title|description)$/.test(plain));
}

/** What an answer says of itself, by codes, by sentences, and by marks such as `success: false`. */
export class Heard {
  /** What codes, sentences and the names of what is true say. */
  readonly says = new Set<Sense>();
  /** What a code says, and nothing else with it: `"status": "no_match"`. */
  readonly codes = new Set<Sense>();
  /** A mark of success says yes; one says no, or a change was not made. */
  yes = false;
  no = false;
  /** An `error`, `errors` or `failed` is filled, and with more than how many have failed. */
  trouble = false;
  isError = false;
  countedNone = false;
  /** A status of HTTP from 400 to 599 that stands as a code. */
  status: number | undefined;
  /** Texts, codes and marks. */
  readonly told: Leaf[] = [];
  protected readonly question: Question;

  constructor(question: Question) {
    this.question = question;
  }

  /** @param isAlone nothing that was asked for is in the answer, so what stands where it would be speaks as well. */
  listen(leaves: readonly Leaf[], isAlone: boolean): this {
    const speaks = (name: Name): boolean => {
      const isPlace = isAlone && (name.isThing || name.kind === 'described' || CONTAINERS.includes(name.raw));
      return isPlace || SPEAKING.test(name.plain);
    };
    // Beside what was asked for, a list says nothing of itself.
    if (!isAlone && /^\d/.test(leaves[0]?.keys[0] ?? leaves[0]?.key ?? '')) return this;
    for (const leaf of leaves) {
      const error = leaf.under.findIndex(isTrouble);
      const above = error < 0 ? leaf.under : leaf.under.slice(0, error);
      if (above.every(speaks)) this.hear(leaf, isAlone);
    }
    return this;
  }

  /** @returns whether it says anything. */
  protected hear(leaf: Leaf, isAlone: boolean): boolean {
    const { name, under, value = null } = leaf;
    const isWithin = under.some(isTrouble);
    if (!isWithin && !isTrouble(name)) return this.#speaks(leaf, isText(leaf, isAlone));
    if (!isFilled(value)) return true;
    this.trouble = true;
    this.isError ||= isWithin || typeof value !== 'number';
    if (value === true) this.told.push(leaf);
    return this.#speaks(leaf, true);
  }

  #speaks(leaf: Leaf, isText: boolean): boolean {
    const { value = null } = leaf;
    const { kind } = leaf.name;
    const isCode = (kind === 'machine' && !leaf.isMember) || kind === 'trouble';
    if (isMark(leaf)) this.truth(leaf);
    else if (isCode) this.#code(leaf);
    else if (kind === 'found' && truthOf(value) === false && !leaf.isMember) this.#found();
    else if (kind === 'total' && value === 0) this.countedNone = true;
    else if (typeof value === 'string' && isText) this.say(value, leaf);
    else return kind === 'described' || (kind === 'field' && value === true && this.named(leaf));
    return true;
  }

  #found(): void {
    this.says.add('no_match');
    // What a question of one's own asks about may have such a field.
    if (!this.question.isOwn) this.codes.add('no_match');
  }

  /** `{"queued": true}` says so by its name; `errorReporting` is a setting. @returns whether it does. */
  protected named(leaf: Leaf): boolean {
    const { raw } = leaf.name;
    const sense = this.question.vocabulary.justOf(raw);
    if (sense === undefined || sense === 'done') return false;
    this.say(raw, leaf);
    return true;
  }

  protected truth(leaf: Leaf): void {
    const truth = truthOf(leaf.value ?? null);
    this.yes ||= truth === true;
    this.no ||= truth === false;
    if (truth === false) this.told.push(leaf);
    if (truth === undefined) this.#code(leaf);
  }

  #code(leaf: Leaf): void {
    const { value = null } = leaf;
    const code = String(value).trim();
    if (typeof value === 'boolean' || NO_CODE.test(code)) return;
    if (/^(?:[45]\d\d|-\d+)$/.test(code)) {
      // Codes of failure, whatever their number.
      if (code.startsWith('-')) this.no ||= !this.question.isOwn;
      else this.status ??= Number(code);
      this.told.push(leaf);
    } else this.say(code, leaf);
    const just = this.question.vocabulary.justOf(code);
    if (just !== undefined) this.codes.add(just);
  }

  protected say(text: string, leaf: Leaf): void {
    this.told.push(leaf);
    const own = this.question.without(text.slice(0, LONGEST_TEXT));
    const { senses, rest } = this.question.vocabulary.read(own);
    for (const sense of senses) this.says.add(sense);
    this.weigh(own, senses, rest);
  }

  protected weigh(_text: string, _senses: readonly Sense[], _rest: string): void {}
}
