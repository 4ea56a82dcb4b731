import { expect, test } from 'vitest'
import { ClientDisconnectedError } from './client-disconnected-error.ts'
import { UploadError } from './upload-error.ts'

test('an upload error has the fields that frameworks read', () => {
  expect(new UploadError('file_too_large', 'too large')).toMatchObject({
    name: 'UploadError',
    code: 'file_too_large',
    status: 413,
    expose: true,
  })
  expect(new UploadError('body_already_read', 'read before')).toMatchObject({ status: 500, expose: false })
})

test('each class recognizes its own errors only', () => {
  const [upload, disconnected] = [new UploadError('empty_file', 'empty'), new ClientDisconnectedError()]
  expect(
    [upload, disconnected, new Error('other'), null, { status: 400 }].map((one) => UploadError.isInstance(one)),
  ).toEqual([true, false, false, false, false])
  expect([upload, disconnected].map((one) => ClientDisconnectedError.isInstance(one))).toEqual([false, true])
  expect(disconnected).toMatchObject({ status: 499, code: 'client_disconnected', expose: false })
})
