import type { ComponentChildren } from 'preact';
import { accountWords } from '../../../../../files/output/summary-words.ts';
import { Button } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import type { Line, Lines } from '../../../parts/lines.ts';
import { type Column, isBought } from '../columns.ts';
import { MendField, type Mending, mend, mendedAs } from '../mends/mends.tsx';
import { isTakenBack, type OfScene } from '../scene.ts';
import { partDone, type TeamPart } from '../team.ts';

/** What stands in the cells of a row: hers, the bought ones, and a sign in the place of those. */

export interface Drawn extends OfScene {
  readonly rows: Lines;
  readonly columns: readonly Column[];
  readonly mending: Mending;
  /** Goes on to the next wrong cell, where she goes through those of a column. */
  readonly onNext?: ((row: number) => void) | undefined;
}

/** A cell of the table, by the numbers of what is drawn. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

interface CellShown {
  readonly shows: ComponentChildren;
  readonly title?: string;
  readonly look?: string;
  /** How many columns it takes; 0 for a cell that lies below the one before. */
  readonly span?: number;
}

export function cellsOf(drawn: Drawn, line: Line | undefined): readonly CellShown[] {
  const { columns } = drawn;
  if (line === undefined) return columns.map(() => WAITS);
  const sign = signOf(drawn, line);
  const signs = signsInPlace(drawn, line, sign);
  const wrong = wrongIn(drawn, line, sign);
  const damaged = sign?.look === 'warn' ? 'doubt' : 'bad';
  const lookOf = (column: Column) => (wrong.includes(column) ? damaged : undefined);
  return columns.map((column, at) => {
    const shownSign = signs[at];
    if (shownSign === undefined) {
      const cell = sinceBefore(line, column, cellOf(drawn, line, column, lookOf(column)));
      return at === 0 && sign && !signs.includes(sign) ? beside(cell, sign) : cell;
    }
    if (shownSign.look === 'wait') return WAITS;
    if (signs[at - 1] === shownSign) return { shows: '', span: 0 };
    const end = signs.findIndex((each, place) => place > at && each !== shownSign);
    const span = (end === -1 ? signs.length : end) - at;
    return cellWith(shownSign, span);
  });
}

/** A row that is left out shows what was found for it before, so that it says so in its first cell. */
const beside = (cell: CellShown, { look, says }: Sign): CellShown => ({
  ...cell,
  title: says,
  shows: look === 'out' ? [cell.shows, ' ', <small key={look}>{says}</small>] : cell.shows,
});

/** A cell of hers that said something else in the version before. A cell that is damaged says that first. */
function sinceBefore({ was = {} }: Line, column: Column, cell: CellShown): CellShown {
  const before = isBought(column) ? undefined : was[column.name];
  if (before === undefined || cell.look) return cell;
  return { ...cell, title: `was ${before || 'blank'}`, look: 'chg' };
}

const WAITS: CellShown = { shows: <span class="wait" role="img" aria-label="still to come" /> };

/** The sign in the place of each cell: of the step that fills it, or of a row without answers. */
function signsInPlace(drawn: Drawn, line: Line, sign: Sign | undefined): readonly (Sign | undefined)[] {
  const { columns } = drawn;
  // What came of a person has a column of its own.
  if (columns.some(isHappening)) return columns.map((column) => (isHappening(column) ? sign : undefined));
  const ofSteps = stepSigns(line);
  const isBlank = columns.every((column) => !isBought(column) || boughtIn(line, column) === '');
  const ofAll = isBlank || line.results !== undefined || sign?.look === 'wait' ? sign : undefined;
  return columns.map((column) => {
    if (!isBought(column) || boughtIn(line, column) !== '') return undefined;
    return ofSteps.get(column.operation ?? '') ?? ofAll;
  });
}

const isHappening = ({ kind }: Column): boolean => kind === 'happens';

const boughtIn = ({ cells }: Line, { at }: Column): string => (at === undefined ? '' : (cells[at] ?? ''));

/** What the cell says, with the mend that it has. */
export function textOf({ scene }: Pick<Drawn, 'scene'>, line: Line, column: Column): string {
  const mended = isBought(column) ? undefined : mendedAs(scene, line.row, column.name);
  return mended?.value ?? boughtIn(line, column);
}

/** @param wrong the look of a cell by which the row should be asked and cannot. */
export function textAt(drawn: Drawn, line: number, column: Column): string {
  const shown = drawn.rows.at(line);
  return shown ? textOf(drawn, shown, column) : '';
}

