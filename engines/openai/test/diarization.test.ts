import type { Diarization, DiarizationEngine } from '@svc-audio/engine-ports'
import { diarizationContract } from '@svc-audio/engine-ports/contract'
import { createDiarizer } from '@svc-audio/engines'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { engines } from './engines.ts'
import {
  respondJson,
  type ReceivedRequest,
  type ScriptedUpstream,
  startUpstream,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { spokenPcm } from './speech.ts'

const RATE = 16_000

let upstream: ScriptedUpstream
let speech: Uint8Array
let diarizer: DiarizationEngine
beforeAll(async () => {
  const [one, other] = await Promise.all([
    spokenPcm('The train to the coast leaves at seven in the morning. Take your coat with you.', 'rms'),
    spokenPcm('I was there last summer with my sister. It rained on every single day.', 'slt'),
  ])
  speech = Buffer.concat([one, silence(1), other, silence(1), one])
  diarizer = createDiarizer()
})
afterAll(() => diarizer.close())
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

const silence = (seconds: number): Uint8Array => new Uint8Array(2 * RATE * seconds)

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm
}

async function diarize(pcm: Uint8Array, keys: object = {}): Promise<Diarization> {
  const engine = await engines(upstream, { diarization: keys }).diarization()
  try {
    return await engine.diarize(once(pcm))
  } finally {
    await engine.close()
  }
}

/** Segments of a server: the bundled diarizer heard them, and the labels are the server's own. */
async function segmentsOf({ samples }: ReceivedRequest): Promise<object[]> {
  const { segments } = await diarizer.diarize(once(new Uint8Array(samples.buffer)))
  return segments.map(({ startSecond, endSecond, speaker }) => ({
    start: startSecond,
    end: endSecond,
    speaker: `SPEAKER_${speaker}`,
  }))
}

describe('the speakers of an upstream keep the contract', () => {
  const create = async () => {
    upstream.script = (request, response) =>
      segmentsOf(request).then((segments) => respondJson(response, 200, { duration: 1, segments }))
    return engines(upstream, { diarization: {} }).diarization()
  }
  test.each(diarizationContract)('$name', ({ run }) =>
    expect(run({ create, speech, speakers: 2 })).resolves.toBeUndefined(),
  )
})

describe('a recording', () => {
  /** Five seconds a turn. Labels are other ones in each request, as those of servers are. */
  const turns = (startSecond: number, seconds: number, count: number): object[] =>
    Array.from({ length: 24 }, (_, turn) => ({
      start: 5 * turn - startSecond,
      end: 5 * turn + 5 - startSecond,
      speaker: `${count}-${turn % 2}`,
    })).filter(({ start, end }) => end > 0 && start < seconds)

  test('beyond the limit of a request is sent in parts, and its speakers keep their labels', async () => {
    const pcm = Buffer.concat(Array.from({ length: 10 }, () => speech)).subarray(0, 2 * RATE * 100)
    upstream.script = ({ samples }, response, count) =>
      respondJson(response, 200, { segments: turns(30 * (count - 1), samples.length / RATE, count) })
    const { segments, durationSeconds } = await diarize(pcm, { maxSeconds: 40 })
    expect(durationSeconds).toBe(100)
    expect(upstream.received.map(({ samples }) => samples.length / RATE)).toEqual([40, 40, 40])
    const speakerAt = (second: number): string | undefined =>
      segments.find(({ startSecond, endSecond }) => startSecond <= second && second < endSecond)?.speaker
    for (let turn = 0; turn < 20; turn += 1) expect(speakerAt(5 * turn + 2)).toBe(turn % 2 === 0 ? 'S01' : 'S02')
    expect(segments.at(-1)?.endSecond).toBe(100)
  })

  test('whose part gets no response sends this part again alone', async () => {
    const pcm = Buffer.concat([speech, speech, speech]).subarray(0, 2 * RATE * 30)
    upstream.script = (_request, response, count) =>
      count === 2 ? response.destroy() : respondJson(response, 200, { segments: [{ start: 0, end: 1, speaker: 'A' }] })
    await diarize(pcm, { maxSeconds: 20 })
    expect(upstream.received).toHaveLength(3)
    const [, second, third] = upstream.received.map(({ samples }) => Buffer.from(samples.buffer).toString('base64'))
    expect(second).toBe(third)
  })

  test('without speech gets no request', async () => {
    expect(await diarize(silence(30))).toEqual({ segments: [], durationSeconds: 30 })
    expect(upstream.received).toEqual([])
  })

  test('is sent with the model and the further fields of the entry', async () => {
    upstream.script = (_request, response) => respondJson(response, 200, { segments: [] })
    await diarize(speech, { extra: { num_speakers: '2' } })
    expect(upstream.received[0]).toMatchObject({
      path: '/v1/audio/diarization',
      fields: { model: 'pyannote', num_speakers: '2', response_format: 'json' },
    })
  })
})

test('a response without speakers is an error that names its remedy', async () => {
  upstream.script = (_request, response) => respondJson(response, 200, { text: 'Hello.' })
  await expect(diarize(speech)).rejects.toThrow('kokoro answered JSON without speakers: check diarization.path')
})
