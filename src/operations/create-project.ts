import { unoffered } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { type Subject, subjectOfProject, type Team } from '../core/membership.ts';
import { defineOperation, end, type OperationOptions, type PlannedWork } from '../core/operation.ts';
import type { NewProject } from './team/change-action.ts';
import {
  invalid,
  ORGANIZATION_ID,
  readOrganization,
  readText,
  ready,
  rowOfCells,
} from './team/change-inputs.ts';
import { CREATE_PROJECT, nextOfProject } from './team/change-steps.ts';

interface ProjectWork extends PlannedWork {
  readonly was: { readonly sequence: number };
  readonly making: NewProject;
  /** Why the project is not made: it was made before. */
  readonly made?: Findings;
}

function workFor(making: NewProject, team: Team, { organizationId }: OperationOptions): ProjectWork {
  const { name, description } = making;
  const other = making.organizationId === organizationId ? undefined : making.organizationId;
  const subject: Subject = { name: subjectOfProject(name, other) };
  const known = team.project(name, other);
  const madeId = known?.doubt === undefined ? known?.facts?.projectId : undefined;
  return {
    subject,
    to: description === '' ? 'project' : `project (${description})`,
    project: name,
    was: { sequence: known?.sequence ?? 0 },
    making,
    ...(madeId === undefined
      ? { action: 'create_project' }
      : { made: finding('project_made_before', { project: name, id: madeId }) }),
  };
}

export default defineOperation<NewProject, ProjectWork>({
  name: 'create-project',
  summary: 'Create projects; they cannot be deleted again.',
  vendor: 'service',
  described: unoffered('projects', CREATE_PROJECT),
  inputs: [
    {
      name: 'name',
      about: "the project's name",
      aliases: ['name', 'project', 'projectname'],
      generic: ['name'],
      required: true,
    },
    {
      name: 'description',
      about: 'what it is for; left out: empty',
      aliases: ['description', 'projectdescription'],
    },
    ORGANIZATION_ID,
  ],
  tiers: [],
  readsAnswers: true,
  preparer: (options) => (row) => {
    const organization = readOrganization(row, options);
    const isMissing = organization.kind === 'ready' && organization.input === undefined;
    const prepared = rowOfCells({
      name: readText('name', row.name),
      description: row.description?.trim() ? readText('description', row.description) : ready(''),
      organizationId: isMissing ? invalid(finding('no_organization', {})) : organization,
    });
    if (prepared.kind === 'invalid') return prepared;
    const { description, organizationId = '', name } = prepared.input;
    return ready({ name, description, organizationId });
  },
  change: { isState: true, resolve: (making, team, options) => ready(workFor(making, team, options)) },
  next({ subject, was, making, made }, answered) {
    if (made !== undefined) return end({ kind: 'unchanged', findings: made });
    const project = nextOfProject({ subject, ...was }, making, answered);
    if (project.kind === 'step') return project.step;
    return end({ kind: 'applied', findings: finding('project_created', { id: project.id }) });
  },
});
