import { type Component, type Options, options, type VNode } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * Values that know who has read them: a view that read one is shown anew when it changes, and an effect runs again. Who reads is
 * known by the places at which preact says that it begins with a view, and ends.
 */

interface Reader {
  readonly read: Set<Signal<unknown>>;
  changed(): void;
}

/** Who reads now. */
let reading: Reader | undefined;

export class Signal<T> {
  #value: T;
  readonly #readers = new Set<Reader>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    if (reading !== undefined) {
      this.#readers.add(reading);
      reading.read.add(this);
    }
    return this.#value;
  }

  set value(next: T) {
    if (next === this.#value) return;
    this.#value = next;
    for (const reader of [...this.#readers]) if (this.#readers.has(reader)) reader.changed();
  }

  /** The value, without being told when it changes. */
  peek(): T {
    return this.#value;
  }

  forget(reader: Reader): void {
    this.#readers.delete(reader);
  }
}

export type ReadonlySignal<T> = Pick<Signal<T>, 'peek'> & { readonly value: T };

export const signal = <T>(value: T): Signal<T> => new Signal(value);

/** What it read the last time does not count any more. */
function leave(reader: Reader): void {
  for (const each of reader.read) each.forget(reader);
  reader.read.clear();
}

/** Runs now, and whenever what it read has changed. @returns what ends that. */
export function effect(run: () => void): () => void {
  const reader: Reader = {
    read: new Set(),
    changed() {
      leave(reader);
      const before = reading;
      reading = reader;
      try {
        run();
      } finally {
        reading = before;
      }
    },
  };
  reader.changed();
  return () => leave(reader);
}

export function computed<T>(compute: () => T): ReadonlySignal<T> {
  const found = signal(compute());
  effect(() => {
    found.value = compute();
  });
  return found;
}

/** One of the view that asks, for as long as it is shown. */
export function useSignal<T>(value: T): Signal<T> {
  const kept = useRef<Signal<T>>(undefined);
  kept.current ??= signal(value);
  return kept.current;
}

// ------------------------------------------------------------------------------------------------ views that read

/** As preact calls these for its own additions: before an element is looked at, before a view is asked, and its view. */
type Inner = Options & { __b?: (node: VNode) => void; __r?: (node: VNode) => void };
type InnerNode = VNode & { readonly __c?: Component | null };

const readers = new WeakMap<Component, Reader>();
const inner: Inner = options;
const { __b: beforeNode, __r: beforeView, diffed, unmount } = inner;

inner.__b = (node) => {
  reading = undefined;
  beforeNode?.(node);
};

inner.__r = (node) => {
  beforeView?.(node);
  const { __c: view } = node as InnerNode;
  if (!view) return;
  const reader = readers.get(view) ?? { read: new Set(), changed: () => view.setState({}) };
  readers.set(view, reader);
  leave(reader);
  reading = reader;
};

inner.diffed = (node) => {
  reading = undefined;
  diffed?.(node);
};

inner.unmount = (node) => {
  const { __c: view } = node as InnerNode;
  const reader = view ? readers.get(view) : undefined;
  if (reader !== undefined) leave(reader);
  unmount?.(node);
};
