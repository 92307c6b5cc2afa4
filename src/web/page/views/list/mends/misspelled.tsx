import type { PlanObject } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { Button } from '../../../parts/controls.tsx';
import type { OfScene } from '../scene.ts';
import { aboutName, holdsFor } from '../start/agreed.ts';
import { mendAll } from './mends.tsx';

interface MisspelledProps extends OfScene {
  readonly names: NonNullable<NonNullable<PlanObject['unknown']>['misspelled']>;
}

/** Names of projects that are nearly those of others: one click mends their cells, or says that they are new. */
export function Misspelled({ scene, names }: MisspelledProps) {
  const { planned, agreed } = scene;
  const held = holdsFor(scene, planned.value);
  const make = (name: string): void => {
    const { value } = agreed;
    agreed.value = { ...value, allowed: [...(value.allowed ?? []), aboutName(scene, name)] };
  };
  return names.map(({ name, meant }) => (
    <div key={name} class="bar">
      <span class="need">“{name}”:</span>
      <Act
        says={`${meant}?`}
        aria-label={`“${name}” means ${meant}`}
        does={() => mendAll(scene, renamed(scene, name, meant))}
      />
      {held.includes(name) && <Button look="quiet" says={`Create “${name}”`} onClick={() => make(name)} />}
    </div>
  ));
}

/** The cells that name a project, one of several perhaps, with the name that is meant. */
function renamed({ planned }: OfScene['scene'], name: string, meant: string): Parameters<typeof mendAll>[1] {
  const { changes = [], columns = {} } = planned.value ?? {};
  const { project: column } = columns;
  if (column === undefined) return [];
  const isName = (text: string): boolean => text.trim().toLowerCase() === name.toLowerCase();
  const rows = new Map<number, string>();
  for (const { row, project } of changes) {
    const parts = project?.split(/([;|,])/) ?? [];
    if (project !== null && (isName(project) || parts.some(isName)))
      rows.set(row, isName(project) ? meant : parts.map((part) => (isName(part) ? meant : part)).join(''));
  }
  return [...rows].map(([row, value]) => ({ row, column, value }));
}
