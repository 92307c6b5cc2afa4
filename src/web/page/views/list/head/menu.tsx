import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ListErasure, ListView } from '../../../../api.ts';
import { Act, Loaded, RefusedNotice } from '../../../parts/asking.tsx';
import { useBringing } from '../../../parts/bring-here.tsx';
import { Button, Choice, Field } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { Form } from '../../../parts/form.tsx';
import { ask } from '../../../session.ts';
import type { OfScene } from '../scene.ts';
import { Ending } from './ending.tsx';

/** What is done with a list as a whole, and seldom: another name, and its end. */

interface MenuProps {
  readonly list: ListView;
  readonly close: () => void;
}

export function ListMenu({ scene, list, close }: OfScene & MenuProps) {
  const isEnding = useSignal(false);
  const { batch } = scene;
  if (isEnding.value && batch?.state === 'open')
    return (
      <div class="stack">
        <p>“{list.name}” can go on. Stop it for good, and it can be deleted.</p>
        <div class="bar">
          <Ending scene={scene} batch={batch} />
        </div>
      </div>
    );
  if (isEnding.value)
    return (
      <Loaded<ListErasure> path={`/lists/${list.id}/erasure`}>
        {(erasure) => <Deletion list={list} {...erasure} />}
      </Loaded>
    );
  return (
    <div class="stack">
      <Form
        says="Rename"
        sends={async ({ name = '' }) => {
          await ask(`/lists/${list.id}/name`, { method: 'PUT', body: { name } });
          close();
        }}
      >
        <Field says="Name of the list" name="name" defaultValue={list.name} />
      </Form>
      <Newer list={list} close={close} />
      <Button says="Delete the list…" onClick={() => (isEnding.value = true)} />
    </div>
  );
}

/** The next version of the list, whatever its file is called. */
function Newer({ list: { id }, close }: MenuProps) {
  const input = useRef<HTMLInputElement>(null);
  const { isBusy, refused, take } = useBringing({ as: id, then: close });
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      <Button says="Bring a newer file…" disabled={isBusy.value} onClick={() => input.current?.click()} />
      <RefusedNotice refused={refused.value} />
    </>
  );
}

type DeletionProps = Pick<MenuProps, 'list'> & ListErasure;

/** What was bought stays known, or goes as well: she chooses, and sees what that would cost again. */
function Deletion({ list, answers, credits, shared, changed_people: hasChanged }: DeletionProps) {
  const isErasing = useSignal(false);
  const end = async (): Promise<void> => {
    const query = isErasing.value ? `?erase=${answers}` : '';
    await ask(`/lists/${list.id}${query}`, { method: 'DELETE' });
    location.href = '/';
  };
  const boughtAnswers = answers + shared;
  const asks = `Erase ${counted(answers, 'answer')} for good? They cost ${counted(credits, 'credit')}.`;
  return (
    <div class="stack">
      <h2>Delete “{list.name}”</h2>
      {hasChanged && <p class="soft">Who was invited, and with which role, stays known.</p>}
      {boughtAnswers > 0 && (
        <fieldset class="stack tight">
          <legend>What was bought for it</legend>
          <Choice
            group="erase"
            says="stays known"
            more={`${counted(boughtAnswers, 'answer')}, free next time`}
            checked={!isErasing.value}
            onChosen={() => (isErasing.value = false)}
          />
          {answers > 0 && (
            <Choice
              group="erase"
              says="is erased, too"
              more={`${counted(answers, 'answer')}, ${counted(credits, 'credit')}`}
              checked={isErasing.value}
              onChosen={() => (isErasing.value = true)}
            />
          )}
        </fieldset>
      )}
      {isErasing.value && (
        <p class="need">
          To ask for them again costs again.{' '}
          {shared > 0 &&
            `${counted(shared, 'answer stays', 'answers stay')}: other lists have the same rows.`}
        </p>
      )}
      <Act
        says={isErasing.value ? 'Delete and erase' : 'Delete'}
        {...(isErasing.value && { asks })}
        does={end}
      />
    </div>
  );
}
