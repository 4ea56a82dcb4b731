import { expect, test } from 'vitest'

import { CodecUnavailableError, UndecodableAudioError } from '../../ports/codec.ts'
import { translateDecodeError, translateStartError } from './codec-errors.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-error.ts'
import { CANNOT_LOAD } from './wasm-request.ts'

test('an ffmpeg that fails or crashes on a file means that the file is at fault', () => {
  for (const exit of [{ code: 1 }, { code: 69 }, { code: 183 }, { code: null, signal: 'SIGSEGV' }]) {
    const cause = new FfmpegError(exit, '/srv/secret/file: Invalid data found')
    const error = translateDecodeError(cause)
    expect(error).toBeInstanceOf(UndecodableAudioError)
    expect(error).toMatchObject({ message: expect.not.stringContaining('/srv'), cause })
  }
})

test('so does one that does not get to the end', () => {
  expect(translateDecodeError(new FfmpegTimeoutError(5))).toBeInstanceOf(UndecodableAudioError)
})

test('a kill from outside and other errors are nobody’s fault but ours', () => {
  for (const error of [
    new FfmpegError({ code: null, signal: 'SIGKILL' }, ''),
    new FfmpegError({ code: null, signal: 'SIGTERM' }, ''),
    new Error('disk full'),
  ])
    expect(translateDecodeError(error)).toBe(error)
})

test('an ffmpeg that has gone away makes the codec unavailable, with a remedy', () => {
  for (const cause of [
    Object.assign(new Error('spawn'), { code: 'ENOENT', syscall: 'spawn ffmpeg' }),
    Object.assign(new Error('spawn'), { code: 'EACCES', syscall: 'spawn /opt/ffmpeg' }),
    new FfmpegError({ code: CANNOT_LOAD }, '@ffmpeg/core does not load'),
  ]) {
    const error = translateStartError(cause)
    expect(error).toBeInstanceOf(CodecUnavailableError)
    expect(error).toMatchObject({ message: expect.stringContaining('install ffmpeg'), cause })
  }
})

test('other failures to start stay what they are', () => {
  for (const error of [
    Object.assign(new Error('spawn'), { code: 'EAGAIN', syscall: 'spawn ffmpeg' }),
    Object.assign(new Error('a file that the speaker needs'), { code: 'ENOENT', syscall: 'open' }),
  ])
    expect(translateStartError(error)).toBe(error)
})
