import { type Check, check } from '../check.ts'
import { ensure, natural, NotChecked, NotSupported, object, oneOf, requireShape, seconds, text } from '../expect.ts'
import {
  finishedTask,
  hasEnded,
  lookAt,
  refused,
  runTask,
  send,
  type TaskName,
  type TaskRun,
} from '../subject/requests.ts'
import { shared } from '../subject/subject.ts'

const OBJECTS = {
  speech: 'audio.speech',
  dialogue: 'audio.speech',
  generation: 'audio.voice_generation',
  transcription: 'audio.transcription',
} as const
const KINDS = ['speech', 'dialogue', 'generation', 'transcription'] as const satisfies readonly TaskName[]

const CREATION = { id: text, task_id: text, object: text, status: text, created_at: seconds }
const TASK = { id: text, object: text, status: text, created_at: seconds, updated_at: seconds }

/** Creates one check per task type, so a missing type does not hide the others. */
function eachKind(rule: string, says: string, run: (task: TaskRun, kind: (typeof KINDS)[number]) => void): Check[] {
  return KINDS.map((kind) =>
    check(rule, `${says}: ${kind}`, async (subject) => run(await finishedTask(subject, kind), kind)),
  )
}

/** Creates a task that cannot succeed: its file is not audio. */
const failedTask = shared(async (subject): Promise<TaskRun> => {
  const file = new Blob(['This is no audio. '.repeat(100)], { type: 'audio/wav' })
  const response = await send(subject, 'transcription', { file, async: true })
  if (!response.accepted) throw new NotChecked('the server refuses a file without audio at once, so no task fails')
  return runTask(subject, 'transcription', { file })
})

const ORDER = ['PENDING', 'PROCESSING', 'SUCCESS']

/** Tasks. */
export const taskChecks: readonly Check[] = [
  ...eachKind('creation.immediate', 'the creation result arrives before the task ends', ({ creation }) => {
    ensure(!hasEnded(creation), `the creation result has the status ${String(creation['status'])}`)
  }),
  ...eachKind('creation.fields', 'the creation result has all its fields', ({ creation }) =>
    requireShape('the creation result', creation, CREATION),
  ),
  ...eachKind('creation.object', 'object names the task type', ({ creation }, kind) =>
    requireShape('the creation result', creation, { object: oneOf(OBJECTS[kind]) }),
  ),
  check('creation.task-id', 'the task is found by its task_id', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    requireShape('the task', await lookAt(subject, creation['task_id']), { id: text })
  }),
  check('creation.status', 'the status is PENDING or PROCESSING', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    requireShape('the creation result', creation, { status: oneOf('PENDING', 'PROCESSING') })
  }),
  check('creation.model-id', 'the creation result of voice generation has a model_id', async (subject) => {
    const { creation } = await finishedTask(subject, 'generation')
    const asked = subject.model('voice-generator-1.0')
    requireShape('the creation result', creation, { model_id: text })
    // A model id without a date may resolve to a dated one.
    ensure(String(creation['model_id']).startsWith(asked), `model_id is ${String(creation['model_id'])}, not ${asked}`)
  }),
  check('creation.model-id', 'the creation result of speech has no model_id', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    ensure(!('model_id' in creation), 'the creation result of speech has a model_id')
  }),
  check('creation.retry-after', 'retry_after is in whole seconds', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    if (!('retry_after' in creation)) throw new NotSupported('creation results have no retry_after')
    requireShape('the creation result', creation, { retry_after: natural })
  }),
  check('creation.updated-at', 'updated_at is a timestamp', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    if (!('updated_at' in creation)) throw new NotSupported('creation results have no updated_at')
    requireShape('the creation result', creation, { updated_at: seconds })
  }),
  ...eachKind('task.fields', 'every poll returns all fields of the task', ({ looks }) => {
    for (const look of looks) requireShape('the task', look, TASK)
  }),
  ...eachKind('task.object', 'object names the task type', ({ last }, kind) =>
    requireShape('the task', last, { object: oneOf(OBJECTS[kind]) }),
  ),
  check('task.retry-after', 'a running task has retry_after; an ended task has none', async (subject) => {
    const { looks, last } = await finishedTask(subject, subject.options.quick === true ? 'speech' : 'transcription')
    ensure(!('retry_after' in last), 'a task that has ended has a retry_after')
    for (const look of looks.filter((one) => !hasEnded(one))) requireShape('the task', look, { retry_after: natural })
  }),
  ...eachKind('task.result-at-top-level', 'the result fields are at the top level', ({ last }) => {
    ensure(!('result' in last), 'the task wraps its result')
    const known = new Set([...Object.keys(TASK), 'retry_after', 'task_id'])
    const own = Object.keys(last).filter((name) => !known.has(name))
    ensure(own.length > 0, `the task has no result: ${JSON.stringify(last).slice(0, 200)}`)
  }),
  ...eachKind('task.error', 'a successful task has no error', ({ last }) => {
    ensure((last['error'] ?? null) === null, `a successful task has the error ${JSON.stringify(last['error'])}`)
  }),
  check('task.error', 'a failed task has an error', async (subject) => {
    requireShape('the task', (await failedTask(subject)).last, { error: object })
  }),
  check('states.created', 'a new task is PENDING', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    requireShape('the creation result', creation, { status: oneOf('PENDING') })
  }),
  ...eachKind('states.normal-path', 'the states come in order', ({ creation, looks }) => {
    const places = [creation, ...looks].map((look) => ORDER.indexOf(String(look['status'])))
    ensure(!places.includes(-1), `a state is not one of ${ORDER.join(', ')}`)
    ensure(
      places.every((place, at) => place >= (places[at - 1] ?? 0)),
      'a task went back to an earlier state',
    )
  }),
  check('states.failed', 'a task that cannot succeed ends in FAILED', async (subject) => {
    requireShape('the task', (await failedTask(subject)).last, { status: oneOf('FAILED'), error: object })
  }),
  check('states.terminal', 'an ended task does not change', async (subject) => {
    for (const { creation, last } of [await finishedTask(subject, 'speech'), await failedTask(subject)]) {
      const again = await lookAt(subject, creation['task_id'])
      ensure(
        again['status'] === last['status'],
        `a task went from ${String(last['status'])} to ${String(again['status'])}`,
      )
    }
  }),
  check('creation.task-id', 'the ids of two tasks differ', async (subject) => {
    const [one, other] = [await finishedTask(subject, 'speech'), await finishedTask(subject, 'dialogue')]
    ensure(one.creation['task_id'] !== other.creation['task_id'], 'two tasks have the same task_id')
  }),
  check('task-query.path', 'an unknown task id is refused', async (subject) => {
    const { creation } = await finishedTask(subject, 'speech')
    const id = `${String(creation['task_id'])}-of-nobody`
    refused(await subject.api.send('GET', `/v1/audio/tasks/${id}`), 'a request for an unknown task')
  }),
  ...eachKind('task-query.every-kind', 'a task can be read', ({ last, creation }) => {
    ensure(last['id'] === creation['id'], 'the id of the task differs from its creation result')
  }),
]
