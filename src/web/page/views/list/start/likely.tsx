import { describedOperation } from '../../../../../core/described.ts';
import { inputWords, whatWords } from '../../../../../files/output/summary-words.ts';
import type { ListDescription } from '../../../../api.ts';
import { Button } from '../../../parts/controls.tsx';
import { NO_NAME } from '../columns.ts';
import {
  type Columns,
  findings,
  inputsOf,
  isOfTeam,
  operationsOf,
  searching,
  stepsOf,
  teaming,
  withAsked,
} from '../job.ts';
import type { Scene } from '../scene.ts';
import type { Accounts, OfAccounts } from './accounts.ts';
import { AT_COMPANIES, jobFor } from './begin.ts';

/** Things that could be done with the list if one of its columns were what it looks like: she says so by a click. */

/** Heads that say in other words what an input is. Their cells have to be text. */
const HEADS: Readonly<Record<string, RegExp>> = {
  company: /account|compan|organi[sz]|\b(?:firm|employer|business|customer|client|charity)/i,
  position: /position|job|title/i,
  seniority: /senior/i,
  department: /department|division/i,
  role: /role|access|permission|rights/i,
  project: /project|team|squad|workspace|group/i,
};

/** Whose column is no name of a company: `Account owner`. */
const OF_HERS = /owner|manager/i;

interface Meant {
  readonly operation: string;
  readonly input: string;
  /** One of these. */
  readonly columns: readonly string[];
  /** Which other columns are what. */
  readonly besides: Columns;
}

/** The columns that may be meant for the first input by which rows can be asked; undefined where none is. */
function meantFor(list: ListDescription, operation: string): Meant | undefined {
  const fit = list.operations.find((each) => each.operation === operation);
  if (fit === undefined) return undefined;
  const isSearch = describedOperation(operation)?.resultsFile !== undefined;
  const isByHead = isSearch || isOfTeam(operation);
  const taken = Object.values(fit.columns);
  const namesOf = (input: string): readonly string[] => {
    const likely = fit.likely.flatMap((each) => (each.input === input ? each.column : []));
    const head = isByHead ? HEADS[input] : undefined;
    const named = list.columns.filter(
      ({ name, looks_like: look, filled }) =>
        head?.test(name) && look === 'text' && filled > 0 && !(OF_HERS.test(name) || NO_NAME.test(name)),
    );
    return [...likely, ...named.map(({ name }) => name)].filter((name) => !taken.includes(name));
  };
  const inputs = isSearch ? ['company'] : isOfTeam(operation) ? ['email'] : inputsOf(operation);
  const input = inputs.find((each) => fit.columns[each] === undefined && namesOf(each).length > 0);
  if (input === undefined || (fit.problem === null && !isSearch)) return undefined;
  const columns = [...new Set(namesOf(input))].slice(0, 3);
  const others = isByHead ? inputsOf(operation).filter((each) => each !== input) : [];
  const besides = { ...fit.columns };
  for (const other of others) {
    const used = [...columns, ...Object.values(besides)];
    const [column, ...more] = namesOf(other).filter((name) => !used.includes(name));
    if (besides[other] === undefined && column && more.length === 0) besides[other] = column;
  }
  return { operation, input, columns, besides };
}

/** All that her list could be asked for, by what it is called. */
const JOBS = (): readonly (readonly [string, string])[] => [
  ...findings().map((name) => [name, `Find ${whatWords(name)}`] as const),
  ...searching().map((name) => [name, AT_COMPANIES] as const),
  ...teaming().map((name) => [name, 'Invite a team'] as const),
];

export function Likely({ scene, accounts }: OfAccounts) {
  const list = scene.described.value;
  const chosen = operationsOf(scene.job);
  if (list === undefined) return null;
  return JOBS().map(([operation, says]) => {
    const meant = chosen.includes(operation) ? undefined : meantFor(list, operation);
    if (meant === undefined) return null;
    return (
      <div key={operation} class="stack tight">
        <span class="soft">{says}:</span>
        {meant.columns.map((column) => (
          <Button
            key={column}
            look="link"
            says={`“${column}” is ${inputName(meant.input)}?`}
            aria-label={`${says}: “${column}” is ${inputName(meant.input)}`}
            onClick={() =>
              chooseOperation(scene, accounts, operation, { ...meant.besides, [meant.input]: column })
            }
          />
        ))}
        {Object.entries(meant.besides).length > 0 && (
          <small>
            {Object.entries(meant.besides)
              .map(([input, column]) => `“${column}” the ${inputWords(input)}`)
              .join(', ')}
          </small>
        )}
      </div>
    );
  });
}

const inputName = (input: string): string =>
  input === 'company' ? 'the company’s name' : `the ${inputWords(input)}`;

/** Does that with the list, by these columns. */
export function chooseOperation(scene: Scene, accounts: Accounts, operation: string, columns: Columns): void {
  const job = jobFor(scene, accounts, [operation]);
  const [step] = stepsOf(job);
  if (step !== undefined) scene.choose(withAsked(job, step, columns));
}

/** What a column could be, where nothing is chosen yet: an input of something that can be done. */
export const meanings = (): readonly (readonly [value: string, says: string])[] =>
  JOBS().flatMap(([operation, says]) =>
    inputsOf(operation).map((input) => [`${operation} ${input}`, `${says}: ${inputWords(input)}`] as const),
  );
