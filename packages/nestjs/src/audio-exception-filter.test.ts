import 'reflect-metadata'
import type { ArgumentsHost } from '@nestjs/common'
import { ApiError } from '@svc-audio/core'
import { ClientDisconnectedError, UploadError } from '@svc-audio/upload'
import { expect, test } from 'vitest'
import { AudioExceptionFilter } from './audio-exception-filter.ts'
import { AudioFailure } from './audio-exception.ts'

class Silent extends AudioExceptionFilter {
  protected override report(): void {}
}

const contextOf = (type: string): ArgumentsHost => ({ getType: () => type }) as unknown as ArgumentsHost
/** A context of a type that this package does not know. */
const elsewhere = contextOf('other')

/** Errors of a second copy of a package: other classes with the same marks. */
function fromAnotherCopy(mark: string): object {
  return { [Symbol.for(mark)]: true, name: 'ApiError', status: 401 }
}

test.each([
  [new ApiError('no', { status: 401 }), true],
  [new UploadError('missing_file', 'no'), true],
  [new ClientDisconnectedError(), true],
  [fromAnotherCopy('svc-audio.error'), true],
  [fromAnotherCopy('svc-audio.upload-error'), true],
  [fromAnotherCopy('svc-audio.client-disconnected-error'), true],
  [new Error('no'), false],
  [undefined, false],
])('it catches errors of this package, of every copy of it, and nothing else (case %#)', (error, caught) => {
  expect(error instanceof AudioFailure).toBe(caught)
})

test("in other contexts the filter throws an exception without the service's message", () => {
  expect(() => new Silent().catch(new ApiError('sekret', { status: 401 }), elsewhere)).toThrow(
    expect.objectContaining({
      status: 502,
      response: {
        statusCode: 502,
        errorCode: 'audio_service_unavailable',
        message: 'The audio service cannot be used at the moment',
      },
    }),
  )
})

test('in GraphQL the error has extensions with the code, the status and when to retry', () => {
  expect(() =>
    new Silent().catch(new ApiError('sekret', { status: 429, retryAfter: 7 }), contextOf('graphql')),
  ).toThrow(
    expect.objectContaining({
      message: 'Too many requests at the moment',
      extensions: { code: 'rate_limited', statusCode: 429, retryAfterSeconds: 7 },
    }),
  )
})

test('an unknown error is rethrown', () => {
  const other = new Error('other')
  expect(() => new Silent().catch(other, elsewhere)).toThrow(other)
})

test.each([
  ['that has left', new ClientDisconnectedError(), false],
  ['whose response is on its way', new ApiError('no', { status: 500 }), true],
])('to a client %s nothing is written, and its connection is cut', (_who, error, headersSent) => {
  const done: string[] = []
  const response = new Proxy(
    { headersSent, raw: undefined, socket: null },
    {
      get: (target, name: string) => (name in target ? Reflect.get(target, name) : () => done.push(name)),
    },
  )
  const http = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => response }) }
  new Silent().catch(error, http as unknown as ArgumentsHost)
  expect(done).toEqual(['destroy'])
})