function cellOf(drawn: Drawn, line: Line, column: Column, wrong: 'bad' | 'doubt' | undefined): CellShown {
  const { scene, mending, onNext } = drawn;
  const { row, cells } = line;
  const { name, source } = column;
  const text = textOf(drawn, line, column);
  const isFaulty = line.planned?.faulty.includes(name);
  const cell = { row, column: name };
  const isNew = mending.isAt(cell);
  if (isFaulty || isNew) {
    const typed = isNew ? mending.typed : undefined;
    const onEnd = (value: string | undefined): void => mending.end(cell, value);
    const field = (
      <MendField
        onBegin={() => isNew || mending.begin(cell)}
        name={`${name} of row ${row}`}
        value={text}
        typed={typed}
        isNew={isNew}
        onEnd={onEnd}
        onNext={onNext && (() => onNext(row))}
      />
    );
    return { shows: field, look: 'mending' };
  }
  const fault = faultIn(drawn, line, column);
  if (!isBought(column) && mendedAs(scene, row, name) !== undefined)
    return mendedCell(drawn, line, column, fault);
  if (fault) return { shows: faulty(text, fault), title: fault, look: 'bad' };
  const from = accountWords(cells[source ?? -1] ?? '').replace(/^list$/, 'yours');
  const shows = from ? [text, ' ', <small key={from}>{from}</small>] : text;
  if (wrong) return { shows, title: text, look: wrong };
  return { shows, title: text, look: isNumber(text) && isBought(column) ? 'num' : '' };
}

/** A mend can be taken back, and is judged as the cell was. */
function mendedCell(drawn: Drawn, line: Line, column: Column, fault: string | undefined): CellShown {
  const { row } = line;
  const { name } = column;
  const text = textOf(drawn, line, column);
  const before = boughtIn(line, column);
  const shows = (
    <>
      <Button
        look="link"
        says="↶"
        aria-label={`take back the mend of row ${row}, ${name}`}
        title="Takes the mend away, not what was bought"
        onClick={() => void mend(drawn.scene, { row, column: name }, null)}
      />{' '}
      {fault ? faulty(text, fault) : text}
    </>
  );
  if (fault) return { shows, title: fault, look: 'bad' };
  const title = before === text ? 'you mended this cell' : `was ${before || 'blank'}`;
  return { shows, title, look: 'mended' };
}

/** What is wrong with a cell, as far as it still says what was judged. */
export function faultIn(drawn: Drawn, line: Line, column: Column): string | undefined {
  const isJudged = textOf(drawn, line, column) === boughtIn(line, column);
  return isBought(column) || !isJudged ? undefined : line.faults?.[column.name]?.says;
}

const faulty = (text: string, fault: string) => (
  <span class="bad">
    <b aria-hidden="true">!</b> {text} <small>{fault}</small>
  </span>
);

/** The cells by which a row should be asked and cannot: those that its findings name, else all of them. */
export function wrongIn(drawn: Drawn, line: Line, sign: Sign | undefined): readonly Column[] {
  const inputColumns = drawn.columns.filter(({ kind }) => kind === 'asked');
  // Before a start each cell says itself what is wrong with it, except a blank one.
  if (line.becomes !== undefined && sign?.look !== 'warn') {
    const isSaid = inputColumns.some((column) => faultIn(drawn, line, column) !== undefined);
    return line.becomes.is === 'invalid' && !isSaid ? inputColumns : [];
  }
  const looks = [sign, ...stepSigns(line).values()].map((each) => each?.look);
  if (!looks.includes('bad') && sign?.look !== 'warn') return [];
  const inputs = (line.findings ?? []).flatMap(({ facts }) =>
    'input' in facts && 'cell' in facts ? facts.input : [],
  );
  const named = inputColumns.filter((column) => column.inputs.some((input) => inputs.includes(input)));
  if (named.length > 0) return named;
  return sign?.look === 'bad' && inputColumns.length > 0 ? inputColumns : keyOf(drawn);
}

/** The column by which it is asked first, else the first one of all. */
export function keyOf({ columns }: Drawn): readonly Column[] {
  const [firstInput] = columns.filter(({ kind }) => kind === 'asked');
  return firstInput === undefined ? columns.slice(0, 1) : [firstInput];
}

function cellWith({ says, title = says, look }: Sign, span: number): CellShown {
  return { shows: says, title, look: SIGN_LOOKS[look] ?? '', span };
}

/** The classes of cells in which a sign stands. What becomes of a person is coloured by the look of its row. */
const SIGN_LOOKS: Readonly<Partial<Record<Sign['look'], string>>> = {
  bad: 'bad',
  doubt: 'doubt',
  warn: 'doubt',
  soft: 'miss',
  out: 'miss',
};

/** A quantity. The digits of an ABN, or of a phone, stand where those of hers do. */
const isNumber = (text: string): boolean => /^-?\d[\d,.]*$/.test(text) && text.replace(/\..*/, '').length < 9;

/** What our own columns say of a row, in the place of its answers. */
interface Sign {
  readonly look: 'bad' | 'doubt' | 'soft' | 'out' | 'wait' | 'said' | 'warn' | TeamPart;
  readonly says: string;
  /** All of what is known; left out: no more than it says. */
  readonly title?: string;
}

