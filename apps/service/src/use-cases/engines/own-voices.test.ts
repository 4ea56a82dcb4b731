import { describe, expect, test } from 'vitest'
import { scriptedEngine } from '../../../test/support/scripted-engine.ts'
import type { VoiceParameters } from '@svc-audio/engine-ports'
import type { VoiceStore } from '../../ports/voice-store.ts'
import { speakOwnVoices } from './own-voices.ts'

const MANNER = { pitchHz: 100, rangeSemitones: 1, tempo: 1, size: 1 }

/** A store with the parameters of `own_…`. It counts its calls. */
function store(): VoiceStore & { asked: number } {
  return {
    asked: 0,
    async parametersOf(id): Promise<VoiceParameters | undefined> {
      this.asked += 1
      return id.startsWith('own_') ? { base: 'one', ...MANNER } : undefined
    },
    delete: async () => false,
    create: () => Promise.reject(new Error('not here')),
    find: async () => [],
    list: async () => [],
  }
}

describe('speakOwnVoices', () => {
  test('an own voice is its base voice with its changes', async () => {
    const engine = scriptedEngine()
    await speakOwnVoices(engine, store()).synthesize({ text: 'Hi.', voiceId: 'own_1', speed: 2 })
    expect(engine.accepted).toEqual([{ text: 'Hi.', voiceId: 'one', speed: 2, manner: MANNER }])
  })

  test('a built-in voice is passed on unchanged, without a lookup', async () => {
    const [engine, voices] = [scriptedEngine(), store()]
    const request = { text: 'Hi.', voiceId: 'two' }
    await speakOwnVoices(engine, voices).synthesize(request)
    expect(engine.accepted).toEqual([request])
    expect(voices.asked).toBe(0)
  })

  test('a deleted voice throws voice_not_found, and the engine is not called', async () => {
    const engine = scriptedEngine()
    const speaking = speakOwnVoices(engine, store()).synthesize({ text: 'Hi.', voiceId: 'nobody' })
    await expect(speaking).rejects.toMatchObject({ status: 404, code: 'voice_not_found' })
    expect(engine.accepted).toEqual([])
  })

  test('a voice is looked up once, even among a few hundred others', async () => {
    const voices = store()
    const speech = speakOwnVoices(scriptedEngine(), voices)
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 300; n += 1) await speech.synthesize({ text: 'Hi.', voiceId: `own_${n}` })
    }
    expect(voices.asked).toBe(300)
  })

  test('the signal reaches the engine', async () => {
    const speech = speakOwnVoices(scriptedEngine(), store())
    const { chunks } = await speech.synthesize({ text: 'Hi.', voiceId: 'own_1' }, { signal: AbortSignal.abort('stop') })
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toBe('stop')
  })

  test('voices and name are the engine’s', () => {
    const engine = scriptedEngine()
    const speech = speakOwnVoices(engine, store())
    expect(speech.name).toBe('scripted')
    expect(speech.voices).toBe(engine.voices)
  })
})
