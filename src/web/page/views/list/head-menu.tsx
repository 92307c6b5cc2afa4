import { Button, Select } from '../../parts/controls.tsx';
import { Popover } from '../../parts/popover.tsx';
import { withColumns } from './choice.ts';
import { addedIn, type Column, inputsOf, inputWords, kindWords, operationsIn } from './columns.ts';
import { type Filter, type Scene, teamPlan } from './scene.ts';

interface HeadProps {
  readonly scene: Scene;
  readonly column: Column;
  /** What it says in the row that the keys are at. */
  readonly value: string;
  readonly onHide: () => void;
}

/** The head of a column: her name for it, what it is, and what can be changed about that. */
export function ColumnHead(props: HeadProps) {
  const { scene, column } = props;
  const says = (
    <>
      <span class="cut">{column.name}</span>
      <small class={column.kind}>
        {kindWords(column, scene.isRunning)} <span aria-hidden="true">⌄</span>
      </small>
    </>
  );
  return (
    <Popover name={`The column ${column.name}`} says={says} look="head">
      {(close) => <Menu {...props} close={close} />}
    </Popover>
  );
}

function Menu({ scene, column, value, onHide, close }: HeadProps & { readonly close: () => void }) {
  const { filter } = scene;
  const { name, at } = column;
  const isMeant = scene.isPlanning.value && scene.list !== undefined && at !== undefined;
  const show = (shown: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...shown };
    close();
  };
  return (
    <>
      {isMeant && <Meaning scene={scene} column={column} close={close} />}
      {teamPlan(scene) === undefined && at !== undefined && (
        <>
          <p class="row">
            <Button look="pill" says="Sort A to Z" onClick={() => show({ sort: name })} />
            <Button look="pill" says="Sort Z to A" onClick={() => show({ sort: `-${name}` })} />
          </p>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const only = String(new FormData(event.currentTarget).get('only'));
              show({ where: { ...filter.value.where, [name]: only } });
            }}
          >
            <label class="field">
              Only rows with
              <input name="only" defaultValue={value} />
            </label>
            <Button look="pill" type="submit" says="Show only these" />
          </form>
        </>
      )}
      <Button look="pill" says="Hide this column" onClick={onHide} />
    </>
  );
}

const LEFT = '';
const FILLED = 'fill:';

/** What a column of hers means for what shall be done. */
function Meaning({
  scene,
  column,
  close,
}: Pick<HeadProps, 'scene' | 'column'> & { readonly close: () => void }) {
  const { job, planned } = scene;
  const operations = operationsIn(scene);
  if (operations.length === 0) return <p class="soft">Choose first what shall be done with the list.</p>;
  const fields = fieldsToFill(operations, planned.value?.fields ?? []);
  const path = addedIn(job)[column.name];
  const value = column.inputs[0] ?? (path === undefined ? LEFT : FILLED + path);
  const options: readonly (readonly [string, string])[] = [
    [LEFT, 'yours, left alone'],
    ...inputsOf(operations).map((input) => [input, `asked by: ${inputWords(input)}`] as const),
    ...[...new Set([...fields, ...(path === undefined ? [] : [path])])].map(
      (field) => [FILLED + field, `filled where blank: ${inputWords(field)}`] as const,
    ),
  ];
  return (
    <Select
      name={`“${column.name}” is`}
      value={value}
      options={options}
      onChosen={(meaning) => {
        scene.choose(meantAs(scene, column, meaning));
        close();
      }}
    />
  );
}

const FOUND_BY: Readonly<Record<string, string>> = { 'find-email': 'email', 'find-phone': 'phone' };

const fieldsToFill = (operations: readonly string[], known: readonly string[]): readonly string[] => [
  ...operations.flatMap((name) => FOUND_BY[name] ?? []),
  ...known,
];

/**
 * The job in which the column means something else. An input that is blank is left unread; what is used
 * unasked is kept with it, because a choice of one column leaves no other to be guessed.
 */
function meantAs({ job, planned }: Scene, { name, inputs }: Column, meaning: string): Scene['job'] {
  const { [name]: _, ...others } = job.add ?? {};
  const unread = Object.fromEntries(inputs.map((input) => [input, '']));
  const columns = { ...(planned.value?.columns ?? job.columns), ...unread };
  const { add: __, ...rest } = job;
  if (meaning.startsWith(FILLED)) {
    const add = { ...others, [name]: meaning.slice(FILLED.length) };
    return withColumns({ ...rest, add, on_existing: 'fill' }, columns);
  }
  const asked = meaning === LEFT ? columns : { ...columns, [meaning]: name };
  return withColumns({ ...rest, ...(Object.keys(others).length === 0 ? {} : { add: others }) }, asked);
}
