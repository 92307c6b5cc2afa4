import { inputWords } from '../../../../../files/output/summary-words.ts';
import { Select } from '../../../parts/controls.tsx';
import { columnsUsed } from '../columns.ts';
import { inputColumnsOf, inputsOf, type Step, tierOf, UNREAD, withAsked } from '../job.ts';
import { columnsOfHers, isTeam, type OfScene } from '../scene.ts';
import { Ordered } from './ordered.tsx';

interface AskedProps extends OfScene {
  readonly step: Step;
  /** Its inputs say only together who is meant, so that they are asked in one question. */
  readonly isTogether: boolean;
}

/** The choice of other columns by which is asked, and of their order. */
export function AskedByChoice({ scene, step, isTogether }: AskedProps) {
  const { choose } = scene;
  const job = { ...scene.job, columns: columnsUsed(scene) };
  const columnsByInput = inputColumnsOf(job, step);
  const order = (inputs: readonly string[]): void => {
    const otherInputs = [...columnsByInput.keys()].filter((input) => !inputs.includes(input));
    const unread = Object.fromEntries(otherInputs.map((input) => [input, UNREAD]));
    const waterfall = inputs.map((input) => tierOf(input, columnsByInput));
    choose(withAsked(job, step, unread, waterfall));
  };
  // Who has one role for all has no column of roles.
  const inputs = inputsOf(step.operation).filter((input) => input !== 'role' || job.role === undefined);
  return (
    <div class="stack">
      {columnsByInput.size > 1 && !isTogether && !isTeam(scene) && (
        <Ordered
          verb="Ask by"
          items={[...columnsByInput].map(([key, says]) => ({ key, says, more: inputWords(key) }))}
          onOrdered={order}
        />
      )}
      {inputs.map((input) => (
        <Select
          key={input}
          name={inputWords(input)}
          value={columnsByInput.get(input) ?? UNREAD}
          options={[[UNREAD, 'in none'], ...columnsOfHers(scene)]}
          onChosen={(column) => choose(withAsked(job, step, { [input]: column }))}
        />
      ))}
    </div>
  );
}
