import type { ComponentChildren, ComponentProps } from 'preact';
import { RefusedNotice } from '../loaded.tsx';
import { useAction } from './action.ts';
import { Button } from './controls.tsx';

type ActProps = ComponentProps<typeof Button> & {
  /** What she has to say yes to first, where something is taken away. */
  readonly asks?: string;
  does(): Promise<unknown>;
};

/** A button that asks the server, once at a time, with the refusal beside it. */
export function Act({ asks, does, disabled = false, ...rest }: ActProps) {
  const { isBusy, refused, run } = useAction();
  const act = (): void => {
    if (asks === undefined || confirm(asks)) run(does);
  };
  return (
    <>
      <Button {...rest} disabled={disabled || isBusy.value} onClick={act} />
      <RefusedNotice refused={refused.value} />
    </>
  );
}

interface FormProps {
  /** The words of the button that sends it. */
  readonly says: string;
  readonly look?: 'row';
  /** Gets what stands in the fields by their names, without those that are blank. */
  sends(typed: Record<string, FormDataEntryValue>): Promise<unknown>;
  readonly children: ComponentChildren;
}

/** Fields that are sent as a whole, with the refusal below them. */
export function Form({ says, look, sends, children }: FormProps) {
  const { isBusy, refused, run } = useAction();
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = [...new FormData(event.currentTarget as HTMLFormElement)];
    run(() => sends(Object.fromEntries(typed.filter(([, value]) => value !== ''))));
  };
  return (
    <form class={look} onSubmit={send} autocomplete="off">
      {children}
      <Button type="submit" look="go" disabled={isBusy.value} says={says} />
      <RefusedNotice refused={refused.value} />
    </form>
  );
}
