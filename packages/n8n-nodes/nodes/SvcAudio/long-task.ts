import {
  ProtocolError,
  type SpeechResult,
  type SpeechTask,
  type Task,
  type TranscriptionTask,
} from '@svc-audio/core/pure'
import * as workflow from 'n8n-workflow'
import { DEFAULT_TIMEOUT } from './client/audio-client.ts'
import { audioFile, audioReference } from './operations/item-files.ts'
import type { FinishPlan, Item, ItemOutput, LongTask } from './operations/operation.ts'
import { transcriptOutput } from './operations/transcript-output.ts'
import type { AnyTranscription } from './operations/transcript-text.ts'

/** How long n8n waits for a task of long work, in milliseconds, unless the option Timeout is set: a day. */
const LONG_TIMEOUT = 24 * 60 * 60 * 1000
/** Time between two lines of the log while a task does not change, in milliseconds. */
const LOG_INTERVAL = 60_000
/** The fields of a task that are not its result (interface: Task object). */
const TASK_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'status',
  'created_at',
  'updated_at',
  'retry_after',
  'error',
])

/** The option that decides whether the work of an item runs as a task. */
export const runAsTaskOption: workflow.INodeProperties = {
  displayName: 'Wait in the Background',
  name: 'runAsTask',
  type: 'options',
  default: 'always',
  description:
    'Whether the service works on a task while the run waits. n8n stores the waiting run, so that it survives a restart. Above 5,000 characters or 20 MB this happens by itself.',
  options: [
    { name: 'Always', value: 'always', description: 'For short work too' },
    { name: 'If Long', value: 'auto', description: 'For texts over 5,000 characters and recordings over 20 MB' },
    { name: 'Never', value: 'never', description: 'The node waits for the response to one request' },
  ],
}

/** Whether the work of an item runs as a task. @param isLong Asked only where the work decides. */
export async function runsAsTask({ form }: Item, isLong: () => boolean | Promise<boolean>): Promise<boolean> {
  const choice = form.has('options.runAsTask') ? form.choice('options.runAsTask') : 'auto'
  return choice === 'auto' ? isLong() : choice === 'always'
}

/** How long to wait for a task of this item, in milliseconds. The default of the option is for a single request. */
export function longTimeout({ form }: Item): number {
  const set = form.milliseconds('options.timeout')
  return set === undefined || set === DEFAULT_TIMEOUT ? LONG_TIMEOUT : set
}

/** Modes of runs that nobody waits for, unless a node of the workflow responds. A sub-workflow hands on its output. */
const UNATTENDED: ReadonlySet<string> = new Set(['error', 'retry', 'trigger', 'webhook'])

/**
 * Whether the run may wait outside of the node. It must be one that n8n resumes, nobody may wait for its response, and the
 * workflow may be stored.
 *
 * n8n passes the failure of a workflow that has waited on to the node since 2.27. Before, a failed task would look like
 * a success. n8n tells no node its version, so a constant that came with that change tells.
 */
export function canWait(context: workflow.IExecuteFunctions, isToolCall: boolean): boolean {
  const isSaved = (context.getWorkflow().id ?? '') !== ''
  const passesFailures = 'CRASHABLE_EXECUTION_STATUSES' in workflow
  if (!isSaved || !passesFailures || isToolCall || !UNATTENDED.has(context.getMode())) return false
  return context.getWorkflowSettings().saveDataSuccessExecution !== 'none' && !hasCaller(context)
}

/**
 * Whether a webhook, form or chat before the node answers with what the workflow outputs, or pages of a form show it. n8n
 * answers when a run waits.
 */
function hasCaller(context: workflow.IExecuteFunctions): boolean {
  const { name } = context.getNode()
  const before = context.getParentNodes(name, { includeNodeParameters: true })
  const pages = [...before, ...context.getChildNodes(name)].some(({ type }) => type === 'n8n-nodes-base.form')
  return pages || before.some(respondsAtTheEnd)
}

function respondsAtTheEnd({ type, parameters = {} }: workflow.NodeTypeAndVersion): boolean {
  const { responseMode, options } = parameters
  const inOptions: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, 'responseMode') : ''
  const mode = responseMode ?? inOptions
  return type.endsWith('.chatTrigger') || (typeof mode === 'string' && !['', 'onReceived'].includes(mode))
}

/**
 * Waits inside the node until a task has ended, and outputs its result. A run that is stopped ends the wait; the task
 * continues.
 * @throws TaskFailedError, TaskTimeoutError
 */
export async function waitInNode(item: Item, { taskId, plan, timeout }: LongTask): Promise<ItemOutput> {
  const audio = await item.audio()
  const task = await audio.tasks.wait(taskId, {
    signal: item.signal,
    onUpdate: progressLog(item, taskId),
    ...(timeout === 0 ? {} : { timeout }),
  })
  return finish(item, task, plan)
}

/** Outputs the result of a task that has ended with success, as the node outputs it without a task. */
export async function finish(item: Item, task: Task, plan: FinishPlan): Promise<ItemOutput> {
  if (plan.kind === 'transcript') return transcriptOutput(item, transcriptResult(task), plan.settings)
  const result = audioResult(task, plan.format)
  if (plan.target === undefined) return audioReference(item, result)
  const audio = await item.audio()
  return audioFile(item, await audio.download(result, item.call), result.response_format, plan.target)
}

/** The result of a speech task, as a request without a task answers it. @throws ProtocolError without a URL */
function audioResult(task: SpeechTask, format: string): SpeechResult {
  const { id, object, status, url, created_at, response_format = format, content_type = '' } = task
  if (url === undefined) throw new ProtocolError('The task has ended without the URL of its audio')
  return {
    id,
    object: object === 'audio.voice_generation' ? object : 'audio.speech',
    status,
    url,
    response_format,
    content_type,
    created_at,
  }
}

/** The transcript of a task, as a request without a task answers it. @throws ProtocolError without a text */
function transcriptResult(task: TranscriptionTask): AnyTranscription {
  const { text } = task
  if (text === undefined) throw new ProtocolError('The task has ended without a text')
  const entries = Object.entries(task).filter(([name]) => !TASK_FIELDS.has(name))
  return { text, ...Object.fromEntries(entries) }
}

/** Writes each status of a task to the log of n8n, and every minute that it still is the same. */
function progressLog({ context, index }: Item, taskId: string): (task: Task) => void {
  const start = performance.now()
  let last = ''
  let lastLog = 0
  return ({ status }) => {
    const now = performance.now()
    if (status === last && now - lastLog < LOG_INTERVAL) return
    last = status
    lastLog = now
    context.logger.info(progressLine({ taskId, index, status, elapsed: now - start }))
  }
}

/** What {@link progressLine} tells. */
export interface Progress {
  readonly taskId: string
  /** Number of the item. */
  readonly index: number
  readonly status: string
  /** Milliseconds since the wait began. */
  readonly elapsed: number
}

/** A line of the log about a task that n8n waits for. */
export function progressLine({ taskId, index, status, elapsed }: Progress): string {
  return `Svc Audio: task ${taskId} of item ${index} is ${status} after ${Math.round(elapsed / 1000)} seconds`
}
