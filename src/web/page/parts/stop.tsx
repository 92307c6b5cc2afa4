import type { ComponentChildren } from 'preact';
import { RefusedNotice } from '../loaded.tsx';
import type { Action } from './action.ts';

interface StopProps {
  /** The fact, in her words. */
  readonly says: ComponentChildren;
  /** A field and the buttons that lead on. */
  readonly children?: ComponentChildren;
  /** What its button does, whose refusal is shown here. */
  readonly action?: Action;
}

/** What stops a list, or may surprise her: one sentence, and the button that mends it. */
export function Stop({ says, children, action }: StopProps) {
  return (
    <section class="stop">
      <p>{says}</p>
      {children}
      <RefusedNotice refused={action?.refused.value} />
    </section>
  );
}
