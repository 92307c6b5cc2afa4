import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { ListView, OtherList } from '../../api.ts';
import { Act, RefusedNotice, useAction } from './asking.tsx';
import { bringFile } from './bringing.ts';
import { Button, Notice } from './controls.tsx';
import { grouped } from './figures.ts';

/** A file is brought wherever she drops or chooses it, with the question to her which list it is. */

type OpenQuestion = OtherList['other'] & { readonly file: File };

export type Bringing = ReturnType<typeof useBringing>;

interface How {
  /** The list that a file is the next version of, where she has said so. */
  readonly as?: string;
  then?(list: ListView): void;
}

export function useBringing({ as, then = showList }: How = {}) {
  const { isBusy, refused, run } = useAction();
  const question = useSignal<OpenQuestion | undefined>(undefined);
  const take = (file: File | undefined): void => {
    question.value = undefined;
    if (file === undefined) return;
    run(async () => {
      const answer = await bringFile(file, as);
      if (answer === undefined) return;
      if ('other' in answer) question.value = { file, ...answer.other };
      else then(answer);
    });
  };
  return { isBusy, refused, run, take, question };
}

/** Why the file was not taken, or what she is asked about it. */
export const AskedWhich = ({ of: { refused, question } }: { readonly of: Bringing }) => (
  <>
    <RefusedNotice refused={refused.value} />
    {question.value && <WhichList {...question.value} onLeft={() => (question.value = undefined)} />}
  </>
);

/** Another list has the name of this file: she says which of the two it is, before anything is kept of it. */
function WhichList({ file, list, name, shared, of, likely, onLeft }: OpenQuestion & { onLeft(): void }) {
  const answer = async (as: string): Promise<void> => {
    const list = await bringFile(file, as);
    onLeft();
    if (list !== undefined && !('other' in list)) showList(list);
  };
  const both = `${grouped(shared)} of ${grouped(of)} ${shared === 1 ? 'is' : 'are'} in both`;
  const answers = [
    { says: 'It is a new list', as: 'new', isLikely: likely === 'new' },
    { says: 'It is the same list, edited', as: list, isLikely: likely === 'edited' },
  ];
  return (
    <Notice says={`“${name}” is here already, with other rows: ${both}.`}>
      {answers
        .toSorted((one, other) => Number(other.isLikely) - Number(one.isLikely))
        .map(({ says, as, isLikely }) => (
          <Act key={as} says={says} look={isLikely ? undefined : 'quiet'} does={() => answer(as)} />
        ))}
      <Button look="quiet" says="Do not bring it" onClick={onLeft} />
    </Notice>
  );
}

/** Takes what is dropped anywhere on the page. @returns whether something is held over it now. */
export function useDrop(take: (file: File | undefined) => void, isHeld = false): Signal<boolean> {
  const isOver = useSignal(isHeld);
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      isOver.value = false;
      take(event.dataTransfer?.files[0]);
    };
    const hold = (event: DragEvent): void => {
      event.preventDefault();
      // Only what leaves the whole page comes from nowhere on it.
      isOver.value = event.type === 'dragover' || event.relatedTarget !== null;
    };
    document.addEventListener('dragover', hold, leaving);
    document.addEventListener('dragleave', hold, leaving);
    document.addEventListener('drop', drop, leaving);
    return () => leaving.abort();
  }, []);
  return isOver;
}

interface DropHereProps {
  /** What was dropped before this script was there. */
  readonly dropped: { readonly current: File | undefined };
}

/** Over an open list, where a file that is held over it has brought this script. */
export function DropHere({ dropped }: DropHereProps) {
  const bringing = useBringing();
  const isOver = useDrop(bringing.take, dropped.current === undefined);
  useLayoutEffect(() => bringing.take(dropped.current), []);
  return (
    <>
      {isOver.value && (
        <Notice calm says="Drop it: a file of the same name is the next version of its list." />
      )}
      <AskedWhich of={bringing} />
    </>
  );
}

export function showList({ id }: ListView): void {
  location.href = `/lists/${id}`;
}
