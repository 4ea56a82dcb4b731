import { setTimeout as delay } from 'node:timers/promises'
import { AudioClient } from '@svc-audio/core'
import { signWebhook } from '@svc-audio/core/webhooks'
import { status, type TestUpstream } from '@svc-audio/testing'
import type {
  INode,
  INodeParameters,
  INodeType,
  IPollFunctions,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import { type Engine, TRIGGER_TYPE } from './support/engine.ts'
import { KEY, scripted } from './support/scripted.ts'
import { byId } from './support/parameters.ts'

const given = scripted()
let audio: AudioClient
/** What n8n stores with the workflow. */
let stored: Record<string, unknown>
/** The trigger of each test is another node, since the process remembers what each trigger has started. */
let triggers = 0

beforeEach(async () => {
  triggers += 1
  audio = new AudioClient({ apiKey: KEY, baseUrl: given.upstream.url })
  stored = {}
})

afterEach(async () => {
  await audio.close()
})

async function startTask(plan: Parameters<TestUpstream['nextTask']>[0]): Promise<string> {
  given.upstream.nextTask(plan)
  const task = await audio.speech.createTask({ model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: 'voice-1' })
  return task.id
}

interface Prepared extends ReturnType<Engine['prepare']> {
  readonly type: INodeType
  readonly node: INode
  /** Stores what the node wants to be stored with the workflow. */
  readonly remember: () => void
}

function prepare(parameters: INodeParameters): Prepared {
  const name = `Trigger ${triggers}`
  const trigger = { name, type: TRIGGER_TYPE, parameters }
  const { workflow, additionalData } = given.engine.prepare([trigger], workflowId())
  const node = workflow.getNode(name)
  if (node === null) throw new Error('The workflow lacks its node')
  const data = workflow.getStaticData('node', node)
  Object.assign(data, stored)
  workflow.staticData['__dataChanged'] = false
  const type = workflow.nodeTypes.getByNameAndVersion(TRIGGER_TYPE)
  const remember = (): void => {
    if (workflow.staticData['__dataChanged'] === true) stored = { ...data }
  }
  return { workflow, additionalData, node, type, remember }
}

/** Calls the webhook of the trigger as n8n's server does. */
async function call(
  body: unknown,
  parameters: INodeParameters = {},
  { headers = {}, ...raw }: { readonly headers?: object; readonly rawBody?: Buffer } = {},
): Promise<IWebhookResponseData & { status?: number }> {
  const { workflow, additionalData, node, type, remember } = prepare(parameters)
  let code: number | undefined
  const response = {
    status(value: number) {
      code = value
      return response
    },
    json: () => response,
  }
  const request = { body, headers, query: {}, params: {}, ...raw }
  Object.assign(additionalData, { httpRequest: request, httpResponse: response })
  const { WebhookContext } = given.engine.core
  const webhook = { httpMethod: 'POST', node: node.name, path: 'webhook', webhookDescription: {}, workflowId: 'test' }
  const context = new WebhookContext(workflow, node, additionalData, 'webhook', webhook as never, [], null)
  const answer = await type.webhook?.call(context as unknown as IWebhookFunctions)
  remember()
  return { ...answer, ...(code === undefined ? {} : { status: code }) }
}

/** The workflow of each test is another one too: the process remembers the tasks that each has registered. */
function workflowId(): string {
  return `workflow-${triggers}`
}

async function poll(parameters: INodeParameters = {}, registered?: string[]): Promise<unknown[] | null> {
  const { workflow, additionalData, node, type, remember } = prepare({ source: 'polling', ...parameters })
  if (registered !== undefined) workflow.getStaticData('global')['svcAudioTasks'] = registered
  const { PollContext } = given.engine.core
  const context = new PollContext(workflow, node, additionalData, 'trigger', 'activate')
  const found = await type.poll?.call(context as unknown as IPollFunctions)
  remember()
  return found?.[0]?.map(({ json }) => json) ?? null
}

describe('a callback', () => {
  test('a callback starts the workflow with what the service says of the task, and nothing of its own', async () => {
    const id = await startTask({ polls: 1 })
    const answer = await call({ id, status: 'FAILED', url: 'https://evil.example/a.wav', note: 'believe me' })
    const [item] = answer.workflowData?.[0] ?? []
    expect(item?.json).toMatchObject({ id, status: 'SUCCESS' })
    expect(JSON.stringify(item)).not.toMatch(/evil|believe/)
    expect(given.upstream.requests.at(-1)?.authorized).toBe(true)
  })

  test('a callback that is repeated starts it once', async () => {
    const id = await startTask({ polls: 1 })
    expect((await call({ task_id: id })).workflowData).toHaveLength(1)
    expect(await call({ task_id: id })).toEqual({ noWebhookResponse: true, status: 200 })
  })

  test('a callback for a task that has not finished is to come again', async () => {
    const id = await startTask({ polls: Infinity })
    expect(await call({ id })).toEqual({ noWebhookResponse: true, status: 503 })
    await given.upstream.completeTask(id)
    expect((await call({ id })).workflowData).toHaveLength(1)
  })

  test('a callback for an unknown task starts nothing', async () => {
    expect(await call({ id: 'no-such-task' })).toEqual({ noWebhookResponse: true, status: 404 })
  })

  test.each([{}, { id: 7 }, { id: '' }, { id: 'x'.repeat(300) }, [], 'text', null])(
    '%j asks for nothing',
    async (body) => {
      expect(await call(body)).toEqual({ noWebhookResponse: true, status: 400 })
      expect(given.upstream.requests).toHaveLength(0)
    },
  )

  test('a callback is to come again when the service cannot be asked', async () => {
    given.upstream.on('*', status(500))
    expect(await call({ id: 'task-1' })).toEqual({ noWebhookResponse: true, status: 503 })
  })

  test('a callback for a status that is not wanted starts nothing', async () => {
    const id = await startTask({ polls: 1, error: { code: 'x', message: 'y' } })
    expect(await call({ id }, { statuses: ['SUCCESS'] })).toEqual({ noWebhookResponse: true, status: 200 })
    expect((await call({ id }, { statuses: '={{ "FAILED" }}' })).workflowData).toHaveLength(1)
  })
})

describe('callbacks of several tasks at once', () => {
  test('100 tasks with 5 callbacks each, at random moments, start 100 runs', async () => {
    const random = new Random(SEED)
    const ids: string[] = []
    for (let count = 0; count < 100; count += 1) ids.push(await startTask({ polls: 1 }))
    const runs: unknown[] = []
    await Promise.all(
      ids
        .flatMap((id) => Array.from({ length: 5 }, () => id))
        .map((id) => ({ id, at: random.next() }))
        .toSorted((a, b) => a.at - b.at)
        .map(async ({ id, at }) => {
          await delay(at * 300)
          let answer = await call({ id })
          // A service repeats a callback that is refused, as on a machine where a read takes too long.
          while (answer.status === 503) answer = await call({ id })
          const { workflowData } = answer
          if (workflowData !== undefined) runs.push(workflowData[0]?.[0]?.json['id'])
        }),
    )
    expect(runs).toHaveLength(100)
    expect(new Set(runs)).toEqual(new Set(ids))
    await call({ id: await startTask({ polls: 1 }) })
    expect(stored['seen']).toEqual(expect.arrayContaining(ids))
  }, 600_000)

  test('two callbacks at the same moment read the task once, and the second is answered when the first is', async () => {
    const id = await startTask({ polls: 1 })
    const before = given.upstream.requests.length
    const answers = await Promise.all([call({ id }), call({ id })])
    expect(answers.filter(({ workflowData }) => workflowData !== undefined)).toHaveLength(1)
    expect(answers.find(({ status: code }) => code !== undefined)).toEqual({ noWebhookResponse: true, status: 200 })
    expect(given.upstream.requests.length - before).toBe(1)
  })

  test('a task that another process has started is known by the stored data', async () => {
    const id = await startTask({ polls: 1 })
    stored = { seen: ['another-task', id] }
    expect(await call({ id })).toEqual({ noWebhookResponse: true, status: 200 })
    const next = await startTask({ polls: 1 })
    expect((await call({ id: next })).workflowData).toHaveLength(1)
    expect(stored['seen']).toEqual(['another-task', id, next])
  })

  test('a copy of the stored data that lost a task gets it back with the next one', async () => {
    const [first, second] = [await startTask({ polls: 1 }), await startTask({ polls: 1 })]
    await call({ id: first })
    stored = {}
    await call({ id: second })
    expect(stored['seen']).toEqual([first, second])
  })

  test('at most 500 tasks are stored with the workflow', async () => {
    const id = await startTask({ polls: 1 })
    stored = { seen: Array.from({ length: 600 }, (_, index) => `old-${index}`) }
    await call({ id })
    expect(stored['seen']).toHaveLength(500)
    expect(stored['seen']).toEqual(expect.arrayContaining([id, 'old-599']))
  })
})

describe('with a Webhook Secret in the credentials', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, or so').toString('base64')}`

  async function signed(id: string, key = secret): Promise<ReturnType<typeof call>> {
    const body = JSON.stringify({ id, status: 'SUCCESS' })
    const timestamp = Math.floor(Date.now() / 1000)
    const headers = await signWebhook({ id: 'msg-1', timestamp, body, secret: key })
    return call({ id, status: 'SUCCESS' }, {}, { headers: { ...headers }, rawBody: Buffer.from(body) })
  }

  beforeEach(() => {
    given.engine.credentials = { ...given.engine.credentials, webhookSecret: `${secret}, whsec_${'b'.repeat(32)} ` }
  })

  test('a callback that the service signed starts the workflow', async () => {
    expect((await signed(await startTask({ polls: 1 }))).workflowData).toHaveLength(1)
  })

  test.each(['no signature', 'another secret', 'no raw body'])(
    'a callback with %s is refused, and nothing is read',
    async (what) => {
      const id = await startTask({ polls: 1 })
      const before = given.upstream.requests.length
      const other = `whsec_${'c'.repeat(32)}`
      const answer = what === 'another secret' ? await signed(id, other) : await call({ id })
      expect(answer).toEqual({ noWebhookResponse: true, status: 401 })
      expect(given.upstream.requests.length).toBe(before)
    },
  )

  test('a callback is to come again when the secret is not one', async () => {
    given.engine.credentials = { ...given.engine.credentials, webhookSecret: 'my secret' }
    expect(await signed(await startTask({ polls: 1 }))).toEqual({ noWebhookResponse: true, status: 503 })
  })
})

