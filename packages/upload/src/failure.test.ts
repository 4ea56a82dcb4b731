import { ApiError, ConfigurationError, NotReplayableError } from '@svc-audio/core'
import { expect, test, vi } from 'vitest'
import { ClientDisconnectedError, toGatewayError, UploadError } from './errors.ts'
import { FAILURE_CODES, failureAnswer, logFailure, type LogFailureOptions } from './failure.ts'

function lines(error: unknown, options: LogFailureOptions = {}): string[] {
  const found: string[] = []
  logFailure(error, { logger: { error: (line) => found.push(line) }, ...options })
  return found
}

const busy = (): ApiError => new ApiError('no engine', { status: 503, code: 'busy', requestId: 'req_1' })

test("the line names the response, and every cause with the service's text", () => {
  const retried = new NotReplayableError('the stream was read', { cause: busy() })
  expect(lines(toGatewayError(retried), { where: 'POST /transcribe' })).toEqual([
    'POST /transcribe 502 audio_service_unavailable: NotReplayableError: the stream was read' +
      ' <- ApiError 503 busy: no engine (request req_1)',
  ])
})

test('mistakes of callers and disconnects are not logged', () => {
  for (const error of [
    new UploadError('empty_file', 'empty'),
    new ClientDisconnectedError(),
    toGatewayError(new ApiError('slow down', { status: 429 })),
    new Error('of another library'),
    undefined,
  ]) {
    expect(lines(error)).toEqual([])
  }
})

test('an error is logged once, even if several handlers see it', () => {
  const error = toGatewayError(busy())
  expect([lines(error), lines(error)].flat()).toHaveLength(1)
})

test('a message of the service cannot start a log line', () => {
  const [line] = lines(toGatewayError(new ApiError('a\nERROR forged\u2028b', { status: 500 })))
  expect(line).toMatch(/: a ERROR forged b$/)
})

test('without a logger it is console.error; `false` is silence', () => {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
  logFailure(toGatewayError(busy()))
  logFailure(toGatewayError(busy()), { logger: false })
  expect(spy).toHaveBeenCalledTimes(1)
  spy.mockRestore()
})

test('a circle of causes ends', () => {
  const error = new UploadError('tee_failed', 'no copy', { cause: new Error('disk') })
  const circle = new Error('circle')
  circle.cause = circle
  expect(lines(error)).toHaveLength(1)
  expect(lines(new UploadError('tee_failed', 'no copy', { cause: circle }))[0]?.length).toBeLessThan(300)
})

test('a refused upload is answered with its status, code and message', () => {
  const response = { status: 400, code: 'empty_file', message: 'The file is empty' }
  expect(failureAnswer(new UploadError('empty_file', 'The file is empty'))).toEqual(response)
})

test('a fault of the server hides its message', () => {
  const response = failureAnswer(new UploadError('body_already_read', 'sekret'))
  expect(response).toEqual({ status: 500, code: 'body_already_read', message: 'The server made a mistake' })
})

test('a disconnected client is 499', () => {
  expect(failureAnswer(new ClientDisconnectedError())).toMatchObject({ status: 499, code: 'client_disconnected' })
})

test('a failed call to the service gets a safe message', () => {
  const response = failureAnswer(new ApiError('sekret', { status: 429, retryAfter: 7 }))
  expect(response).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 7 })
  expect(response?.message).not.toContain('sekret')
})

test('FAILURE_CODES has the code of every failed call', () => {
  const codes = Array.from({ length: 200 }, (_, index) => {
    const status = 400 + index
    return failureAnswer(new ApiError('failed', { status, param: status === 422 ? 'model' : 'file' }))?.code
  })
  codes.push(failureAnswer(new ConfigurationError('wrong'))?.code)
  expect(codes.filter((code) => code === undefined || !FAILURE_CODES.includes(code))).toEqual([])
  expect(codes).toContain('undecodable_audio')
})

test('a foreign error has no response', () => {
  expect([new Error('x'), undefined, { status: 418 }].map((error) => failureAnswer(error))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
