import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { type ResponseFunction, happy } from '@svc-audio/testing'
import { type AgentMiddleware, createAgent, toolRetryMiddleware } from 'langchain'
import { expect, test } from 'vitest'
import { SpeechToolError } from '../src/index.ts'
import { toolsOf } from './support/calls.ts'
import { fails, startUpstream } from './support/upstream.ts'

const isRetryable = (error: Error): boolean => SpeechToolError.isInstance(error) && error.retryable

function failsTwice(status: number): ResponseFunction {
  let tries = 0
  return (exchange) => {
    tries += 1
    return tries < 3 ? fails(status) : happy(exchange)
  }
}

async function answersOf(tools: ReturnType<typeof toolsOf>['tools'], maxRetries: number): Promise<ToolMessage[]> {
  const model = fakeModel()
    .respondWithTools([{ name: 'speak', args: { text: 'Hello.' }, id: '1' }])
    .respond(new AIMessage('Done.'))
  // Its types do not compile under `exactOptionalPropertyTypes`, so it is cast below.
  const retry = toolRetryMiddleware({ maxRetries, retryOn: isRetryable, initialDelayMs: 1, onFailure: 'continue' })
  const { messages } = await createAgent({ model, tools, middleware: [retry as unknown as AgentMiddleware] }).invoke({
    messages: [new HumanMessage('Say it.')],
  })
  return messages.filter((message) => ToolMessage.isInstance(message))
}

test.each([429, 503])('toolRetryMiddleware sends a call again after %i', async (status) => {
  const { client, requests } = await startUpstream(failsTwice(status), { maxRetries: 0 })
  const [answer] = await answersOf(toolsOf({ client, onFailure: 'throw-retryable' }).tools, 3)
  expect(answer).toMatchObject({ status: 'success', content: expect.stringContaining('Reference:') })
  expect(requests).toHaveLength(3)
})

test.each([500, 502, 504])(
  'a call that may be billed is not sent again after %i, and stays a message',
  async (code) => {
    const { client, requests } = await startUpstream(failsTwice(code), { maxRetries: 0 })
    const [answer] = await answersOf(toolsOf({ client, onFailure: 'throw-retryable' }).tools, 3)
    expect(answer).toMatchObject({ status: 'error', artifact: { code: expect.any(String) } })
    expect(requests).toHaveLength(1)
  },
)

test('toolRetryMiddleware does not retry a refused key', async () => {
  const { client, requests } = await startUpstream(fails(401), { maxRetries: 0 })
  const [answer] = await answersOf(toolsOf({ client, onFailure: 'throw-retryable' }).tools, 3)
  expect(answer).toMatchObject({ status: 'error', artifact: { code: 'unauthorized' } })
  expect(requests).toHaveLength(1)
})

test('by default a failure is a message, so nothing is retried', async () => {
  const { client, requests } = await startUpstream(fails(502), { maxRetries: 0 })
  const [answer] = await answersOf(toolsOf({ client }).tools, 3)
  expect(answer).toMatchObject({ status: 'error', artifact: { code: 'unavailable', retryable: true } })
  expect(requests).toHaveLength(1)
})
