import { dialectOperationOf } from '../../client/dialect.ts';
import { ruleOf } from '../../client/judge.ts';
import { jsonOf, type Proposal } from '../../client/proposal.ts';
import { valuesAt } from '../../core/answer-path.ts';
import type { JsonValue } from '../../core/operation.ts';
import { counted, foreignWords, linesOf, plainText } from '../../core/plain-text.ts';
import type { TrialObject } from '../../objects/row-object.ts';
import { replyObject, ruleObject } from '../shared/doubts.ts';
import type { LineTried, Tried } from './line.ts';
import { endWords, requestShown } from './trial.ts';

/** Two answers side by side, and what was found in them. */

type Half = NonNullable<TrialObject['beside']>;

function halfOf({ trial, record, spent }: Tried): Half & Pick<TrialObject, 'rule'> {
  const { reply, end } = record;
  const { dialect, call } = trial;
  const settled = end?.kind === 'answered' ? end : undefined;
  const rule = reply && end && ruleOf(reply, dialect, dialectOperationOf(dialect, call), call);
  return {
    batch: record.batch,
    source: settled !== undefined && spent === 0 ? 'ledger' : 'bought',
    request: requestShown(trial),
    reply: reply ? replyObject(reply) : null,
    answer: settled?.answer ?? end?.kind ?? null,
    charged: settled?.charged ?? null,
    rule: ruleObject(rule),
  };
}

export const placesShown = (proposal: Proposal): NonNullable<TrialObject['proposal']>['places'] =>
  Object.entries(proposal.places).map(([name, { path, value }]) => ({ name, path, value: String(value) }));

// --------------------------------------------------------------------------------------------- on a terminal

/** The width of one of the two, and how much of a long answer is shown. */
const WIDTH = 56;
const MOST_LINES = 60;

/** Stands before a line whose value was found. */
const LIT = '● ';

export function bothLines({ first, second, proposal, lacks }: LineTried): readonly string[] {
  if (first === undefined) return linesOf(lacks);
  const lit = Object.values(proposal?.places ?? {}).map(({ path }) => path);
  const left = halfLines(first, lit);
  const right = second === undefined ? [] : halfLines(second, []);
  const rows = Math.max(left.length, right.length);
  const beside = Array.from({ length: rows }, (_, at) =>
    `${(left[at] ?? '').padEnd(WIDTH)} │ ${right[at] ?? ''}`.trimEnd(),
  );
  return linesOf(
    '',
    second === undefined ? left : beside,
    '',
    proposal && readLines(proposal),
    lacks,
    proposal?.notes.map((note) => `Note       ${note}`),
  );
}

function halfLines({ trial, record }: Tried, lit: readonly string[]): readonly string[] {
  const rowWords = Object.entries(trial.row).map(([name, value]) => `${name}=${value}`);
  const { reply, end } = record;
  const shown = reply === undefined ? ['(no answer)'] : bodyLines(reply, lit);
  return [
    ...rowWords.map((each) => cut(each)),
    cut(`Status     ${reply?.status ?? 'none'}`),
    cut(`Answer     ${endWords(end)}`),
    ...shown,
  ];
}

function bodyLines(reply: NonNullable<Tried['record']['reply']>, lit: readonly string[]): readonly string[] {
  const body = jsonOf(reply);
  if (body === undefined) return [cut(`  ${foreignWords(reply.body.toString('utf8'), WIDTH)}`)];
  const found = new Set(
    lit.flatMap((path) =>
      valuesAt(body, path)
        .slice(0, 1)
        .map(({ at }) => at),
    ),
  );
  const lines = jsonLines(body, '', '', found);
  const remainingLines = lines.length - MOST_LINES;
  return remainingLines <= 0
    ? lines
    : [...lines.slice(0, MOST_LINES), `  … ${counted(remainingLines, 'more line')}`];
}

/** JSON with one value on each line. */
function jsonLines(
  value: JsonValue,
  path: string,
  label: string,
  lit: ReadonlySet<string>,
): readonly string[] {
  const depth = path === '' ? 0 : path.split('.').length;
  const mark = lit.has(path) ? LIT : '  ';
  const line = (text: string): string => cut(`${mark}${'  '.repeat(depth)}${label}${plainText(text)}`);
  if (value === null || typeof value !== 'object' || Object.keys(value).length === 0)
    return [line(JSON.stringify(value))];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value).flatMap(([key, each]) => {
    const inside = path === '' ? key : `${path}.${key}`;
    return jsonLines(each as JsonValue, inside, Array.isArray(value) ? '' : `${plainText(key)}: `, lit);
  });
  return [line(open), ...members, cut(`  ${'  '.repeat(depth)}${close}`)];
}

const cut = (text: string): string => (text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text);

const readLines = (proposal: Proposal): readonly string[] =>
  placesShown(proposal).map(
    ({ name, path, value }) => `Read       ${name}: ${foreignWords(value)}, at ${foreignWords(path)}`,
  );

/** The members of `--json` about both; the first is told as the trial of an operation is. */
export function lineObject(tried: LineTried, proposal: TrialObject['proposal']): TrialObject | undefined {
  const { first, second, stopped, batch } = tried;
  if (first === undefined) return undefined;
  const spent = first.spent + (second?.spent ?? 0);
  const inDoubt = [first, second].some((each) => each?.record.end?.kind === 'in_doubt');
  return {
    ...halfOf(first),
    batch,
    beside: second === undefined ? null : withoutRule(halfOf(second)),
    proposal: proposal ?? null,
    fields: [],
    credits: { spent, exact: false, in_doubt: inDoubt ? 1 : 0 },
    stopped,
  };
}

const withoutRule = ({ rule: _, ...half }: ReturnType<typeof halfOf>): Half => half;
