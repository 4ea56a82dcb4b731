import { ApiError, NotReplayableError } from '@svc-audio/core'
import { expect, test, vi } from 'vitest'
import { toGatewayError } from './audio-gateway-error.ts'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { logFailure, type LogFailureOptions } from './failure-log.ts'
import { UploadError } from './upload-error.ts'

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