export function signOf(drawn: Drawn, line: Line): Sign | undefined {
  if (line.unreadable !== undefined) return { look: 'bad', says: line.unreadable };
  const reason = line.says?.all ?? '';
  const ofSteps = [...stepSigns(line).values()].map(({ says }) => says).join('; ');
  switch (oursIn(drawn, line, '_status')) {
    case 'invalid':
    case 'refused':
      return {
        look: drawn.columns.some(isHappening) ? 'invalid' : 'bad',
        says: ofSteps || reason || UNUSABLE,
      };
    case 'in_doubt':
      return doubtOf(line.findings);
    case 'no_match':
      return { ...NOTHING, title: reason };
    case 'skipped':
      return leftOut(reason);
    case 'pending':
      return pendingSign(drawn, line, reason);
    case 'applied':
      return changedSign(isTakenBack(drawn.scene, line.row), reason, line.action);
    case 'unchanged':
      return { look: 'unchanged', says: reason };
    default:
      return foundSign(drawn, line, ofSteps === '' ? reason : '');
  }
}

const leftOut = (why?: string): Sign => ({ look: 'out', says: why ? `left out: ${why}` : 'left out' });

/** @param reason what was changed of the row so far, and what is left. */
function pendingSign(drawn: Drawn, line: Line, reason: string): Sign | undefined {
  if (reason !== '') return { look: 'warn', says: reason };
  return plannedSign(line) ?? (drawn.scene.isRunning ? waiting(drawn) : aheadSign(line));
}

/** Which of its rows a try asks is not known, so that none of them says that it waits. */
const waiting = ({ scene: { batch } }: Drawn): Sign | undefined =>
  batch?.trying === undefined ? { look: 'wait', says: '' } : undefined;

/** Of a row of which nothing was asked yet: why it will not be. */
function plannedSign({ becomes }: Line): Sign | undefined {
  switch (becomes?.is) {
    case 'invalid':
      return { look: 'bad', says: becomes.says ?? UNUSABLE };
    case 'in_doubt':
      return doubtOf();
    case 'skipped':
      return leftOut(becomes.says);
    case 'duplicates':
      return { look: 'soft', says: 'the same as a row above: free' };
    default:
      return undefined;
  }
}

/** Of a row in which something was found: nothing, unless that may be another's, or a cell has a fault. */
function foundSign(drawn: Drawn, line: Line, reason: string): Sign | undefined {
  const match = oursIn(drawn, line, '_match');
  if (match !== '' && !match.endsWith('(kept)')) return { look: 'warn', says: match };
  if (line.becomes !== undefined && reason === '') return plannedSign(line);
  if (reason === '') return undefined;
  // Else something was found by another cell, and the one by which it is asked first has a fault.
  return { look: line.results === undefined ? 'warn' : 'said', says: reason };
}

const changedSign = (isBack: boolean, reason: string, action?: string): Sign =>
  isBack ? { look: 'unchanged', says: `taken back: ${reason}` } : { look: partDone(action), says: reason };

/** Of a row of a list that came again, for which nothing is known. */
function aheadSign({ since, was = {} }: Line): Sign | undefined {
  const changed = Object.keys(was).join(', ');
  if (since === 'added') return { look: 'soft', says: 'new: will be looked up' };
  if (since === 'changed') return { look: 'soft', says: `${changed} changed: will be looked up` };
  return undefined;
}

const UNUSABLE = 'It cannot be used.';

function doubtOf(findings: Line['findings'] = []): Sign {
  const { credits, batch } = findings.find((each) => each.code === 'in_doubt')?.facts ?? {};
  const cost = credits === undefined || batch ? '' : `; it may have cost ${counted(credits, 'credit')}`;
  const { status } = findings.find((each) => each.code === 'answer')?.facts ?? {};
  const came = status === undefined ? 'no answer came' : `answered, neither yes nor no (status ${status})`;
  return { look: 'doubt', says: came + cost };
}

const NOTHING: Sign = { look: 'soft', says: 'nothing found' };

/** Why a step of several has found nothing, by the name of the step. */
function stepSigns({ findings = [], says }: Line): ReadonlyMap<string, Sign> {
  return new Map(
    Object.entries(says?.steps ?? {}).map(([step, words]): [string, Sign] => {
      const ofStep = findings.filter((each) => each.step === step);
      const [first] = ofStep;
      if (first?.code === 'no_match' || first?.code === 'address_not_taken')
        return [step, { ...NOTHING, title: says?.all ?? words }];
      if (first?.code === 'in_doubt') return [step, doubtOf(ofStep)];
      return [step, { look: first?.code === 'nothing_usable' ? 'bad' : 'soft', says: words }];
    }),
  );
}

const oursIn = ({ rows: { columns = [] } }: Drawn, { cells }: Line, name: string): string =>
  cells[columns.findIndex((column) => column.from === 'ours' && column.name === name)] ?? '';

/**
 * By its number a row keeps its field while she types, also where the rows above it leave the table. Others, and
 * a row that stands there twice, are known by their place.
 */
export function keysOf(numbers: readonly (number | undefined)[]): readonly (number | string)[] {
  const taken = new Set<number>();
  return numbers.map((number, place) => {
    if (number === undefined || taken.has(number)) return `place ${place}`;
    taken.add(number);
    return number;
  });
}
