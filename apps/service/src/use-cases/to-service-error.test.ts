import { expect, test } from 'vitest'
import { EngineFailedError, EngineStuckError } from '@svc-audio/engine-ports'
import { EngineUnavailableError } from '../ports/engines.ts'
import { toServiceError } from './to-service-error.ts'

test('an engine that is down is 503 with the time of its next retry', () => {
  const failure = toServiceError(new EngineUnavailableError('speech', 7))
  expect(failure).toMatchObject({ status: 503, code: 'engine_unavailable', retryAfterSeconds: 7 })
  expect(failure.message).toBe('The speech engine does not work at the moment')
})

test('stuck work is 500 and hides its cause', () => {
  const failure = toServiceError(new EngineStuckError('thread 7 of /secret'))
  expect(failure).toMatchObject({ status: 500, code: 'engine_timeout', retryAfterSeconds: undefined })
  expect(failure.message).not.toContain('secret')
})

test('a crash of an engine is an internal error', () => {
  const failure = toServiceError(new EngineFailedError('trap in /secret'))
  expect(failure).toMatchObject({ status: 500, code: 'internal_error' })
  expect(failure.message).not.toContain('secret')
})
