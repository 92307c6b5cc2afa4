import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentProps, Fragment } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { grouped } from './figures.ts';

type ButtonProps = ComponentProps<'button'> & {
  readonly says: ComponentChildren;
  /** `go` leads on, `bad` takes something away, `link` looks like a word of the text. */
  readonly look?: 'go' | 'bad' | 'link' | undefined;
};

/** It submits no form, unless it says that it does. */
export const Button = ({ says, look, type = 'button', ...rest }: ButtonProps) => (
  <button type={type} class={look} {...rest}>
    {says}
  </button>
);

export const ButtonLink = ({ to, says }: { readonly to: string; readonly says: string }) => (
  <a class="btn" href={to}>
    {says}
  </a>
);

interface OptionsProps {
  readonly of: readonly (string | readonly [value: string, says: string])[];
}

export const Options = ({ of: options }: OptionsProps) =>
  options.map((option) => {
    const [value, says] = typeof option === 'string' ? [option, option] : option;
    return (
      <option key={value} value={value}>
        {says}
      </option>
    );
  });

interface CheckboxProps {
  readonly checked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
  readonly says: ComponentChildren;
}

export const Checkbox = ({ checked, onCheck, says }: CheckboxProps) => (
  <label>
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
    />
    {says}
  </label>
);

interface SelectProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: OptionsProps['of'];
  readonly onChosen: (value: string) => void;
}

export const Select = ({ name, value, options, onChosen }: SelectProps) => (
  <label>
    {name}
    <select value={value} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
      <Options of={options} />
    </select>
  </label>
);

type FieldProps = ComponentProps<'input'> & {
  readonly says: ComponentChildren;
  readonly onTyped?: (typed: string) => void;
};

/** A field that is read when she leaves it, or by its name when its form is sent. */
export const Field = ({ says, onTyped, ...input }: FieldProps) => (
  <label>
    {says}
    <input
      spellcheck={false}
      onChange={({ currentTarget }) => onTyped?.(currentTarget.value.trim())}
      {...input}
    />
  </label>
);

interface PopoverProps {
  readonly name: string;
  readonly says: ComponentChildren;
  readonly look?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button, and what it opens below itself: Escape or a click elsewhere keeps what was typed. */
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

export type Fact = readonly [name: string, says: ComponentChildren];

export const Sentences = ({ of }: { readonly of: readonly string[] }) => (
  <ul>
    {of.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

interface RowLinksProps {
  readonly first_rows: readonly number[];
  readonly rows: number;
  readonly opened: Signal<number | undefined>;
}

/** Each of some rows opens beside the table. */
export const RowLinks = ({ first_rows: first, rows, opened }: RowLinksProps) => (
  <>
    {first.map((row) => (
      <span key={row}>
        <Button look="link" says={`row ${grouped(row)}`} onClick={() => (opened.value = row)} />{' '}
      </span>
    ))}
    {rows > first.length && `and ${grouped(rows - first.length)} more`}
  </>
);

/** Facts by their names. What is blank is not said. */
export const Facts = ({ of }: { readonly of: readonly Fact[] }) => (
  <dl>
    {of.map(
      ([name, says]) =>
        says !== '' && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{says}</dd>
          </Fragment>
        ),
    )}
  </dl>
);

interface StopProps {
  readonly says: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** What stops a list, or may surprise her: one sentence, and the button that mends it. */
export const Stop = ({ says, children }: StopProps) => (
  <section class="stop">
    <p role="status">{says}</p>
    {children}
  </section>
);
