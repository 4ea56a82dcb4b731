import type { Body, Fault } from '../support/fault.ts'
import { jsonResponse } from '../support/fault-proxy.ts'
import {
  accepts,
  answers,
  asks,
  DIALOGUE,
  GENERATION,
  goesTo,
  type Planted,
  rejects,
  SPEECH,
  TASK,
  TRANSCRIPTION,
} from './plant.ts'

let clock = 0
const isDone = (task: Body): boolean => task['status'] === 'SUCCESS' || task['status'] === 'FAILED'

/** Changes the creation result of a task. */
const created = (call: Parameters<typeof answers>[0], change: (task: Body) => void): Fault =>
  answers(call, (fields) => {
    if ('task_id' in fields) change(fields)
  })

/** Changes the result with a URL. */
const result = (change: (fields: Body) => void): Fault =>
  answers(SPEECH, (fields) => {
    if ('url' in fields) change(fields)
  })

/** Counts the polls of each task. */
function polled(change: (task: Body, poll: number) => void): Fault {
  const polls = new Map<string, number>()
  return {
    ...answers(TASK, (task, { path }) => {
      const poll = (polls.get(path) ?? 0) + 1
      polls.set(path, poll)
      change(task, poll)
    }),
    newTasks: true,
  }
}

/** Faults of tasks and of results with a URL. */
export const taskFaults: readonly Planted[] = [
  [
    'created_at of a task moves',
    'general.timestamps',
    answers(TASK, (task) => void (task['created_at'] = Number(task['created_at']) + ((clock += 1) % 100))),
  ],
  [
    'the times of a task are in milliseconds',
    'general.timestamps',
    answers(TASK, (task) => void (task['updated_at'] = 1000 * Number(task['updated_at']))),
  ],
  [
    'the time of a task is in a zone of its own',
    'general.timestamps',
    created(SPEECH, (task) => void (task['created_at'] = Number(task['created_at']) + 7200)),
  ],
  [
    'updated_at goes back',
    'general.timestamps',
    polled((task, poll) => void (task['updated_at'] = Number(task['updated_at']) - 5 * poll)),
  ],
  ['a result has no URL', 'speech-result.fields', result((fields) => void delete fields['url'])],
  ['the URL of a result is a path', 'speech-result.fields', result((fields) => void (fields['url'] = '/v1/results/1'))],
  ['a finished result is pending', 'speech-result.fields', result((fields) => void (fields['status'] = 'PENDING'))],
  ['a result has another object', 'speech-result.object', result((fields) => void (fields['object'] = 'audio'))],
  [
    'the format of a result is the wrong one',
    'speech-result.actual-format',
    result((fields) => void (fields['response_format'] = 'wav')),
  ],
  [
    'the MIME type of a result is unspecific',
    'speech-result.actual-format',
    result((fields) => void (fields['content_type'] = 'application/octet-stream')),
  ],
  [
    'the URL of a result leads nowhere',
    'speech.url-answer',
    result((fields) => void (fields['url'] = `${String(fields['url'])}x/missing`)),
  ],
  [
    'the URL leads to the speech of another text',
    'speech.url-answer',
    asks(SPEECH, (json) => {
      if (json['delivery_method'] === 'url')
        json['input'] = 'Nobody knows why some penguins dislike our orange umbrellas so much.'
    }),
  ],
  ['a task has no task_id', 'creation.fields', created(SPEECH, (task) => void delete task['task_id'])],
  [
    'the object of a transcription task is speech',
    'creation.object',
    created(TRANSCRIPTION, (task) => void (task['object'] = 'audio.speech')),
  ],
  ['a new task has succeeded', 'creation.immediate', created(SPEECH, (task) => void (task['status'] = 'SUCCESS'))],
  ['a new task is queued', 'creation.status', created(SPEECH, (task) => void (task['status'] = 'QUEUED'))],
  ['a new task is processing', 'states.created', created(SPEECH, (task) => void (task['status'] = 'PROCESSING'))],
  [
    'voice generation has no model_id',
    'creation.model-id',
    created(GENERATION, (task) => void delete task['model_id']),
  ],
  [
    'model_id is another model',
    'creation.model-id',
    created(GENERATION, (task) => void (task['model_id'] = 'svc-tts-1.5-flash')),
  ],
  [
    'speech has a model_id',
    'creation.model-id',
    created(SPEECH, (task) => void (task['model_id'] = 'svc-tts-1.5-flash')),
  ],
  ['retry_after is a text', 'creation.retry-after', created(SPEECH, (task) => void (task['retry_after'] = '1'))],
  [
    'updated_at of a new task is a date',
    'creation.updated-at',
    created(SPEECH, (task) => void (task['updated_at'] = new Date().toISOString())),
  ],
  [
    'every task has the same id',
    'creation.task-id',
    answers(DIALOGUE, (task) => {
      if ('task_id' in task) task['task_id'] = 'one'
    }),
  ],
  ['async is ignored', 'speech.async', asks(SPEECH, (json) => void delete json['async'])],
  ['a poll has no updated_at', 'task.fields', answers(TASK, (task) => void delete task['updated_at'])],
  ['a task has the object task', 'task.object', answers(TASK, (task) => void (task['object'] = 'task'))],
  ['an ended task has a retry_after', 'task.retry-after', answers(TASK, (task) => void (task['retry_after'] = 1))],
  [
    'a running task has no retry_after',
    'task.retry-after',
    polled((task) => {
      if (!isDone(task)) delete task['retry_after']
    }),
  ],
  [
    'the result is wrapped',
    'task.result-at-top-level',
    answers(TASK, (task) => {
      const own = new Set(['id', 'object', 'status', 'created_at', 'updated_at'])
      const rest = Object.entries(task).filter(([name]) => !own.has(name))
      for (const [name] of rest) delete task[name]
      task['result'] = Object.fromEntries(rest)
    }),
  ],
  [
    'a finished task has no result',
    'task.result-at-top-level',
    answers(TASK, (task) => {
      for (const name of ['url', 'response_format', 'content_type', 'text', 'model_id']) delete task[name]
    }),
  ],
  ['a failed task has no error', 'task.error', answers(TASK, (task) => void delete task['error'])],
  [
    'the error of a task is a text',
    'task.error',
    answers(TASK, (task) => {
      if ('error' in task) task['error'] = 'It failed.'
    }),
  ],
  ['a successful task has an error', 'task.error', answers(TASK, (task) => void (task['error'] ??= { code: 'none' }))],
  ['a failed task is a success', 'states.failed', answers(TASK, (task) => void (task['status'] = 'SUCCESS'))],
  [
    'a state is in lower case',
    'states.normal-path',
    answers(TASK, (task) => void (task['status'] = String(task['status']).toLowerCase())),
  ],
  [
    'an ended task runs again',
    'states.terminal',
    polled((task, poll) => {
      if (isDone(task) && poll % 2 === 0) task['status'] = 'PROCESSING'
    }),
  ],
  [
    'an unknown task is pending',
    'task-query.path',
    accepts(TASK, { id: 't', object: 'audio.speech', status: 'PENDING' }),
  ],
  ['the id of a task changes', 'task-query.every-kind', answers(TASK, (task) => void (task['id'] = 'other'))],
  [
    'transcription tasks cannot be read',
    'task-query.every-kind',
    answers(TASK, (task) => {
      if (task['object'] === 'audio.transcription') delete task['id']
    }),
  ],
  [
    'a task speaks the text of another one',
    'speech.task-result',
    asks(SPEECH, (json) => {
      if (json['async'] === true) json['input'] = 'Nobody knows why some penguins dislike our orange umbrellas so much.'
    }),
  ],
  [
    'the task of a dialogue loses its end',
    'dialogue.async',
    asks(DIALOGUE, (json) => {
      if (json['async'] === true && Array.isArray(json['segments'])) json['segments'] = json['segments'].slice(0, 1)
    }),
  ],
  [
    'a finished transcription has no text',
    'transcription.task-result',
    answers(TASK, (task) => void delete task['text']),
  ],
  [
    'a webhook over http is accepted',
    'speech.webhook-url',
    {
      instead: (request) =>
        goesTo(SPEECH, request) && String(request.json['webhook_url']).startsWith('http://example')
          ? jsonResponse(200, { task_id: 't' })
          : undefined,
    },
  ],
  [
    'a webhook is never called',
    'speech.webhook-url',
    {
      ...asks(SPEECH, (json) => {
        if (String(json['webhook_url']).startsWith('http://127.')) delete json['webhook_url']
      }),
      timeout: 4000,
    },
  ],
  ['a webhook is called before the task ends', 'webhook.after-completion', calledEarly()],
  ['every webhook is refused', 'dialogue.webhook-url', rejects(DIALOGUE, ({ json }) => 'webhook_url' in json)],
]

/** Calls the webhook as soon as the request arrives. */
function calledEarly(): Fault {
  return {
    newTasks: true,
    request: (request) => {
      const url = request.form?.get('webhook_url')
      if (!goesTo(TRANSCRIPTION, request) || typeof url !== 'string' || !url.startsWith('http://127.')) return
      request.form?.delete('webhook_url')
      setTimeout(() => void fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined), 150)
    },
    answer: (response, request) => {
      if (goesTo(TASK, request)) response.body = Buffer.from(response.body.toString().replace('SUCCESS', 'PROCESSING'))
    },
  }
}
