import { useSignal } from '@preact/signals';
import { inputWords } from '../../../../../files/output/summary-words.ts';
import { Loaded, lazyPart } from '../../../parts/asking.tsx';
import { Button, Select } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { type Column, columnsUsed, isBought, isHers, recognisedFor } from '../columns.ts';
import { canAskAgain } from '../course/again-asked.ts';
import { firstOf, proposedFor, valuesOf, whatOf } from '../fields.ts';
import {
  addedIn,
  bareName,
  fieldIn,
  inputColumnsOf,
  inputsOf,
  isFill,
  operationsOf,
  stepsOf,
  UNREAD,
  withAdded,
  withAsked,
} from '../job.ts';
import { type OfScene, rangesOf, type Scene } from '../scene.ts';
import type { OfAccounts } from '../start/accounts.ts';
import { chooseOperation, meanings } from '../start/likely.tsx';
import { ConditionOf, canFilter, Sorts } from './filters.tsx';
import type { HeadProps } from './sheet.tsx';

const AskAgain = lazyPart(async () => (await import('../course/again.tsx')).AskAgain);

/** What can be changed about a column. */
export function ColumnMenu({
  scene,
  rows,
  column,
  onHide,
  close,
}: HeadProps & { readonly close: () => void }) {
  const { before: name = column.name } = column;
  const isFiltered = canFilter(scene, column);
  const isMeant = scene.isPlanning.value && scene.list !== undefined && isHers(column);
  return (
    <div class="stack">
      {isMeant && <Meaning scene={scene} column={column} close={close} />}
      {isFiltered && scene.teamPlanned === undefined && <Sorts scene={scene} name={name} onSorted={close} />}
      {isFiltered && <ConditionOf scene={scene} column={column} />}
      {isBought(column) && canAskAgain(scene) && <AskInView scene={scene} rows={rows} column={column} />}
      <Button look="quiet" says="Hide this column" onClick={onHide} />
    </div>
  );
}

/** The step that fills the column, for the rows in view; it is planned once she wants to know the price. */
function AskInView({ scene, rows, column }: Pick<HeadProps, 'scene' | 'rows' | 'column'>) {
  const numbers = useSignal<readonly number[] | undefined>(undefined);
  const plan = async (): Promise<void> => {
    numbers.value = await rows.numbers();
  };
  const { value } = numbers;
  if (value === undefined) return <Button look="quiet" says="Ask the rows in view again…" onClick={plan} />;
  const what = `the ${counted(value.length, 'row')} in view`;
  return <AskAgain scene={scene} only={rangesOf(value)} step={column.operation} what={what} />;
}

/** What a column of hers means for what shall be done: an input, or a value that it gets. */
function Meaning({ scene, column, close }: OfScene & { readonly column: Column; close(): void }) {
  const operations = operationsOf(scene.job);
  if (operations.length === 0) return <FirstMeaning scene={scene} column={column} close={close} />;
  const filled = [...addedIn(scene.job)].flatMap(([field, name]) => (name === column.name ? field : []));
  const ofStep = (field: string): string => (operations.length > 1 ? `, from ${whatOf(field)}` : '');
  const inputs = new Set(operations.flatMap(inputsOf));
  const known = scene.planned.value?.fields?.map((field) => fieldIn(scene.job, field)) ?? [];
  const fields = new Set([...operations.flatMap(valuesOf), ...known, ...filled]);
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

/** The same where nothing is chosen yet: what the column is says what is done. */
const FirstMeaning = ({ scene, column, close }: OfScene & { readonly column: Column; close(): void }) => (
  <Loaded<Pick<OfAccounts, 'accounts'>> path="/accounts/list" body={{}}>
    {({ accounts }) => (
      <Select
        name={`“${column.name}” is`}
        value={UNREAD}
        options={[[UNREAD, 'yours, left alone'], ...meanings()]}
        onChosen={(meaning) => {
          const [operation = '', input = ''] = meaning.split(' ');
          chooseOperation(scene, accounts, operation, {
            ...recognisedFor(scene, operation),
            [input]: column.name,
          });
          close();
        }}
      />
    )}
  </Loaded>
);

/** The job in which the column means something else. */
function meantAs(scene: Scene, name: string, meaning: string): Scene['job'] {
  const added = new Map([...addedIn(scene.job)].filter(([, column]) => column !== name));
  const isFilled = bareName(meaning) !== meaning;
  if (isFilled) added.set(meaning, name);
  const filling = isFilled ? { on_existing: 'fill' as const } : {};
  let job = withAdded({ ...scene.job, ...filling, columns: columnsUsed(scene) }, added);
  // What has filled it until now fills another one.
  const bare = stepsOf(job).filter(({ add }) => isFill(job) && add === undefined);
  const wanted = bare.flatMap(({ operation }) => firstOf(operation));
  job = withAdded(job, new Map([...added, ...proposedFor({ ...scene, job }, wanted, [name])]));
  for (const step of stepsOf(job)) {
    const before = [...inputColumnsOf(job, step)].filter(([, column]) => column === name);
    const named = before.map(([input]) => [input, UNREAD]);
    if (inputsOf(step.operation).includes(meaning)) named.push([meaning, name]);
    job = withAsked(job, step, Object.fromEntries(named));
  }
  return job;
}
