import type { INodeProperties } from 'n8n-workflow'
import { WAITING_OPERATIONS } from '../waiting-workflow.ts'
import { dialogueCreate, dialogueStartTask } from './dialogue.ts'
import { fileDelete, fileGet, fileGetAll, fileUpload } from './file.ts'
import type { Operation } from './operation.ts'
import { speechCreate, speechStartTask } from './speech.ts'
import { taskGet, taskWait } from './task.ts'
import { transcriptionCreate, transcriptionStartTask } from './transcription.ts'
import { voiceCreate, voiceGenerate, voiceGetAll, voiceSample, voiceStartTask } from './voice.ts'

/** Names of the resources in the form, by value. */
const RESOURCES: Readonly<Record<string, string>> = {
  dialogue: 'Dialogue',
  file: 'File',
  speech: 'Speech',
  task: 'Task',
  transcription: 'Transcription',
  voice: 'Voice',
}

/** Every operation, the first of each resource being its default. */
export const OPERATIONS: readonly Operation[] = [
  dialogueCreate,
  dialogueStartTask,
  fileUpload,
  fileDelete,
  fileGet,
  fileGetAll,
  speechCreate,
  speechStartTask,
  taskWait,
  taskGet,
  transcriptionCreate,
  transcriptionStartTask,
  voiceCreate,
  voiceGenerate,
  voiceGetAll,
  voiceSample,
  voiceStartTask,
]

/** The fields Resource and Operation, and those of all operations. */
export function operationFields(): INodeProperties[] {
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      default: 'speech',
      options: Object.entries(RESOURCES).map(([value, name]) => ({ name, value })),
    },
    ...Object.keys(RESOURCES).map((resource) => operationField(resource)),
    ...OPERATIONS.flatMap((operation) => operation.fields.map((field) => shownFor(operation, field))),
  ]
}

/** A field that is shown where its operation is chosen. */
function shownFor({ resource, operation }: Operation, field: INodeProperties): INodeProperties {
  const { show, ...rest } = field.displayOptions ?? {}
  return { ...field, displayOptions: { ...rest, show: { resource: [resource], operation: [operation], ...show } } }
}

function operationField(resource: string): INodeProperties {
  const own = OPERATIONS.filter((one) => one.resource === resource)
  const first = own[0]?.operation
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: String(first),
    displayOptions: { show: { resource: [resource] } },
    options: own
      .map(({ operation, name, action, description }) => ({ name, value: operation, action, description }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
  }
}

/** What stands below the node on the canvas: the action, as n8n evaluates it. */
export function subtitleExpression(): string {
  const actions = Object.fromEntries(OPERATIONS.map((one) => [`${one.resource}.${one.operation}`, one.action]))
  return `={{ (${JSON.stringify(actions)})[$parameter["resource"] + "." + $parameter["operation"]] }}`
}

/** The operation of this name, if there is one. */
export function findOperation(resource: unknown, operation: unknown): Operation | undefined {
  return [...OPERATIONS, ...WAITING_OPERATIONS].find((one) => one.resource === resource && one.operation === operation)
}
