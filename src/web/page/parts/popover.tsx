import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface PopoverProps {
  readonly name: string;
  readonly says: ComponentChildren;
  readonly look?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * A button, and what it opens below itself: Escape and a click elsewhere close it, and what was typed is still
 * there.
 */
export function Popover({ name, says, look, children }: PopoverProps) {
  const id = useId();
  /** How often it was opened since it was empty. */
  const times = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  // At once: a key that she presses meanwhile would reach another field.
  useLayoutEffect(() => {
    box.current?.querySelector<HTMLElement>('button, input, select')?.focus();
  }, [times.value]);
  const end = (): void => {
    box.current?.hidePopover();
    times.value = 0;
  };
  return (
    <>
      <button type="button" class={look} popovertarget={id} aria-haspopup="dialog">
        {says}
      </button>
      <div
        id={id}
        ref={box}
        popover="auto"
        role="dialog"
        aria-label={name}
        onToggle={({ newState }) => {
          if (newState === 'open') times.value += 1;
        }}
      >
        {times.value > 0 && children(end)}
      </div>
    </>
  );
}
