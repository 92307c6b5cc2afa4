import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface PopoverProps {
  readonly name: string;
  readonly says: ComponentChildren;
  readonly look?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button, and what it opens below itself: Escape and a click elsewhere close it. */
export function Popover({ name, says, look = 'pill', children }: PopoverProps) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const open = (): void => {
    const from = button.current?.getBoundingClientRect();
    const shown = box.current;
    if (from === undefined || shown === null) return;
    shown.style.top = `${Math.min(from.bottom + 4, Math.max(0, innerHeight - 320))}px`;
    shown.style.left = `${Math.max(8, Math.min(from.left, innerWidth - 300))}px`;
    shown.togglePopover();
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        class={look}
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        onClick={open}
      >
        {says}
      </button>
      <div
        ref={box}
        popover="auto"
        role="dialog"
        aria-label={name}
        class="menu"
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.matches(':popover-open');
          if (isOpen.value)
            requestAnimationFrame(() =>
              box.current?.querySelector<HTMLElement>('button, input, select')?.focus(),
            );
        }}
      >
        {isOpen.value && children(() => box.current?.hidePopover())}
      </div>
    </>
  );
}
