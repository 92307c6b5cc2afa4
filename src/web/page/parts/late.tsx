import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { awaiting } from '../session.ts';

/** A part of the page whose script is fetched when it is first shown, so that any first view comes sooner. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Late(props: Props) {
    const isThere = useSignal(loaded !== undefined);
    useEffect(() => {
      if (isThere.value) return;
      void awaiting(load()).then((part) => {
        loaded = part;
        isThere.value = true;
      });
    }, []);
    const Loaded = isThere.value ? loaded : undefined;
    return Loaded === undefined ? <p class="soft">One moment…</p> : <Loaded {...props} />;
  };
}
