import { ApiError, ConnectionError, InvalidRequestError } from '@svc-audio/core/pure'
import { type INode, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
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

describe('words that n8n takes for codes of the system', () => {
  const refusal = (serviceMessage: string, param = 'url'): ApiError =>
    new ApiError('POST /v1 answered 400', { status: 400, code: 'url_unreachable', param, serviceMessage })

  test.each([
    ['ECONNREFUSED', 'the connection was refused'],
    ['ECONNRESET', 'the connection was cut'],
    ['ENOTFOUND', 'its host has no address'],
    ['EAI_AGAIN', 'its host has no address'],
    ['ETIMEDOUT', 'it does not answer in time'],
    ['UND_ERR_CONNECT_TIMEOUT', 'it does not answer in time'],
    ['EHOSTUNREACH', 'its host cannot be reached'],
    ['EACCES', 'access is denied'],
    ['ENOENT', 'there is no such file'],
  ])('%s in a message of the service is said in words', (code, words) => {
    const { message } = toNodeError(NODE, refusal(`url cannot be fetched: ${code}`), 0)
    expect(message).toBe(`URL: cannot be fetched: ${words} [item 0]`)
  })

  test.each(['The voice "ECONNREFUSED" is unknown', 'The file "preexisting.wav" is gone', 'A supermarket reaccess'])(
    '%s stays as it is',
    (words) => {
      expect(toNodeError(NODE, refusal(words, 'voice_id'), 0).message).toBe(`Voice: ${words} [item 0]`)
      expect(toNodeError(NODE, new TypeError(words), 2).message).toBe(`${words} [item 2]`)
    },
  )
})

test.each([
  ['url', 'Open the URL in a browser'],
  ['file_id', 'Check that File is audio'],
  ['file', 'Check that Input Data Field Name holds audio'],
])('audio of %s that cannot be read names the field of the form', (param, start) => {
  const error = new ApiError('POST /v1 answered 415', { status: 415, code: 'undecodable_audio', param })
  expect(toNodeError(NODE, error, 0).description).toMatch(new RegExp(`^${start}`))
})

test.each([
  ['The voice "x" is unknown: see GET /v1/audio/voices', 'Voice: The voice "x" is unknown [item 0]'],
  ['voice_id is required: see GET /v1/audio/voices', 'Voice: is required [item 0]'],
])('the advice to send a request is no part of a headline: %s', (serviceMessage, message) => {
  const error = new ApiError('POST /v1 answered 404', { status: 404, param: 'voice_id', serviceMessage })
  expect(toNodeError(NODE, error, 0).message).toBe(message)
})
