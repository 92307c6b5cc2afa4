import type { ComponentChildren } from 'preact';

interface StopProps {
  /** The fact, in her words. */
  readonly says: ComponentChildren;
  /** A field and the buttons that lead on. */
  readonly children?: ComponentChildren;
}

/** What stops a list, or may surprise her: one sentence, and the button that mends it. */
export function Stop({ says, children }: StopProps) {
  return (
    <section class="stop">
      <p role="status">{says}</p>
      {children}
    </section>
  );
}
