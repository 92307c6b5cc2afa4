import { Fragment } from 'preact';
import { lazyPart } from '../../../parts/asking.tsx';
import { Button, Checkbox, Popover } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import { isNarrow } from '../../../parts/narrow.ts';
import type { Column } from '../columns.ts';
import { conditionsIn, conditionWords } from '../conditions.ts';
import { isForStart, isOfJob, jobWith, withoutCondition } from '../conditions-changed.ts';
import { EVERYTHING, type Filter, isTiled, type OfScene, rangesOf, rowsMended } from '../scene.ts';

const AnotherFilter = lazyPart(async () => (await import('./another-filter.tsx')).AnotherFilter);
const ConditionOn = lazyPart(async () => (await import('./filters.tsx')).ConditionOn);
const AskAgain = lazyPart(async () => (await import('../course/again.tsx')).AskAgain);

interface ChipsProps extends OfScene {
  readonly columns: readonly Column[];
  readonly canAsk: boolean;
  readonly onCopy: () => Promise<void>;
}

/** What is left out of the table, each with the click that brings it back, and what is selected. */
export function Chips({ scene, columns, canAsk, onCopy }: ChipsProps) {
  const { filter, selected } = scene;
  const { where, sort, wrong, only } = filter.value;
  const conditions = conditionsIn(filter.value);
  const others = Object.entries(where).filter(([name]) => !isTiled(name));
  const { size } = selected.value;
  const chip = (says: string, without: Partial<Filter>) => (
    <button
      key={says}
      type="button"
      class="chip"
      aria-pressed
      onClick={() => (filter.value = { ...filter.value, ...without })}
    >
      {says} ✕
    </button>
  );
  return (
    <div class="bar chips">
      {only !== undefined && chip(`only row${/[,-]/.test(only) ? 's' : ''} ${only}`, { only: undefined })}
      {wrong &&
        chip(`${wrong.which === 'near' ? 'perhaps mistyped' : 'wrong'} in ${wrong.column}`, {
          wrong: undefined,
        })}
      {sort !== undefined && chip(`sorted by ${sort.replace(/^-/, '')}`, { sort: undefined })}
      {others.map(([name, value]) => {
        const { [name]: _, ...otherConditions } = where;
        return chip(`${name}: ${value || 'blank'}`, { where: otherConditions });
      })}
      {conditions.map((condition) => {
        const { column: name } = condition;
        const column = columns.find((each) => (each.before ?? each.name) === name);
        const says = conditionWords(condition);
        const away = (): void => {
          filter.value = withoutCondition(filter.value, name);
        };
        return (
          <Fragment key={name}>
            <Popover name={`The filter on ${name}`} says={`${says} ▾`} class="chip">
              {() => column && <ConditionOn scene={scene} column={column} />}
            </Popover>
            <Button look="quiet" says="✕" aria-label={`Take away: ${says}`} onClick={away} />
          </Fragment>
        );
      })}
      {conditions.length > 0 && !isNarrow.value && (
        <Popover name="Another filter" says="+ Filter" look="quiet">
          {() => <AnotherFilter scene={scene} columns={columns} />}
        </Popover>
      )}
      {conditions.length > 0 && size === 0 && <Kept scene={scene} />}
      {size > 0 && <Chosen scene={scene} canAsk={canAsk} onCopy={onCopy} />}
    </div>
  );
}

/** Rows that are filtered out are left out of the start as well, if she says so. */
function Kept({ scene }: OfScene) {
  const { filter, job } = scene;
  if (!isForStart(scene, filter.value)) return null;
  const keep = (isOn: boolean): void =>
    scene.choose(jobWith(job, isOn ? filter.value : { only_if: {}, unless: {} }));
  return (
    <span class="end">
      <Checkbox
        says="Look up only these, also next time"
        checked={isOfJob(job, filter.value)}
        onCheck={keep}
      />
    </span>
  );
}

function Chosen({ scene, canAsk, onCopy }: Omit<ChipsProps, 'columns'>) {
  const { selected, isRunning, batch, filter } = scene;
  const only = rangesOf(selected.value);
  // Of a list that is done there is nothing to start: its rows can be asked again.
  const isOpen = batch?.state === 'open' || batch?.changes !== undefined || rowsMended(scene) > 0;
  const startOnly = (): void => {
    filter.value = { ...EVERYTHING, only };
    scene.isPlanning.value = true;
  };
  const none = (): void => {
    selected.value = new Set();
    filter.value = { ...filter.value, only: undefined };
  };
  return (
    <span class="end">
      <b>{grouped(selected.value.size)} selected</b>
      <Button look="quiet" says="None" onClick={none} />
      <Button look="quiet" says="Copy" onClick={onCopy} />
      {scene.list !== undefined && isOpen && !isRunning && !scene.isPlanning.value && (
        <Button look="quiet" says="Start only these" onClick={startOnly} />
      )}
      {canAsk && <AskAgain scene={scene} only={only} />}
    </span>
  );
}
