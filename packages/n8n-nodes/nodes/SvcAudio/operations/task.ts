import type { SpeechTask } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import { DEFAULT_TIMEOUT } from '../client/audio-client.ts'
import { binaryOutField, fileNameOption, optionsField } from './fields.ts'
import { audioFile, outputJson } from './item-files.ts'
import type { Operation } from './operation.ts'

/** Which task. */
const taskIdField: INodeProperties = {
  displayName: 'Task ID',
  name: 'taskId',
  type: 'string',
  required: true,
  default: '={{ $json.taskId ?? $json.body?.id }}',
  placeholder: 'e.g. {{ $json.taskId }}',
  description: 'ID that Start Task outputs. After a Wait node, it is in the body of the call.',
}

/** Polls a task until it has ended. A run that is stopped ends the wait at once; the task continues. */
export const taskWait: Operation = {
  resource: 'task',
  operation: 'wait',
  name: 'Wait for Completion',
  action: 'Wait for task',
  description: 'Wait until a task has finished, and output its result',
  fields: [
    taskIdField,
    {
      displayName: 'Download Audio',
      name: 'download',
      type: 'boolean',
      default: true,
      description: 'Whether to put the audio of the task into a binary field. A transcript has none.',
      displayOptions: { hide: { '@tool': [true] } },
    },
    binaryOutField({ download: [true] }),
    optionsField(
      [
        fileNameOption,
        {
          displayName: 'Poll Interval (Seconds)',
          name: 'pollInterval',
          type: 'number',
          typeOptions: { minValue: 0.1, numberPrecision: 1 },
          default: 2,
          description: 'Time between two requests, where the service names no interval of its own',
        },
      ],
      { billable: false },
    ),
  ],

  async run(item) {
    const { form, signal } = item
    const timeout = form.milliseconds('options.timeout') ?? DEFAULT_TIMEOUT
    const pollInterval = form.milliseconds('options.pollInterval', 0.001)
    const audio = await item.audio()
    const task: SpeechTask = await audio.tasks.wait(form.required('taskId'), {
      signal,
      ...(timeout === 0 ? {} : { timeout }),
      ...(pollInterval === undefined ? {} : { pollInterval }),
    })
    const isWanted = !item.isToolCall && form.boolean('download') !== false
    if (task.url === undefined || !isWanted) return [{ json: outputJson(task) }]
    const file = await audioFile(item, await audio.download(task, item.call), task.response_format ?? '')
    return [{ ...file, json: { ...outputJson(task), ...file.json } }]
  },
}

/** A task as it stands. */
export const taskGet: Operation = {
  resource: 'task',
  operation: 'get',
  name: 'Get',
  action: 'Get task',
  description: 'Get the status of a task, and its result if it has finished',
  fields: [taskIdField, optionsField([], { billable: false })],

  async run(item) {
    const audio = await item.audio()
    const task = await audio.tasks.retrieve(item.form.required('taskId'), item.call)
    return [{ json: outputJson(task) }]
  },
}
