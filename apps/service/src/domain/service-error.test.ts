import { expect, test } from 'vitest'
import { invalid, isInternalError, ServiceError } from './service-error.ts'

test('only 5xx errors that are not a lasting state are internal errors', () => {
  expect(isInternalError(new ServiceError(500, 'internal_error', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'storage_full', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'engine_unavailable', 'x'))).toBe(false)
  expect(isInternalError(new ServiceError(503, 'shutting_down', 'x'))).toBe(false)
  expect(isInternalError(invalid('invalid_type', 'input', 'x'))).toBe(false)
})
