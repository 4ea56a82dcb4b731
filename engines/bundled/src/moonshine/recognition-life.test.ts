import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

import { createMoonshineEngine, type MoonshineParts } from './moonshine-engine.ts'
import { EngineClosedError, EngineFailedError, type RecognizedSegment } from '@svc-audio/engine-ports'
import { moonshineFiles } from '@svc-audio/moonshine-en'
import { sileroVadFile } from '@svc-audio/silero-vad'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { prioritiesOf, threadsHavePriorities } from '@svc-audio/kit/engine-fixtures/thread-priorities.ts'
import { BACKGROUND_PRIORITY } from '@svc-audio/engine-ports/driver'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'

const PROGRAM = fileURLToPath(new URL('../../test/idle-engine.ts', import.meta.url))
const SENTENCE = 'Thank you for calling and have a very good day.'

test('a program with an open idle engine exits by itself', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM])
  expect(stdout).toMatch(/for calling and have a very good day\.$/)
})

test('a graph that does not load rejects with its cause', async () => {
  const find = async (): Promise<MoonshineParts> => ({
    moonshine: { ...moonshineFiles, decoder: moonshineFiles.tokens },
    silero: sileroVadFile,
  })
  const engine = await createMoonshineEngine({ workers: 1, find })
  const recognition = engine.recognize(chunked(await fliteSpeech(SENTENCE)))
  await expect(recognition).rejects.toThrow(EngineFailedError)
  await expect(recognition).rejects.toThrow(/The graph does not load/)
  await engine.close()
})

test('without the aligner, an utterance is a segment without times of words', async () => {
  const find = async (): Promise<MoonshineParts> => ({ moonshine: moonshineFiles, silero: sileroVadFile })
  const engine = await createMoonshineEngine({ workers: 1, find })
  const heard: RecognizedSegment[] = []
  const onSegment = (segment: RecognizedSegment): void => void heard.push(segment)
  const { text, words, segments } = await engine.recognize(chunked(await fliteSpeech(SENTENCE)), { onSegment })
  expect(words).toEqual([])
  expect(segments).toEqual(heard)
  expect(segments?.map((segment) => segment.text).join(' ')).toBe(text)
  await engine.close()
})

test.runIf(threadsHavePriorities)(
  'the work on a recording has a lower priority after its first minute, and the next recording has the usual one again',
  async () => {
    const engine = await createMoonshineEngine({ workers: 1 })
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
  const engine = await createMoonshineEngine()
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
  const unused = await createMoonshineEngine()
  await unused.close()
})

test.each([0, -1, 1.5, NaN])('%d workers are refused', async (workers) => {
  await expect(createMoonshineEngine({ workers })).rejects.toThrow(RangeError)
})
