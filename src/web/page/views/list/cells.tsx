import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Bar } from '../../../../files/output/report/table.ts';
import { accountWords } from '../../../../files/output/summary-words.ts';
import { Button, Facts } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import type { Line, Lines } from '../../parts/lines.ts';
import { type Column, isBought } from './columns.ts';
import { MendField, type Mending, mend, mendedAs } from './mends.tsx';
import { isTakenBack, type OfScene } from './scene.ts';
import { markOf, partDone, type TeamPart } from './team.ts';

/** What stands in the cells of a row: hers, the bought ones, and a sign in the place of those. */

export interface Drawn extends OfScene {
  readonly rows: Lines;
  readonly columns: readonly Column[];
  readonly mending: Mending;
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
  return columns.map((column, at) => {
    const said = signs[at];
    if (said === undefined) {
      const cell = cellOf(drawn, line, column, wrong.includes(column));
      return at === 0 && sign && !signs.includes(sign) ? { ...cell, title: sign.says } : cell;
    }
    if (said.look === 'wait') return WAITS;
    if (signs[at - 1] === said) return { shows: '', span: 0 };
    const end = signs.findIndex((each, place) => place > at && each !== said);
    const span = (end === -1 ? signs.length : end) - at;
    return { shows: said.says, title: said.title ?? said.says, look: said.look, span };
  });
}

const WAITS: CellShown = { shows: <Bar part={0} all={1} says="still to come" /> };

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

function cellOf(drawn: Drawn, line: Line, column: Column, isWrong: boolean): CellShown {
  const { scene, mending } = drawn;
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
        key={text}
        name={`${name} of row ${row}`}
        value={text}
        typed={typed}
        isNew={isNew}
        onEnd={onEnd}
      />
    );
    return { shows: field, look: 'mending' };
  }
  if (!isBought(column) && mendedAs(scene, row, name) !== undefined) {
    const before = boughtIn(line, column);
    const back = (): void => void mend(scene, cell, null);
    const shows = (
      <>
        <Button
          look="link"
          says="↶"
          aria-label={`take back the mend of row ${row}, ${name}`}
          title="Takes the mend away, not what was bought"
          onClick={back}
        />{' '}
        {text}
      </>
    );
    const title = before === text ? 'you mended this cell' : `was ${before || 'blank'}`;
    return { shows, title, look: 'mended' };
  }
  const from = accountWords(cells[source ?? -1] ?? '').replace(/^list$/, 'yours');
  const shows = from ? [text, ' ', <small key={from}>{from}</small>] : text;
  if (isWrong) return { shows, title: text, look: 'wrong' };
  return { shows, title: text, look: isNumber(text) && isBought(column) ? 'num' : '' };
}

/** The cells by which a row should be asked and cannot: those that its findings name, else all of them. */
function wrongIn(drawn: Drawn, line: Line, sign: Sign | undefined): readonly Column[] {
  const looks = [sign, ...stepSigns(line).values()].map((each) => each?.look);
  if (!looks.includes('bad') && sign?.look !== 'warn') return [];
  const asked = drawn.columns.filter(({ kind }) => kind === 'asked');
  const inputs = (line.findings ?? []).flatMap(({ facts }) =>
    'input' in facts && 'cell' in facts ? facts.input : [],
  );
  const named = asked.filter((column) => column.inputs.some((input) => inputs.includes(input)));
  if (named.length > 0) return named;
  return sign?.look === 'bad' && asked.length > 0 ? asked : drawn.columns.slice(0, 1);
}

const isNumber = (text: string): boolean => /^-?\d[\d,.]*$/.test(text);

/** What our own columns say of a row, in the place of its answers. */
interface Sign {
  readonly look: 'bad' | 'doubt' | 'soft' | 'wait' | 'said' | 'warn' | TeamPart;
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
      return NOTHING;
    case 'skipped':
      return { look: 'soft', says: `left out${reason === '' ? '' : `: ${reason}`}` };
    case 'pending':
      return drawn.scene.isRunning ? { look: 'wait', says: '' } : undefined;
    case 'applied':
      return changedSign(isTakenBack(drawn.scene, line.row), reason, line.action);
    case 'unchanged':
      return { look: 'unchanged', says: reason };
    default:
      return foundSign(drawn, line, ofSteps === '' ? reason : '');
  }
}

