import { expect, test } from 'vitest'
import { invalid, isInternalError, ServiceError } from './service-error.ts'

test('what is ours to mend is a fault; what each request is told for a while is none, nor what the caller did', () => {
  expect(isInternalError(new ServiceError(500, 'internal_error', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'storage_full', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'engine_unavailable', 'x'))).toBe(false)
  expect(isInternalError(new ServiceError(503, 'shutting_down', 'x'))).toBe(false)
  expect(isInternalError(invalid('invalid_type', 'input', 'x'))).toBe(false)
})
