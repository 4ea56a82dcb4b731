import type { SpeechTask } from '@svc-audio/core/pure'
import { DEFAULT_TIMEOUT } from '../../client/audio-client.ts'
import { audioFile } from '../audio-output.ts'
import { binaryOutField, fileNameOption, optionsField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { outputJson } from '../output-json.ts'
import { taskIdField } from './fields.ts'

const show = { resource: ['task'], operation: ['wait'] }

/** Polls a task until it has ended. A run that is stopped ends the wait at once; the task continues. */
export const taskWait: Operation = {
  resource: 'task',
  operation: 'wait',
  name: 'Wait for Completion',
  action: 'Wait for task',
  description: 'Wait until a task has finished, and put out its result',
  fields: [
    taskIdField(show),
    {
      displayName: 'Download Audio',
      name: 'download',
      type: 'boolean',
      default: true,
      description: 'Whether to put the audio of the task into a binary field. A transcript has none.',
      displayOptions: { show, hide: { '@tool': [true] } },
    },
    binaryOutField({ ...show, download: [true] }),
    optionsField(
      show,
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
