import { inputWords } from '../../../../files/output/summary-words.ts';
import { Select } from '../../parts/controls.tsx';
import { columnsUsed } from './columns.ts';
import { askedIn, inputsOf, type Step, tierOf, UNREAD, withAsked } from './job.ts';
import { Ordered } from './ordered.tsx';
import { columnsOfHers, isTeam, type Scene } from './scene.ts';

interface AskedByProps {
  readonly scene: Scene;
  readonly step: Step;
}

const TOGETHER = ['first_name', 'last_name', 'full_name', 'company', 'country'];

/** By which of her columns is asked, in one sentence, and the choice of others and of their order. */
export function AskedBy({ scene, step }: AskedByProps) {
  const { described, planned, choose } = scene;
  const { operation } = step;
  const job = { ...scene.job, columns: columnsUsed(scene) };
  const asked = askedIn(job, step);
  // These say only together who is meant, so that they are asked in one question.
  const isTogether = operation.startsWith('find-') || TOGETHER.some((input) => asked.has(input));
  const names = [...asked.values()].join(isTogether ? ', ' : ', then by ');
  const order = (inputs: readonly string[]): void => {
    const left = [...asked.keys()].filter((input) => !inputs.includes(input));
    const unread = Object.fromEntries(left.map((input) => [input, UNREAD]));
    const waterfall = inputs.map((input) => tierOf(input, asked));
    choose(withAsked(job, step, unread, waterfall));
  };
  // Who has one role for all has no column of roles.
  const inputs = inputsOf(operation).filter((input) => input !== 'role' || job.role === undefined);
  return (
    <details open={planned.refused !== undefined && described.value !== undefined}>
      <summary>
        {isTeam(scene) ? 'Which column is what' : names === '' ? 'Asked by: choose a column' : `by ${names}`}
      </summary>
      {asked.size > 1 && !isTogether && !isTeam(scene) && (
        <Ordered
          verb="Ask by"
          items={[...asked].map(([key, says]) => ({ key, says, more: inputWords(key) }))}
          onOrdered={order}
        />
      )}
      {inputs.map((input) => (
        <Select
          key={input}
          name={inputWords(input)}
          value={asked.get(input) ?? UNREAD}
          options={[[UNREAD, 'in none'], ...columnsOfHers(scene)]}
          onChosen={(column) => choose(withAsked(job, step, { [input]: column }))}
        />
      ))}
    </details>
  );
}
