import { Form } from '../../parts/act.tsx';
import { Button, Field } from '../../parts/controls.tsx';
import { late } from '../../parts/late.tsx';
import { Popover } from '../../parts/popover.tsx';
import { type Column, isHers, kindWords } from './columns.ts';
import { type Filter, type Scene, teamPlan } from './scene.ts';

const Meaning = late(async () => (await import('./meaning.tsx')).Meaning);

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
      <b>{column.name}</b>
      <small class={column.kind === 'asked' ? 'good' : ''}>
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
  const { at, isBelow = false, before: name = column.name } = column;
  const isMeant = scene.isPlanning.value && scene.list !== undefined && isHers(column);
  const show = (shown: Partial<Filter>): void => {
    filter.value = { ...filter.value, ...shown };
    close();
  };
  return (
    <>
      {isMeant && <Meaning scene={scene} column={column} close={close} />}
      {teamPlan(scene) === undefined && at !== undefined && !isBelow && (
        <>
          <p class="row">
            <Button says="Sort A to Z" onClick={() => show({ sort: name })} />
            <Button says="Sort Z to A" onClick={() => show({ sort: `-${name}` })} />
          </p>
          <Form
            says="Show only these"
            sends={async ({ only = '' }) => show({ where: { ...filter.value.where, [name]: String(only) } })}
          >
            <Field says="Only rows with" name="only" defaultValue={value} />
          </Form>
        </>
      )}
      <Button says="Hide this column" onClick={onHide} />
    </>
  );
}
