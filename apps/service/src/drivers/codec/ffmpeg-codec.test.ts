import { expect, test } from 'vitest'

import { CodecUnavailableError, UndecodableAudioError } from '@svc-audio/engine-ports'
import { translateDecodeError, translateStartError } from './ffmpeg-codec.ts'
import { FfmpegError, FfmpegTimeoutError } from './ffmpeg-process.ts'
import { CANNOT_LOAD } from './wasm-frames.ts'

test('an ffmpeg that fails or crashes on a file is the file’s fault', () => {
  for (const exit of [{ code: 1 }, { code: 69 }, { code: 183 }, { code: null, signal: 'SIGSEGV' }]) {
    const cause = new FfmpegError(exit, '/srv/secret/file: Invalid data found')
    const error = translateDecodeError(cause)
    expect(error).toBeInstanceOf(UndecodableAudioError)
    expect(error).toMatchObject({ message: expect.not.stringContaining('/srv'), cause })
  }
})

test('its error has no tag of the file, and no tag is read as a message', () => {
  const tags = '    title           : received signal 2\n    artist          : matches no streams'
  const cause = new FfmpegError({ code: 1 }, `Input #0, mp3, from 'x':\n${tags}\nx: Invalid data found`)
  expect(cause.message).toBe("ffmpeg ended with exit code 1: Input #0, mp3, from 'x':\nx: Invalid data found")
  expect(translateDecodeError(cause)).toMatchObject({ message: expect.stringContaining('supported format') })
  const cut = new FfmpegError({ code: 1 }, `${'a title that is cut '.repeat(300)}\nx: Invalid data found`)
  expect(cut.message).toBe('ffmpeg ended with exit code 1: x: Invalid data found')
})

test('so is an ffmpeg that never finishes', () => {
  expect(translateDecodeError(new FfmpegTimeoutError(5))).toBeInstanceOf(UndecodableAudioError)
})

test('a kill from outside and other errors are the service’s fault', () => {
  for (const error of [
    new FfmpegError({ code: null, signal: 'SIGKILL' }, ''),
    new FfmpegError({ code: null, signal: 'SIGTERM' }, ''),
    new FfmpegError({ code: null, signal: 'SIGHUP' }, ''),
    new FfmpegError({ code: 255 }, 'Exiting normally, received signal 2.'),
    new Error('disk full'),
  ])
    expect(translateDecodeError(error)).toBe(error)
})

test('a vanished ffmpeg makes the codec unavailable, with a remedy', () => {
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

test('other failures to start are unchanged', () => {
  for (const error of [
    Object.assign(new Error('spawn'), { code: 'EAGAIN', syscall: 'spawn ffmpeg' }),
    Object.assign(new Error('a file that the speaker needs'), { code: 'ENOENT', syscall: 'open' }),
  ])
    expect(translateStartError(error)).toBe(error)
})
