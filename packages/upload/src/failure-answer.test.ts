import { ApiError, ConfigurationError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { FAILURE_CODES, failureAnswer } from './failure-answer.ts'
import { UploadError } from './upload-error.ts'

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
