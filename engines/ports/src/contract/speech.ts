import assert from 'node:assert/strict'
import { type SpeechEngine, type SynthesisRequest, UnspeakableTextError } from '../speech-engine.ts'
import type { Turns } from '../turns.ts'
import { bytesOf, type ContractCase, rejectsWith, withEngine } from './contract.ts'

/** A speech engine under test, and texts that it can speak. */
export interface SpeechSubject {
  /** Makes a new engine. */
  readonly create: () => Promise<SpeechEngine>
  /** Two or more sentences that the engine can speak. */
  readonly text: string
  /** A text without anything speakable. @default the engine speaks every text */
  readonly unspeakable?: string
  /** Times that a text is spoken to know its length: natural voices say it with another length each time. @default 1 */
  readonly renditions?: number
}

const UNKNOWN_VOICE = 'a voice that no engine has'
const MANNER = { pitchHz: 120, rangeSemitones: 1.5, tempo: 1, size: 1 }

/** Returns the id of the engine's first voice. */
function firstVoice({ voices: [voice] }: SpeechEngine): string {
  assert.ok(voice, 'an engine needs a voice')
  return voice.id
}

async function secondsOf(
  engine: SpeechEngine,
  request: Partial<SynthesisRequest> & Pick<SynthesisRequest, 'text'>,
): Promise<number> {
  const { format, chunks } = await engine.synthesize({ voiceId: firstVoice(engine), ...request })
  const { sampleRate, channels, bitDepth } = format
  return (await bytesOf(chunks)).length / ((sampleRate * channels * bitDepth) / 8)
}

async function meanSeconds(
  engine: SpeechEngine,
  request: Parameters<typeof secondsOf>[1],
  renditions = 1,
): Promise<number> {
  let seconds = 0
  for (let rendition = 0; rendition < renditions; rendition += 1) seconds += await secondsOf(engine, request)
  return seconds / renditions
}

/** Largest difference of a length from what was asked for. */
const TOLERANCE = 0.05

function assertNear(seconds: number, wanted: number): void {
  const message = `asked for ${wanted.toFixed(2)} s, got ${seconds.toFixed(2)} s`
  assert.ok(Math.abs(seconds / wanted - 1) <= TOLERANCE, message)
}

