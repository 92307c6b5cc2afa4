import { inputWords } from '../../../../files/output/summary-words.ts';
import { Select } from '../../parts/controls.tsx';
import { type Column, columnsUsed } from './columns.ts';
import { knownIn, proposedFor, valuesOf, wantedOf, whatOf } from './fields.tsx';
import {
  addedIn,
  askedIn,
  bareName,
  inputsOf,
  isFill,
  operationsOf,
  stepsOf,
  UNREAD,
  withAdded,
  withAsked,
} from './job.ts';
import type { Scene } from './scene.ts';

interface MeaningProps {
  readonly scene: Scene;
  readonly column: Column;
  readonly close: () => void;
}

/** What a column of hers means for what shall be done: an input, or a value that it gets. */
export function Meaning({ scene, column, close }: MeaningProps) {
  const operations = operationsOf(scene.job);
  if (operations.length === 0) return <p class="soft">Choose first what shall be done with the list.</p>;
  const filled = [...addedIn(scene.job)].flatMap(([field, name]) => (name === column.name ? field : []));
  const ofStep = (field: string): string => (operations.length > 1 ? `, from ${whatOf(field)}` : '');
  const inputs = new Set(operations.flatMap(inputsOf));
  const fields = new Set([...operations.flatMap(valuesOf), ...knownIn(scene), ...filled]);
  const options: readonly (readonly [string, string])[] = [
    [UNREAD, 'yours, left alone'],
    ...[...inputs].map((input) => [input, `asked by: ${inputWords(input)}`] as const),
    ...[...fields].map(
      (field) => [field, `filled where blank: ${inputWords(field)}${ofStep(field)}`] as const,
    ),
  ];
  return (
    <Select
      name={`“${column.name}” is`}
      value={[...column.inputs, ...filled, UNREAD][0]}
      options={options}
      onChosen={(meaning) => {
        scene.choose(meantAs(scene, column.name, meaning));
        close();
      }}
    />
  );
}

/** The job in which the column means something else. */
function meantAs(scene: Scene, name: string, meaning: string): Scene['job'] {
  const added = new Map([...addedIn(scene.job)].filter(([, column]) => column !== name));
  const isFilled = bareName(meaning) !== meaning;
  if (isFilled) added.set(meaning, name);
  const filling = isFilled ? { on_existing: 'fill' as const } : {};
  let job = withAdded({ ...scene.job, ...filling, columns: columnsUsed(scene) }, added);
  // What has filled it until now fills another one.
  const bare = stepsOf(job).filter(({ add }) => isFill(job) && add === undefined);
  const wanted = bare.map(({ operation }) => wantedOf(operation));
  job = withAdded(job, new Map([...added, ...proposedFor({ ...scene, job }, wanted, [name])]));
  for (const step of stepsOf(job)) {
    const before = [...askedIn(job, step)].filter(([, column]) => column === name);
    const named = before.map(([input]) => [input, UNREAD]);
    if (inputsOf(step.operation).includes(meaning)) named.push([meaning, name]);
    job = withAsked(job, step, Object.fromEntries(named));
  }
  return job;
}
