import { expect, test } from 'vitest'
import { invalid, isFault, ServiceError } from './service-error.ts'

test('what is ours to mend is a fault; what each request is told for a while is none, nor what the caller did', () => {
  expect(isFault(new ServiceError(500, 'internal_error', 'x'))).toBe(true)
  expect(isFault(new ServiceError(503, 'storage_full', 'x'))).toBe(true)
  expect(isFault(new ServiceError(503, 'engine_unavailable', 'x'))).toBe(false)
  expect(isFault(new ServiceError(503, 'shutting_down', 'x'))).toBe(false)
  expect(isFault(invalid('invalid_type', 'input', 'x'))).toBe(false)
})
