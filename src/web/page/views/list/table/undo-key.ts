import { useEffect, useRef } from 'preact/hooks';
import type { Scene } from '../scene.ts';

/** Ctrl+Z takes back what was mended last, wherever the keys are but in a field, and says so. */
export function useUndoKey(scene: Scene): void {
  const now = useRef(scene);
  now.current = scene;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, shiftKey, target } = event;
      const isUndo = (ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'z';
      if (!isUndo || (target instanceof Element && target.matches('input, textarea, select'))) return;
      event.preventDefault();
      void import('../mends/take-back.ts').then(({ takeBackLast }) => takeBackLast(now.current));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
