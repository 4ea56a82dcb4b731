import { InvalidRequestError, StreamFailedError, TimeoutError } from '@svc-audio/core'
import { expect, test } from 'vitest'
import { SlowStepError, withinTime } from './run-demo.ts'

/** What a person reads of a step that fails. */
async function failure(error: Error, audio?: string): Promise<unknown> {
  const fail = (): never => {
    throw error
  }
  return withinTime('The transcript', audio, async () => fail()).catch((thrown: unknown) => thrown)
}

test('an engine that got no time is one line: what is slow, where the audio is, and what to do', async () => {
  const late = new TimeoutError('headers', 'No response for 600 s')
  const failed = await failure(late, 'svc-audio-demo/speech.wav')
  expect(failed).toBeInstanceOf(SlowStepError)
  expect(failed).toMatchObject({
    message:
      'The transcript took too long on this busy machine: the audio is in svc-audio-demo/speech.wav. ' +
      'Close other programs, and run the demo with --file svc-audio-demo/speech.wav',
    cause: late,
  })
})

test('without stored audio the line says so', async () => {
  expect(await failure(new TimeoutError('idle', 'Nothing for 60 s'))).toMatchObject({
    message: expect.stringContaining('no audio is stored. Close other programs, and run the demo again') as string,
  })
})

test('an engine that the service has given up is late too', async () => {
  const code = 'engine_timeout'
  expect(await failure(new StreamFailedError('The engine did not respond', { code }))).toBeInstanceOf(SlowStepError)
})

test.each([
  new InvalidRequestError('bad_text', 'input', 'The text has no English letters'),
  new StreamFailedError('The disk is full', { code: 'disk_full' }),
  new TypeError('a defect'),
])('%s stays what it is', async (error) => {
  expect(await failure(error)).toBe(error)
})
