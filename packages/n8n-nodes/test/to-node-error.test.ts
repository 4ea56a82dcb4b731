import { ApiError, ConnectionError, InvalidRequestError } from '@svc-audio/core/pure'
import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { expect, test } from 'vitest'
import { toNodeError } from '../nodes/SvcAudio/errors/index.ts'

const NODE: INode = { id: '1', name: 'Speak', type: 'svcAudio', typeVersion: 1, position: [0, 0], parameters: {} }

test('a response of the service keeps its message, and tells code, field and request', () => {
  const options = { status: 400, code: 'invalid_range', param: 'speed', requestId: 'r-1' }
  const error = toNodeError(
    NODE,
    new ApiError('POST /v1 answered 400: too fast', { ...options, serviceMessage: 'too fast' }),
    3,
  )
  expect(error).toBeInstanceOf(NodeApiError)
  expect(error).toMatchObject({
    message: 'Speed: too fast [item 3]',
    description: 'Change Speed, or check its expression. (status 400, code invalid_range, request r-1)',
    httpCode: '400',
    context: { itemIndex: 3 },
  })
})

test('nothing of the request behind a failure is kept, since it carries the key', () => {
  const request = { config: { headers: { Authorization: 'Bearer secret-key' } } }
  const cause = Object.assign(new Error('aborted'), request)
  const error = toNodeError(NODE, new ConnectionError('POST /v1 failed: aborted', { cause }), 0)
  expect(error).toBeInstanceOf(NodeApiError)
  expect(error.cause).toBeUndefined()
  expect(JSON.stringify([error, error.messages, error.errorResponse, error.context])).not.toContain('secret-key')
})

test('a mistake in the fields is an operation error', () => {
  const error = toNodeError(NODE, new InvalidRequestError('missing_required_field', 'input', 'is required'), 1)
  expect(error).toBeInstanceOf(NodeOperationError)
  expect(error).toMatchObject({ message: 'Text: is required [item 1]', context: { itemIndex: 1 } })
})

test("n8n's own errors stay as they are", () => {
  const own = new NodeOperationError(NODE, 'The item has no binary field')
  expect(toNodeError(NODE, own, 0)).toBe(own)
})

test('anything else is an operation error', () => {
  expect(toNodeError(NODE, new TypeError('odd'), 0)).toMatchObject({
    name: 'NodeOperationError',
    message: 'odd [item 0]',
  })
  expect(toNodeError(NODE, 'odd', 0)).toMatchObject({ name: 'NodeOperationError', message: 'odd [item 0]' })
})