test('the response to a callback that starts the workflow is a sentence', () => {
  const [webhook] = prepare({}).type.description.webhooks ?? []
  expect(webhook?.responseData).toBe('The task has started the workflow')
})

describe('polling', () => {
  test('starts the workflow once for each task that has finished', async () => {
    const [done, open] = [await startTask({ polls: 1 }), await startTask({ polls: 2 })]
    const taskIds = `={{ "${done},${open}" }}`
    expect(await poll({ taskIds })).toEqual([expect.objectContaining({ id: done, status: 'SUCCESS' })])
    expect(await poll({ taskIds })).toEqual([expect.objectContaining({ id: open, status: 'SUCCESS' })])
    expect(await poll({ taskIds })).toBeNull()
  })

  test('a task that is gone is an end of its own, once', async () => {
    const gone = { id: 'no-such-task', status: 'GONE', error: { code: 'task_not_found', message: expect.any(String) } }
    expect(await poll({ taskIds: ['no-such-task'] })).toEqual([gone])
    expect(await poll({ taskIds: ['no-such-task'] })).toBeNull()
  })

  test('a task that is gone starts nothing where that end is not wanted, and is not read again', async () => {
    const parameters = { taskIds: ['no-such-task'], statuses: ['SUCCESS'] }
    expect(await poll(parameters)).toBeNull()
    const before = given.upstream.requests.length
    expect(await poll(parameters)).toBeNull()
    expect(given.upstream.requests.length).toBe(before)
  })

  test('no task is gone where the address answers 404 to everything', async () => {
    given.upstream.on('*', status(404))
    await expect(poll({ taskIds: ['task-1'] })).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '404' })
  })

  test('a task that cannot be read does not hold back one that has ended', async () => {
    const done = await startTask({ polls: 1 })
    given.upstream.next('GET /v1/audio/tasks/{task_id}', status(400, { error: { message: 'Odd' } }))
    expect(await poll({ taskIds: ['odd-task', done] })).toEqual([expect.objectContaining({ id: done })])
  })

  test('a poll that comes while another one runs reads nothing', async () => {
    const done = await startTask({ polls: 1 })
    const found = await Promise.all([poll({ taskIds: [done] }), poll({ taskIds: [done] })])
    expect(found.filter((one) => one !== null)).toHaveLength(1)
  })

  test('asks for nothing where the webhook is chosen', async () => {
    expect(await poll({ source: 'webhook' })).toBeNull()
    expect(given.upstream.requests).toHaveLength(0)
  })
})