/** Of a row in which something was found: nothing, unless that may be another's, or a cell has a fault. */
function foundSign(drawn: Drawn, line: Line, reason: string): Sign | undefined {
  const match = oursIn(drawn, line, '_match');
  if (match !== '' && !match.endsWith('(kept)')) return { look: 'warn', says: match };
  if (reason === '') return undefined;
  // Else something was found by another cell, and the one by which it is asked first has a fault.
  return { look: line.results === undefined ? 'warn' : 'said', says: reason };
}

const changedSign = (isBack: boolean, reason: string, action?: string): Sign =>
  isBack ? { look: 'unchanged', says: `taken back: ${reason}` } : { look: partDone(action), says: reason };

const UNUSABLE = 'It cannot be used as it is.';

function doubtOf(findings: Line['findings'] = []): Sign {
  const credits = findings.find((each) => each.code === 'in_doubt')?.facts.credits;
  const cost = credits === undefined ? '' : `; it may have cost ${counted(credits, 'credit')}`;
  return { look: 'doubt', says: `no answer came${cost}` };
}

const NOTHING: Sign = { look: 'soft', says: 'nothing found' };

/** Why a step of several has found nothing, by the name of the step. */
function stepSigns({ findings = [], says }: Line): ReadonlyMap<string, Sign> {
  return new Map(
    Object.entries(says?.steps ?? {}).map(([step, words]): [string, Sign] => {
      const own = findings.filter((each) => each.step === step);
      const [first] = own;
      if (first?.code === 'no_match' || first?.code === 'address_not_taken')
        return [step, { ...NOTHING, title: says?.all ?? words }];
      if (first?.code === 'in_doubt') return [step, doubtOf(own)];
      return [step, { look: first?.code === 'nothing_usable' ? 'bad' : 'soft', says: words }];
    }),
  );
}

const oursIn = ({ rows: { columns = [] } }: Drawn, { cells }: Line, name: string): string =>
  cells[columns.findIndex((column) => column.from === 'ours' && column.name === name)] ?? '';

/** The filters stand below the cards, so few are shown at first. */
const PORTION = 10;

/** The rows on a telephone: each is a card, with its fault below the field that it is about. */
export function Cards({ drawn }: { readonly drawn: Drawn }) {
  const { rows } = drawn;
  const shown = useSignal(PORTION);
  const to = Math.min(shown.value, rows.count);
  useEffect(() => rows.see(0, to), [rows, to]);
  const lines = Array.from({ length: to }, (_, index) => rows.at(index) ?? []).flat();
  return (
    <>
      <ul class="cards" aria-label="Rows">
        {lines.map((line, index) => (
          <Card key={index} drawn={drawn} line={line} />
        ))}
      </ul>
      {to < rows.count && <Button says="More rows" onClick={() => (shown.value += PORTION)} />}
    </>
  );
}

function Card({ drawn, line }: { readonly drawn: Drawn; readonly line: Line }) {
  const { scene, columns } = drawn;
  const { begin } = drawn.mending;
  const { row, planned } = line;
  const [key, ...others] = columns;
  if (key === undefined) return null;
  const [first, ...cells] = cellsOf(drawn, line);
  const sign = signOf(drawn, line);
  const fault = sign?.look === 'bad' ? sign.says : undefined;
  const canMend = scene.list !== undefined && key.at !== undefined && row > 0;
  const wrong = wrongIn(drawn, line, sign);
  const correct = ({ name: column }: Column) => (
    <Button key={column} look="link" says={`Correct ${column}`} onClick={() => begin({ row, column })} />
  );
  const open = (): number => (scene.opened.value = row);
  return (
    <li>
      <p class="row soft">
        <b>{markOf(sign?.look ?? planned?.look)}</b>
        {row > 0 && <Button look="link" id={`row-${row}`} says={`Row ${row}`} onClick={open} />}
        {canMend && (wrong.length > 0 ? wrong : [key]).map(correct)}
      </p>
      {(first?.shows || row > 0) && (
        <p>
          <small>{key.name}</small> <b>{first?.shows || 'blank'}</b>
        </p>
      )}
      {fault && <p class="bad">{fault}</p>}
      <Facts
        of={others.map((column, at) => [
          column.name,
          fault && isBought(column) ? '' : (cells[at]?.shows ?? ''),
        ])}
      />
    </li>
  );
}
