import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { offline } from './session.ts';
import { text } from './text.ts';

/**
 * A view that is seldom opened: its code is fetched when it is opened first, so that the page begins sooner. While nobody
 * answers nothing can be fetched, so it is asked for again when somebody does.
 */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<{ readonly View: ComponentType<Props> } | undefined>(undefined);
  const fetchOnce = async (): Promise<void> => {
    loaded.value ??= { View: await load() };
  };
  return function Late(props: Props) {
    const isAway = offline.value;
    useEffect(() => {
      if (!isAway) void fetchOnce().catch(() => {});
    }, [isAway]);
    if (loaded.value === undefined) return <p class="loading">{text.loading}</p>;
    const { View } = loaded.value;
    return <View {...props} />;
  };
}
