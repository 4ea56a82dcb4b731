import { AudioClient } from '@svc-audio/core'
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
import { type Engine, TRIGGER_TYPE } from './support/engine.ts'
import { KEY } from './support/test-service.ts'
import { scripted } from './support/scripted.ts'

const given = scripted()
let audio: AudioClient
/** What n8n stores with the workflow. */
let stored: Record<string, unknown>

beforeEach(async () => {
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
  const { workflow, additionalData } = given.engine.prepare([{ name: 'Trigger', type: TRIGGER_TYPE, parameters }])
  const node = workflow.getNode('Trigger')
  if (node === null) throw new Error('The workflow lacks its node')
  const data = workflow.getStaticData('node', node)
  Object.assign(data, stored)
  const type = workflow.nodeTypes.getByNameAndVersion(TRIGGER_TYPE)
  return { workflow, additionalData, node, type, remember: () => void (stored = { ...data }) }
}

/** Calls the webhook of the trigger as n8n's server does. */
async function call(
  body: unknown,
  parameters: INodeParameters = {},
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
  const request = { body, headers: {}, query: {}, params: {} }
  Object.assign(additionalData, { httpRequest: request, httpResponse: response })
  const { WebhookContext } = given.engine.core
  const webhook = { httpMethod: 'POST', node: 'Trigger', path: 'webhook', webhookDescription: {}, workflowId: 'test' }
  const context = new WebhookContext(workflow, node, additionalData, 'webhook', webhook as never, [], null)
  const answer = await type.webhook?.call(context as unknown as IWebhookFunctions)
  remember()
  return { ...answer, ...(code === undefined ? {} : { status: code }) }
}

async function poll(parameters: INodeParameters): Promise<unknown[] | null> {
  const { workflow, additionalData, node, type, remember } = prepare({ source: 'polling', ...parameters })
  const { PollContext } = given.engine.core
  const context = new PollContext(workflow, node, additionalData, 'trigger', 'activate')
  const found = await type.poll?.call(context as unknown as IPollFunctions)
  remember()
  return found?.[0]?.map(({ json }) => json) ?? null
}

describe('a callback', () => {
  test('starts the workflow with what the service says of the task, and nothing of its own', async () => {
    const id = await startTask({ polls: 1 })
    const answer = await call({ id, status: 'FAILED', url: 'https://evil.example/a.wav', note: 'believe me' })
    const [item] = answer.workflowData?.[0] ?? []
    expect(item?.json).toMatchObject({ id, status: 'SUCCESS' })
    expect(JSON.stringify(item)).not.toMatch(/evil|believe/)
    expect(given.upstream.requests.at(-1)?.authorized).toBe(true)
  })

  test('that is repeated starts it once', async () => {
    const id = await startTask({ polls: 1 })
    expect((await call({ task_id: id })).workflowData).toHaveLength(1)
    expect(await call({ task_id: id })).toEqual({ noWebhookResponse: true, status: 200 })
  })

  test('for a task that has not finished is to come again', async () => {
    const id = await startTask({ polls: Infinity })
    expect(await call({ id })).toEqual({ noWebhookResponse: true, status: 503 })
    await given.upstream.completeTask(id)
    expect((await call({ id })).workflowData).toHaveLength(1)
  })

  test('for an unknown task starts nothing', async () => {
    expect(await call({ id: 'no-such-task' })).toEqual({ noWebhookResponse: true, status: 404 })
  })

  test.each([{}, { id: 7 }, { id: '' }, { id: 'x'.repeat(300) }, [], 'text', null])(
    '%j asks for nothing',
    async (body) => {
      expect(await call(body)).toEqual({ noWebhookResponse: true, status: 400 })
      expect(given.upstream.requests).toHaveLength(0)
    },
  )

  test('is to come again when the service cannot be asked', async () => {
    given.upstream.on('*', status(500))
    expect(await call({ id: 'task-1' })).toEqual({ noWebhookResponse: true, status: 503 })
  })

  test('for a status that is not wanted starts nothing', async () => {
    const id = await startTask({ polls: 1, error: { code: 'x', message: 'y' } })
    expect(await call({ id }, { statuses: ['SUCCESS'] })).toEqual({ noWebhookResponse: true, status: 200 })
    expect((await call({ id }, { statuses: '={{ "FAILED" }}' })).workflowData).toHaveLength(1)
  })
})

describe('polling', () => {
  test('starts the workflow once for each task that has finished', async () => {
    const [done, open] = [await startTask({ polls: 1 }), await startTask({ polls: 2 })]
    const taskIds = `={{ "${done},${open}" }}`
    expect(await poll({ taskIds })).toEqual([expect.objectContaining({ id: done, status: 'SUCCESS' })])
    expect(await poll({ taskIds })).toEqual([expect.objectContaining({ id: open, status: 'SUCCESS' })])
    expect(await poll({ taskIds })).toBeNull()
  })

  test('says when a task cannot be read', async () => {
    await expect(poll({ taskIds: ['no-such-task'] })).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '404' })
  })

  test('asks for nothing where the webhook is chosen', async () => {
    expect(await poll({ source: 'webhook' })).toBeNull()
    expect(given.upstream.requests).toHaveLength(0)
  })
})

test('activation registers nothing, and leaves nothing behind', async () => {
  const { type } = prepare({})
  const { checkExists, create, delete: remove } = type.webhookMethods?.['default'] ?? {}
  for (const hook of [checkExists, create, remove]) expect(await hook?.call(undefined as never)).toBe(true)
  expect(given.upstream.requests).toHaveLength(0)
})
