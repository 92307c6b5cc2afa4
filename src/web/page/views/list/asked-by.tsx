import { Button, Select } from '../../parts/controls.tsx';
import { stepsOf, withColumns, withSteps } from './choice.ts';
import { inputsOf, inputWords } from './columns.ts';
import { Ordered } from './ordered.tsx';
import { columnsOfHers, isTeam, type Scene } from './scene.ts';

const UNREAD = '';

interface AskedByProps {
  readonly scene: Scene;
  readonly operation: string;
}

/** By which of her columns is asked, in one sentence, and the choice of others and of their order. */
export function AskedBy({ scene, operation }: AskedByProps) {
  const { job, described, planned } = scene;
  const fit = described.value?.operations.find((each) => each.operation === operation);
  // A plan of something else that was chosen before may stand there still.
  const planColumns = planned.waits ? undefined : planned.value?.columns;
  const columns = planColumns ?? job.columns ?? fit?.columns ?? {};
  const steps = stepsOf(job);
  const { waterfall } = steps.find((step) => step.operation === operation) ?? {};
  const asked = inOrder(askedBy(columns, operation), waterfall);
  const used = new Map(asked);
  const keyOf = (input: string): string => (steps.length > 1 ? `${operation}.${input}` : input);
  // A choice of one column leaves no other to be guessed, so that all of them are kept with it.
  const put = (input: string, column: string): void =>
    scene.choose(withColumns(job, { ...columns, [keyOf(input)]: column }));
  const order = (inputs: readonly string[]): void => {
    const left = asked.filter(([input]) => !inputs.includes(input)).map(([input]) => [keyOf(input), UNREAD]);
    const waterfall = inputs.flatMap((input) => [
      ...(used.has('domain') ? [] : (READ_FROM[input] ?? [])),
      input,
    ]);
    const next = steps.map((step) => (step.operation === operation ? { ...step, waterfall } : step));
    scene.choose(withSteps({ ...job, columns: { ...columns, ...Object.fromEntries(left) } }, next));
  };
  const likely = (fit?.likely ?? []).filter(({ input }) => !used.has(input));
  // Who has one role for all has no column of roles.
  const inputs = inputsOf([operation]).filter((input) => input !== 'role' || job.role === undefined);
  return (
    <>
      {likely.map(({ input, column, because }) => (
        <p class="row" key={input}>
          “{column}” may be the {inputWords(input)}: {because}.
          <Button look="pill" says="Ask by it" onClick={() => put(input, column)} />
        </p>
      ))}
      <details open={planned.refused !== undefined}>
        <summary>{isTeam(scene) ? 'Which column is what' : sentenceOf(operation, asked)}</summary>
        {asked.length > 1 && !isTeam(scene) && !isTogether(operation, asked) && (
          <Ordered
            verb="Ask by"
            items={asked.map(([input, column]) => ({ key: input, says: column, more: inputWords(input) }))}
            onOrdered={order}
          />
        )}
        {inputs.map((input) => (
          <Select
            key={input}
            name={inputWords(input)}
            value={used.get(input) ?? UNREAD}
            options={[[UNREAD, 'in none'], ...columnsOfHers(scene)]}
            onChosen={(column) => put(input, column)}
          />
        ))}
      </details>
    </>
  );
}

/** What is asked first because it can be read out of the same cell. */
const READ_FROM: Readonly<Record<string, readonly string[]>> = { website: ['domain'] };

type Asked = readonly (readonly [input: string, column: string])[];

/** The columns by which a step asks, under the names of its own inputs. */
const askedBy = (columns: Readonly<Record<string, string>>, operation: string): Asked =>
  Object.entries(columns)
    .filter(
      ([input, column]) => column !== UNREAD && (!input.includes('.') || input.startsWith(`${operation}.`)),
    )
    .map(([input, column]) => [input.replace(`${operation}.`, ''), column]);

/** What an order does not name is not asked by. */
const inOrder = (asked: Asked, waterfall: readonly unknown[] | undefined): Asked =>
  waterfall === undefined ? asked : waterfall.flatMap((tier) => asked.filter(([input]) => input === tier));

const TOGETHER = ['first_name', 'last_name', 'full_name', 'company', 'country'];

/** Whether what is asked says only together who is meant. */
const isTogether = (operation: string, asked: Asked): boolean =>
  operation.startsWith('find-') || asked.some(([input]) => TOGETHER.includes(input));

/** `by ABN, then by Website`; what says only together who is meant is asked in one question. */
function sentenceOf(operation: string, asked: Asked): string {
  const names = asked.map(([, column]) => column);
  if (names.length === 0) return 'Asked by: choose a column';
  if (isTogether(operation, asked)) return `by ${names.join(', ')}`;
  return names.map((name) => `by ${name}`).join(', then ');
}
