import { useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentProps, Fragment, type Ref } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { isNarrow } from './narrow.ts';

type ButtonProps = ComponentProps<'button'> & {
  readonly says: ComponentChildren;
  /** `go` goes on, one in a view; `quiet` is beside it; a `link` shows something. Left out: framed. */
  readonly look?: Look;
};

export type Look = 'go' | 'quiet' | 'link' | undefined;

const classOf = (look: Look): string => (look === 'link' ? 'link' : look ? `button ${look}` : 'button');

/** It submits no form, unless it says that it does. */
export const Button = ({ says, look, type = 'button', ...rest }: ButtonProps) => (
  <button type={type} class={classOf(look)} {...rest}>
    {says}
  </button>
);

interface ButtonLinkProps {
  readonly to: string;
  readonly says: string;
  readonly look?: Look;
}

export const ButtonLink = ({ to, says, look }: ButtonLinkProps) => (
  <a class={classOf(look)} href={to}>
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
  <label class="pick">
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
    />
    {says}
  </label>
);

interface ChoiceProps {
  /** The choices of one group: one of them is chosen. */
  readonly group: string;
  readonly says: ComponentChildren;
  /** Beside it, what it brings. */
  readonly more?: ComponentChildren;
  readonly checked: boolean;
  readonly onChosen: () => void;
}

/** One of several. */
export const Choice = ({ group, says, more, checked, onChosen }: ChoiceProps) => (
  <label class="pick">
    <input type="radio" name={group} checked={checked} onChange={onChosen} />
    {says}
    {more && <small>{more}</small>}
  </label>
);

interface LabelProps {
  readonly says: ComponentChildren;
  /** Beside what is typed or chosen, in a notice or beside a price; left out: above. */
  readonly inline?: boolean | undefined;
  readonly children: ComponentChildren;
}

export const Label = ({ says, inline = false, children }: LabelProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: What is typed or chosen is among its children.
  <label class={inline ? 'field inline' : 'field'}>
    <span>{says}</span>
    {children}
  </label>
);

interface SelectProps extends Pick<LabelProps, 'inline'> {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: OptionsProps['of'];
  readonly onChosen: (value: string) => void;
}

export const Select = ({ name, value, options, onChosen, inline }: SelectProps) => (
  <Label says={name} inline={inline}>
    <select value={value} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
      <Options of={options} />
    </select>
  </Label>
);

type FieldProps = ComponentProps<'input'> &
  Pick<LabelProps, 'says' | 'inline'> & {
    readonly onTyped?: (typed: string) => void;
  };

/**
 * A field that is read when she leaves it, or by its name when its form is sent. What is half typed stays
 * until the value becomes another one: whatever is drawn meanwhile does not write it back.
 */
export function Field({ says, inline, onTyped, value, ...input }: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const show = (): void => {
    if (field.current && value !== undefined) field.current.value = `${value}`;
  };
  useLayoutEffect(show, [value]);
  return (
    <Label says={says} inline={inline}>
      <input
        ref={field}
        spellcheck={false}
        onBlur={show}
        onChange={({ currentTarget }) => onTyped?.(currentTarget.value.trim())}
        {...input}
      />
    </Label>
  );
}

