import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

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
  const isOpen = useSignal(false);
  const isThere = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen.value) box.current?.querySelector<HTMLElement>('button, input, select')?.focus();
  }, [isOpen.value]);
  const end = (): void => {
    box.current?.hidePopover();
    isThere.value = false;
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
          isOpen.value = newState === 'open';
          isThere.value ||= isOpen.value;
        }}
      >
        {isThere.value && children(end)}
      </div>
    </>
  );
}
