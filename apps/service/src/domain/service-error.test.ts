import { expect, test } from 'vitest'
import { z } from 'zod'
import { bodyError, invalid, isInternalError, ServiceError } from './service-error.ts'

test('only 5xx errors that are not a lasting state are internal errors', () => {
  expect(isInternalError(new ServiceError(500, 'internal_error', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'storage_full', 'x'))).toBe(true)
  expect(isInternalError(new ServiceError(503, 'engine_unavailable', 'x'))).toBe(false)
  expect(isInternalError(new ServiceError(503, 'shutting_down', 'x'))).toBe(false)
  expect(isInternalError(invalid('invalid_type', 'input', 'x'))).toBe(false)
})

/** Returns the issue that the schema reports about a value. */
function complaint(schema: z.ZodType, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message
}

test.each([
  [z.boolean(), 'yes', 'async must be a boolean, not a string'],
  [z.string(), 5, 'async must be a string, not a number'],
  [z.array(z.string()), 'one', 'async must be an array, not a string'],
  [z.object({}), null, 'async must be an object, not null'],
  [z.number(), [], 'async must be a number, not an array'],
])('a wrong type has a plain message', (schema, value, message) => {
  expect(bodyError('async', complaint(schema, value))).toMatchObject({
    status: 400,
    code: 'invalid_type',
    message,
    param: 'async',
  })
})

test('an absent field has its own code', () => {
  const fault = bodyError('model', complaint(z.string(), undefined))
  expect(fault).toMatchObject({ code: 'missing_required_field', message: 'model is required', param: 'model' })
})

test('other issues of the schema are the message', () => {
  const fault = bodyError('name', complaint(z.string().max(2), 'long'))
  expect(fault).toMatchObject({ code: 'invalid_type', message: expect.stringMatching(/^name too big: /) })
})

test('an error of the whole body names no field', () => {
  const fault = bodyError('', complaint(z.object({}), []), 'The request')
  expect(fault).toMatchObject({ message: 'The request must be an object, not an array', param: undefined })
})
