import { campplusFile } from '@svc-audio/campplus'
import { joined, whiteNoise } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type DesignedVoice, speak } from '../../test/diarization/voices.ts'
import { loadRuntime } from '../onnx/runtime.ts'
import { type EncodedVoice, VoiceEncoder } from './voice-encoder.ts'

const RMS: DesignedVoice = { base: 'rms', pitch: 101, stretch: 1 }
const SLT: DesignedVoice = { base: 'slt', pitch: 180, stretch: 1 }
const TEXTS = [
  'The old bridge was closed because of the heavy rain.',
  'My sister carried seven letters to the office on Wednesday.',
]

let load: () => Promise<VoiceEncoder>
beforeAll(async () => {
  const runtime = await loadRuntime('web')
  load = () => VoiceEncoder.load(runtime, campplusFile)
})

const whole = (samples: Int16Array) => ({ startSample: 0, endSample: samples.length })

async function encode(samples: Int16Array): Promise<readonly EncodedVoice[]> {
  return (await load()).encode(samples, whole(samples))
}

/** Speech between two stretches of silence. */
const say = async (voice: DesignedVoice, index = 0): Promise<Int16Array<ArrayBuffer>> =>
  joined([new Int16Array(4000), (await speak(voice, TEXTS[index] ?? '')).samples, new Int16Array(4000)])

/** Cosine of the mean directions. */
function alike(a: readonly EncodedVoice[], b: readonly EncodedVoice[]): number {
  const [x, y] = [a, b].map((windows) => {
    const sum = new Float64Array(192)
    for (const { voice } of windows) for (const [at, number] of voice.entries()) sum[at] = (sum[at] ?? 0) + number
    return sum
  })
  let product = 0
  for (const [at, number] of x?.entries() ?? []) product += number * (y?.[at] ?? 0)
  return product / (Math.hypot(...(x ?? [])) * Math.hypot(...(y ?? [])))
}

describe('the encoder of voices', () => {
  test('finds two sentences of one voice alike, and two voices different', async () => {
    const [first, second, other] = [
      await encode(await say(RMS)),
      await encode(await say(RMS, 1)),
      await encode(await say(SLT)),
    ]
    expect(alike(first, second)).toBeGreaterThan(0.7)
    expect(alike(first, other)).toBeLessThan(0.6)
  })

  test('hardly depends on the level', async () => {
    const samples = await say(RMS)
    const loud = await encode(samples)
    expect(alike(loud, await encode(samples.map((sample) => sample / 5)))).toBeGreaterThan(0.98)
    // Whole numbers of so quiet a sound are coarse: 0.96 with this sentence, also when it is raised again.
    expect(alike(loud, await encode(samples.map((sample) => sample / 20)))).toBeGreaterThan(0.95)
  })

  test('hears a voice through steady noise as it was', async () => {
    const samples = await say(RMS)
    const hiss = whiteNoise()
    const noisy = samples.map((sample) => sample + 800 * hiss())
    const other = await say(SLT)
    expect(alike(await encode(samples), await encode(noisy))).toBeGreaterThan(
      alike(await encode(other.map((sample) => sample + 800 * hiss())), await encode(noisy)) + 0.3,
    )
  })

  test('has equal windows of about 1.6 s from the first frame to the last, without gaps', async () => {
    const samples = (await say(RMS)).subarray(0, 16_000 * 3.5)
    const windows = await (await load()).encode(samples, { startSample: 160, endSample: samples.length })
    expect(windows.map(({ startSample, endSample }) => [startSample, endSample])).toEqual([
      [160, 28_160],
      [28_160, 56_000],
    ])
  })

  test('has one shorter window for a call, and none for a tenth of a second', async () => {
    const samples = (await say(RMS)).subarray(4000, 12_000)
    expect(await encode(samples)).toMatchObject([{ startSample: 0, endSample: 8000 }])
    expect(await encode(samples.subarray(0, 1500))).toEqual([])
  })

  test('has finite numbers in silence', async () => {
    const [window] = await encode(new Int16Array(32_000))
    expect(window?.voice.every(Number.isFinite)).toBe(true)
  })
})
