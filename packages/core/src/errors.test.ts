import { describe, expect, test, vi } from 'vitest'
import * as errors from './errors.ts'

const TASK = {
  id: 't',
  object: 'audio.speech',
  status: 'FAILED',
  created_at: 1,
  updated_at: 2,
  error: { c: 1 },
} as const

const ALL: readonly [string, errors.SvcAudioError][] = [
  ['ApiError', new errors.ApiError('m', { status: 500 })],
  ['ConfigurationError', new errors.ConfigurationError('m')],
  ['ConnectionError', new errors.ConnectionError('m', { cause: new Error('c') })],
  ['EventTooLargeError', new errors.EventTooLargeError(10)],
  ['InvalidRequestError', new errors.InvalidRequestError('code', 'param', 'm')],
  ['NotReplayableError', new errors.NotReplayableError('m')],
  ['ProtocolError', new errors.ProtocolError('m')],
  ['ResultUnavailableError', new errors.ResultUnavailableError('m', { taskId: 't' })],
  ['StreamFailedError', new errors.StreamFailedError('m', { code: 'c' })],
  ['StreamTruncatedError', new errors.StreamTruncatedError('m', { bytes: 1 })],
  ['TaskFailedError', new errors.TaskFailedError(TASK)],
  ['TaskTimeoutError', new errors.TaskTimeoutError('t', 50, TASK)],
  ['TimeoutError', new errors.TimeoutError('idle', 'm')],
]

test('every exported class is among these', () => {
  const classes = Object.keys(errors).filter((name) => name.endsWith('Error') && name !== 'SvcAudioError')
  expect(ALL.map(([name]) => name)).toEqual(classes.toSorted())
})

describe.each(ALL)('%s', (name, error) => {
  test('is an Error with its own name', () => {
    expect(error).toBeInstanceOf(Error)
    expect(error).toBeInstanceOf(errors.SvcAudioError)
    expect(error.name).toBe(name)
    expect(String(error)).toMatch(new RegExp(`^${name}: `))
  })

  test('is recognized by a second copy of the package, where instanceof fails', async () => {
    vi.resetModules()
    const copy = await import('./errors.ts')
    expect(copy.SvcAudioError).not.toBe(errors.SvcAudioError)
    expect(error).not.toBeInstanceOf(copy.SvcAudioError)
    expect(copy.SvcAudioError.isInstance(error)).toBe(true)
    expect(classNamed(copy, name).isInstance(error)).toBe(true)
  })

  test('is no instance of the other classes', () => {
    const others = ALL.map(([other]) => other).filter((other) => other !== name)
    expect(others.filter((other) => classNamed(errors, other).isInstance(error))).toEqual([])
  })
})

test("a user's subclass recognizes its own instances only", () => {
  class OwnError extends errors.SvcAudioError {}
  expect(OwnError.isInstance(new OwnError('m'))).toBe(true)
  expect(OwnError.isInstance(new errors.ProtocolError('m'))).toBe(false)
})

test.each([undefined, null, 'error', {}, new Error('m'), new TypeError('m')])('%j is no error of ours', (value) => {
  expect(errors.SvcAudioError.isInstance(value)).toBe(false)
})

test('an error of arguments names the field first', () => {
  expect(new errors.InvalidRequestError('invalid_range', 'speed', 'must be from 0.25 to 4').message).toBe(
    'speed: must be from 0.25 to 4',
  )
})

test('a failed task has its unchanged error, with the known fields', () => {
  const error = new errors.TaskFailedError(TASK, { code: 'engine_failed', message: 'no engine' })
  expect(error).toMatchObject({ taskId: 't', task: TASK, error: { c: 1 }, code: 'engine_failed' })
  expect(error.message).toBe('The task t failed: no engine')
})

test('a wait that timed out names the way to resume', () => {
  const error = new errors.TaskTimeoutError('t', 50, TASK)
  expect(error).toMatchObject({ taskId: 't', task: TASK })
  expect(error.message).toContain('tasks.wait("t")')
})

describe('of two requests with one idempotency key', () => {
  const retryable = (code?: string): boolean => new errors.ApiError('m', { status: 409, code }).retryable

  test('the same one may succeed later', () => {
    expect(retryable('idempotency_in_progress')).toBe(true)
  })

  test('another one needs another key', () => {
    expect(retryable('idempotency_conflict')).toBe(false)
  })

  test('with an unknown cause may be retried', () => {
    expect([retryable(), retryable('conflict')]).toEqual([true, true])
  })
})

function classNamed(copy: typeof errors, name: string): { isInstance(value: unknown): boolean } {
  return Reflect.get(copy, name)
}
