import type { ComponentChildren } from 'preact';

/** What may be wider than the window: it is pushed sideways by the keyboard, too. */
export function Scroll({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus the keyboard reaches nothing that is cut off.
    <section class="scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}
