import { Button, Select } from '../../parts/controls.tsx';
import { inputsOf, inputWords } from './columns.ts';
import { columnsOfHers, isTeam, type Scene } from './scene.ts';

const UNREAD = '';

interface AskedByProps {
  readonly scene: Scene;
  readonly operation: string;
}

/** By which of her columns is asked, in one sentence, and the choice of others. */
export function AskedBy({ scene, operation }: AskedByProps) {
  const { job, described, planned } = scene;
  const fit = described.value?.operations.find((each) => each.operation === operation);
  // A plan of something else that was chosen before may stand there still.
  const planColumns = planned.waits ? undefined : planned.value?.columns;
  const columns = planColumns ?? job.columns ?? fit?.columns ?? {};
  const asked = askedBy(columns, operation);
  const used = new Map(asked);
  // A choice of one column leaves no other to be guessed, so that all of them are kept with it.
  const put = (input: string, column: string): void => {
    const inSteps = Object.keys(columns).some((each) => each.includes('.'));
    const key = inSteps ? `${operation}.${input}` : input;
    scene.choose({ ...job, columns: { ...columns, [key]: column } });
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

/** The columns by which a step asks, under the names of its own inputs. */
function askedBy(columns: Readonly<Record<string, string>>, operation: string): [string, string][] {
  const own = Object.entries(columns).filter(
    ([input]) => !input.includes('.') || input.startsWith(`${operation}.`),
  );
  return own.map(([input, column]) => [input.replace(`${operation}.`, ''), column]);
}

/** `by ABN, then by Website`; what says only together who is meant is asked in one question. */
function sentenceOf(operation: string, asked: readonly [string, string][]): string {
  const names = asked.flatMap(([, column]) => (column === UNREAD ? [] : [column]));
  if (names.length === 0) return 'Asked by: choose a column';
  const isTogether = operation.startsWith('find-') || asked.some(([input]) => input === 'first_name');
  return isTogether ? `by ${names.join(', ')}` : names.map((name) => `by ${name}`).join(', then ');
}
