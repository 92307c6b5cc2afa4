import type { ComponentChildren } from 'preact';
import { RefusedNotice, useAction } from './asking.tsx';
import { Button } from './controls.tsx';

interface FormProps {
  readonly says: string;
  /** `line`: in one line, in a notice. Left out: below each other. */
  readonly look?: 'line' | undefined;
  /** Another button of the view is the green one. */
  readonly isBeside?: boolean | undefined;
  /** Gets what stands in the fields by their names, without those that are blank. */
  sends(typed: Record<string, FormDataEntryValue>): Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Fields that are sent as a whole, with the refusal below them. */
export function Form({ says, look, isBeside, sends, children }: FormProps) {
  const { isBusy, refused, run } = useAction();
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = [...new FormData(event.currentTarget as HTMLFormElement)];
    run(() => sends(Object.fromEntries(typed.filter(([, value]) => value !== ''))));
  };
  return (
    <form class={look === 'line' ? undefined : 'stack'} onSubmit={send} autocomplete="off">
      {children}
      <div class={look === 'line' ? undefined : 'bar'}>
        <Button type="submit" look={isBeside ? undefined : 'go'} disabled={isBusy.value} says={says} />
      </div>
      <RefusedNotice refused={refused.value} />
    </form>
  );
}
