import { expect, test } from 'vitest'
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'
import { isLost, outcomeOf } from './pool.ts'

const serverError = (code: string, severity = 'ERROR') => Object.assign(new Error('said'), { code, severity })

test.each([
  Object.assign(new Error('read'), { code: 'ECONNRESET' }),
  new Error('Connection terminated unexpectedly'),
  new Error('Query read timeout'),
  serverError('57P01', 'FATAL'),
  serverError('57P02', 'FATAL'),
  serverError('08006', 'FATAL'),
])('a lost connection leaves the outcome of a write unknown, and that of a read not: %s', (error) => {
  expect(isLost(error)).toBe(true)
  expect(outcomeOf(error, true)).toBeInstanceOf(OutcomeUnknownError)
  expect(outcomeOf(error, false)).toBeInstanceOf(DatabaseUnavailableError)
})

test.each(['25006', '53100', '53200', '53300', '57014', '55P03', '40001', '40P01', '58030'])(
  '%s: a server that cannot work has certainly stored nothing',
  (code) => {
    const error = serverError(code)
    for (const stores of [true, false]) expect(outcomeOf(error, stores)).toBeInstanceOf(DatabaseUnavailableError)
    expect(isLost(error)).toBe(false)
  },
)

test.each(['42601', '23505', '42P01', '22P02'])('%s: a mistake stays what it is', (code) => {
  const error = serverError(code)
  expect(outcomeOf(error, true)).toBe(error)
})
