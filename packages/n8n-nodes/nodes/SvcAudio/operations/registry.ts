import type { INodeProperties } from 'n8n-workflow'
import { dialogueCreate } from './dialogue/create.ts'
import { dialogueStartTask } from './dialogue/start-task.ts'
import { fileGetAll } from './file/get-all.ts'
import { fileDelete, fileGet } from './file/get.ts'
import { fileUpload } from './file/upload.ts'
import type { Operation } from './operation.ts'
import { speechCreate } from './speech/create.ts'
import { speechStartTask } from './speech/start-task.ts'
import { taskGet } from './task/get.ts'
import { WAITING_OPERATIONS } from './task/waiting.ts'
import { taskWait } from './task/wait.ts'
import { transcriptionCreate } from './transcription/create.ts'
import { transcriptionStartTask } from './transcription/start-task.ts'
import { voiceCreate } from './voice/create.ts'
import { voiceGenerate, voiceStartTask } from './voice/generation.ts'
import { voiceGetAll } from './voice/get-all.ts'
import { voiceSample } from './voice/sample.ts'

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
    ...OPERATIONS.flatMap(({ fields }) => fields),
  ]
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

/** The operation of this name; `undefined` when this version has none. */
export function findOperation(resource: unknown, operation: unknown): Operation | undefined {
  return [...OPERATIONS, ...WAITING_OPERATIONS].find((one) => one.resource === resource && one.operation === operation)
}