interface PopoverProps {
  readonly name: string;
  readonly says: ComponentChildren;
  /** What is read aloud in the place of a sign. */
  readonly label?: string;
  readonly look?: Look;
  readonly disabled?: boolean;
  /** What the button is in a menu. */
  readonly role?: ComponentProps<'button'>['role'];
  /** The class of a button that is none of those, such as the head of a column. */
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button, and what it opens below itself: Escape or a click elsewhere keeps what was typed. */
export function Popover({ name, says, label, look, children, ...rest }: PopoverProps) {
  const { class: classes = classOf(look), disabled, role } = rest;
  const id = useId();
  /** How often it was opened since it was empty. */
  const times = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  // At once: a key that she presses meanwhile would reach another field.
  useLayoutEffect(() => focusFirst(box.current), [times.value]);
  const end = (): void => {
    box.current?.hidePopover();
    times.value = 0;
  };
  return (
    <>
      <button
        type="button"
        class={classes}
        popovertarget={id}
        role={role}
        aria-haspopup="dialog"
        aria-label={label}
        disabled={disabled}
      >
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

/** The keys go on at the first control of what was opened. */
export const focusFirst = (box: Element | null): void =>
  box?.querySelector<HTMLElement>('button, input, select, textarea')?.focus();

interface FoldedProps {
  readonly says: ComponentChildren;
  readonly open?: boolean | undefined;
  readonly children: () => ComponentChildren;
}

/** A line that opens. What it holds is drawn from then on, so a late part of the page is fetched by a click. */
export function Folded({ says, open = false, children }: FoldedProps) {
  const isOpen = useSignal(open);
  return (
    <details open={open} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{says}</summary>
      {isOpen.value && children()}
    </details>
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

interface FactsProps {
  readonly of: readonly Fact[];
  /** What the others add up to. */
  readonly sum?: Fact | undefined;
}

/** Facts by their names. What is blank is not said. */
export const Facts = ({ of, sum }: FactsProps) => (
  <dl class="lines">
    {of.map(
      ([name, says]) =>
        says !== '' && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{says}</dd>
          </Fragment>
        ),
    )}
    {sum && (
      <>
        <dt class="sum">{sum[0]}</dt>
        <dd class="sum">{sum[1]}</dd>
      </>
    )}
  </dl>
);

interface NoticeProps {
  /** One sentence. */
  readonly says: ComponentChildren;
  /** Waits for time, and not for her. */
  readonly calm?: boolean;
  /** `alert` for what was refused just now. */
  readonly role?: 'alert';
  /** The one framed button that mends it; others beside it are quiet. */
  readonly children?: ComponentChildren;
}

/**
 * What waits for her or for time, in one line with one button. What has no room there is behind “More”.
 */
export function Notice({ says, calm = false, role, children }: NoticeProps) {
  const words = useRef<HTMLParagraphElement>(null);
  const isCut = useSignal(false);
  useEffect(() => {
    const look = (): void => {
      const { scrollWidth = 0, clientWidth = 0 } = words.current ?? {};
      // “More” itself takes room: it stays until all of it fits beside it.
      isCut.value = scrollWidth > clientWidth;
    };
    const watch = new ResizeObserver(look);
    if (words.current) watch.observe(words.current);
    return () => watch.disconnect();
  }, [says]);
  return (
    <section class={calm ? 'notice calm' : 'notice'} role={role}>
      <p ref={words} role={role ? undefined : 'status'}>
        {says}
      </p>
      {isCut.value && (
        <Popover name="All of it" says="More" look="quiet">
          {() => <p>{says}</p>}
        </Popover>
      )}
      {children}
    </section>
  );
}

interface TitleProps {
  readonly name: ComponentChildren;
  /** What it is, in a few words. */
  readonly facts?: ComponentChildren;
  /** What can be done with it as a whole. */
  readonly children?: ComponentChildren;
}

/** The one line above a view: its name, its facts, and at the end what can be done. */
export const Title = ({ name, facts, children }: TitleProps) => (
  <div class="bar title">
    <h1>{name}</h1>
    {facts && <span class="soft">{facts}</span>}
    {children && <span class="end">{children}</span>}
  </div>
);

interface PanelProps {
  readonly name: string;
  /** What it says in one line on a telephone, where it is opened first. Left out: it is open. */
  readonly brief?: ComponentChildren;
  /** The word that opens it there. */
  readonly opens?: string;
  /** Gets the keys when it is shown, such as the panel of a row that was opened. */
  readonly place?: Ref<HTMLElement>;
  /** A `Scroll`, and perhaps a `Foot`. */
  readonly children: ComponentChildren;
}

/** What stands beside her table; on a telephone one line that opens. */
export function Panel({ name, brief, opens = 'More', place, children }: PanelProps) {
  const turned = useSignal<boolean | undefined>(undefined);
  // It has no line before its answer is there, and is folded as soon as it has one.
  const isOpen = turned.value ?? brief === undefined;
  return (
    <aside
      ref={place ?? null}
      class={isOpen ? 'paper open' : 'paper'}
      tabIndex={place ? -1 : undefined}
      aria-label={name}
    >
      {isNarrow.value && brief !== undefined && (
        <button type="button" class="brief" aria-expanded={isOpen} onClick={() => (turned.value = !isOpen)}>
          <span>{isOpen ? name : brief}</span>
          <span class="soft">{isOpen ? 'Less' : opens}</span>
        </button>
      )}
      {children}
    </aside>
  );
}

export const Scroll = ({ children }: { readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: The keys scroll it.
  <div class="scroll" tabIndex={0}>
    {children}
  </div>
);

/** What is always seen below what scrolls: the price, the one button that goes on, and why it is grey. */
export const Foot = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="foot">{children}</div>
);

interface WordProps {
  readonly look: 'found' | 'need' | 'none';
  readonly says: string;
  readonly more?: string;
}

/** How a list is doing, in one word. */
export const Word = ({ look, says, more = '' }: WordProps) => (
  <span data-tone={look}>
    {' '}
    <strong>{says}</strong> <span class="soft">{more}</span>
  </span>
);
