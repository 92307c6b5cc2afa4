import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { awaiting } from '../session.ts';

/** A part of the page whose script is fetched when it is first shown, so that any first view comes sooner. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  return function Late(props: Props) {
    const { value: Loaded } = loaded;
    useEffect(() => {
      if (Loaded === undefined) void awaiting(load()).then((part) => (loaded.value = part));
    }, []);
    return Loaded === undefined ? <p class="soft">One moment…</p> : <Loaded {...props} />;
  };
}