describe('tasks that Start Task registers', () => {
  const start = (options: INodeParameters): Promise<unknown> => {
    const fields = { resource: 'speech', operation: 'startTask', text: 'Hi.', voice: byId('voice-1'), options }
    return given.engine.run([{ name: 'Start Task', parameters: fields }], {
      items: [{ json: {} }, { json: {} }],
      workflowId: workflowId(),
    })
  }

  test('registered tasks start the polling trigger of the same workflow, each once', async () => {
    for (const polls of [1, 1]) given.upstream.nextTask({ polls })
    await start({ registerForPolling: '={{ "true" }}' })
    expect((await poll())?.length).toBe(2)
    expect(await poll()).toBeNull()
  })

  test('tasks that are not registered start no trigger', async () => {
    await start({})
    const before = given.upstream.requests.length
    expect(await poll()).toBeNull()
    expect(given.upstream.requests.length).toBe(before)
  })

  test('registered tasks survive a restart of n8n in the stored data', async () => {
    const [open, done] = [await startTask({ polls: Infinity }), await startTask({ polls: 1 })]
    expect(await poll({}, [open, done])).toEqual([expect.objectContaining({ id: done })])
  })

  test('an old copy of the stored data does not bring a task back', async () => {
    const done = await startTask({ polls: 1 })
    expect(await poll({}, [done])).toHaveLength(1)
    const before = given.upstream.requests.length
    expect(await poll({}, [done])).toBeNull()
    expect(given.upstream.requests.length).toBe(before)
  })
})

test('activation registers nothing, and leaves nothing behind', async () => {
  const { type } = prepare({})
  const { checkExists, create, delete: remove } = type.webhookMethods?.['default'] ?? {}
  for (const hook of [checkExists, create, remove]) expect(await hook?.call(undefined as never)).toBe(true)
  expect(given.upstream.requests).toHaveLength(0)
})