/** The facts of {@link SpeechEngine}. */
export const speechContract: readonly ContractCase<SpeechSubject>[] = [
  {
    name: 'the engine has a name and voices with distinct ids, names and languages',
    run: ({ create }) =>
      withEngine(create, async ({ name, voices }) => {
        assert.notEqual(name, '')
        assert.ok(voices.length > 0, 'an engine needs a voice')
        assert.equal(new Set(voices.map(({ id }) => id)).size, voices.length)
        for (const voice of voices) {
          assert.match(voice.language, /^[a-z]{2,3}$/)
          assert.notEqual(voice.name, '')
          const { languages = [voice.language] } = voice
          assert.ok(languages.includes(voice.language), 'the languages of a voice have its own language')
          for (const language of languages) assert.match(language, /^[a-z]{2,3}$/)
        }
      }),
  },
  {
    name: 'every voice speaks, in chunks of whole frames of its format',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        for (const { id } of engine.voices) {
          const { format, chunks } = await engine.synthesize({ text, voiceId: id })
          const { sampleRate, channels, bitDepth } = format
          assert.ok(sampleRate > 0 && channels > 0 && bitDepth === 16, 'PCM has a rate, channels and 16 bits')
          let bytes = 0
          for await (const chunk of chunks) {
            assert.equal(chunk.length % ((channels * bitDepth) / 8), 0, 'a chunk has whole frames')
            bytes += chunk.length
          }
          assert.ok(bytes > 0, `the voice ${id} says nothing`)
        }
      }),
  },
  {
    name: 'a speed from 0.25 to 4 makes the speech as much longer or shorter, within 5 %',
    run: ({ create, text, renditions }) =>
      withEngine(create, async (engine) => {
        const natural = await meanSeconds(engine, { text }, renditions)
        for (const speed of [0.25, 0.5, 2, 4]) {
          assertNear(await meanSeconds(engine, { text, speed }, renditions), natural / speed)
        }
      }),
  },
  {
    name: 'an expected duration overrides the speed, and is met within 5 %',
    run: ({ create, text, renditions }) =>
      withEngine(create, async (engine) => {
        const natural = await meanSeconds(engine, { text }, renditions)
        for (const expectedDurationSeconds of [0.6 * natural, 1.7 * natural]) {
          assertNear(await secondsOf(engine, { text, speed: 2, expectedDurationSeconds }), expectedDurationSeconds)
        }
      }),
  },
  {
    name: 'pause markers become silence only when they are asked for',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const [plain, paused] = [
          await secondsOf(engine, { text: `${text} ${text}` }),
          await secondsOf(engine, { text: `${text} [pause 2.0s] ${text}`, pauses: true }),
        ]
        assert.ok(paused - plain > 1, `a pause of 2 s made the speech ${paused - plain} s longer`)
      }),
  },
  {
    name: 'a text without anything speakable is refused before any audio',
    run: ({ create, unspeakable }) =>
      withEngine(create, async (engine) => {
        if (unspeakable === undefined) return
        const request = { text: unspeakable, voiceId: firstVoice(engine) }
        await assert.rejects(engine.synthesize(request), UnspeakableTextError)
      }),
  },
  {
    name: 'an unknown voice is refused, and so are changes of a voice without traits',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        await assert.rejects(engine.synthesize({ text, voiceId: UNKNOWN_VOICE }), RangeError)
        const fixed = engine.voices.find(({ traits }) => traits === undefined)
        if (fixed === undefined) return
        await assert.rejects(engine.synthesize({ text, voiceId: fixed.id, manner: MANNER }), RangeError)
      }),
  },
  {
    name: 'a voice with traits speaks in another manner',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const changeable = engine.voices.find(({ traits }) => traits !== undefined)
        if (changeable === undefined) return
        assert.ok((await secondsOf(engine, { text, voiceId: changeable.id, manner: MANNER })) > 0)
      }),
  },
  {
    name: 'an abort stops the work, and the next read throws its reason',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const controller = new AbortController()
        const { signal } = controller
        const { chunks } = await engine.synthesize({ text, voiceId: firstVoice(engine) }, { signal })
        const reader = chunks[Symbol.asyncIterator]()
        const reason = new Error('the caller aborted')
        controller.abort(reason)
        await rejectsWith(reader.next(), reason)
      }),
  },
  {
    name: 'a reader that leaves early does not disturb the next request',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const request = { text, voiceId: firstVoice(engine) }
        for await (const chunk of (await engine.synthesize(request)).chunks) if (chunk.length > 0) break
        assert.ok((await secondsOf(engine, { text })) > 0)
      }),
  },
  {
    name: 'requests at the same time each get their speech',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const alone = await secondsOf(engine, { text })
        const both = await Promise.all([secondsOf(engine, { text }), secondsOf(engine, { text })])
        for (const seconds of both) assert.ok(Math.abs(seconds / alone - 1) < 0.1, 'speech lost its end')
      }),
  },
  {
    name: 'the work runs in its turns, each with a positive cost',
    run: ({ create, text }) =>
      withEngine(create, async (engine) => {
        const costs: number[] = []
        const turns: Turns = (cost, _signal, work) => {
          costs.push(cost)
          return work({ background: false })
        }
        const { chunks } = await engine.synthesize({ text, voiceId: firstVoice(engine) }, { turns })
        assert.ok((await bytesOf(chunks)).length > 0)
        assert.ok(costs.length > 0, 'no work asked for its turn')
        assert.ok(costs.every((cost) => cost > 0))
      }),
  },
  {
    name: 'a closed engine refuses work, and a second close does nothing',
    async run({ create, text }) {
      const engine = await create()
      const voiceId = firstVoice(engine)
      await engine.close()
      await engine.close()
      await assert.rejects(async () => bytesOf((await engine.synthesize({ text, voiceId })).chunks))
    },
  },
]
