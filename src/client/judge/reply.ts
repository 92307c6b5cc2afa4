import type { Body } from '../../core/answer-body.ts';
import type { Answered } from '../../core/findings.ts';
import type { JsonValue } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Reply } from '../../ledger/ledger.ts';
import type { Dialect } from '../dialect.ts';
import { isFilled, type Leaf, leavesOf } from './names.ts';
import { type Vocabulary, vocabularyOf } from './words.ts';

/** A judged answer, and its words. */
export interface ParsedReply {
  readonly raw: Reply;
  readonly body: Body;
  /** Whether a service gave the answer before the vendor, so that it holds none of the vendor's. */
  readonly isOuter: boolean;
}

/**
 * The vendor's own explanation, made safe to show and shortened: `abn must have 11 digits`; nothing where its
 * answer has none.
 * @param quotesAll whether an answer without a text is told as a whole.
 */
export function vendorWords({ body }: ParsedReply, { words }: Dialect, quotesAll: boolean): Answered {
  if (body.kind === 'blank') return {};
  if (body.kind === 'unreadable') {
    const { why } = body;
    if (why === undefined) return { words: foreignWords(body.text) };
    return { unreadable: why.problem, ...(why.problem === 'no_json' && { words: why.sign }) };
  }
  const shown = foreignWords(causeIn(body.value, vocabularyOf(words)));
  if (shown !== '') return { words: shown };
  return quotesAll ? { body: foreignWords(JSON.stringify(body.value)) } : {};
}

/** Beside a text, these names say which field the text is about. */
const WHICH = /^(?:field|param|parameter|property|pointer|attribute|loc|location)$/;

/**
 * The first sentence by which an answer explains itself, in any shape, and not the label before it:
 * "Validation failed".
 */
function causeIn(value: JsonValue, vocabulary: Vocabulary): string {
  const leaves = leavesOf(value);
  const explaining = leaves.filter((leaf) => isFilled(leaf.value ?? null) && explains(leaf));
  const code = leaves.find(({ name, value: each }) => name.kind === 'machine' && typeof each === 'string');
  const cause = explaining.find((leaf) => !vocabulary.isLabel(String(leaf.value))) ?? explaining[0] ?? code;
  if (cause === undefined) return '';
  const text = String(cause.value);
  const at = cause.keys.join('.');
  const beside = leaves.findLast(({ name, keys }) => WHICH.test(name.plain) && keys.join('.').startsWith(at));
  const ofField = cause.name.kind === 'field' ? cause.name.raw : String(beside?.value ?? '');
  const field = ofField.split(/[/.]/).at(-1) ?? '';
  return cause.keys.length === 0 || text.toLowerCase().includes(field.toLowerCase())
    ? text
    : `${field}: ${text}`;
}

const EXPLAINS = /^(?:reason|info|cause)$/;

function explains({ name, under, value, key, keys }: Leaf): boolean {
  if (typeof value !== 'string' || WHICH.test(name.plain)) return false;
  const isNamed = ['prose', 'described', 'trouble'].includes(name.kind) || EXPLAINS.test(name.plain);
  return isNamed || (key === '' && keys.length === 0) || under.some(({ kind }) => kind === 'trouble');
}
