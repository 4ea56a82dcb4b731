import assert from 'node:assert/strict'
import type { RecognitionEngine, RecognizedSegment, RecognizedWord } from '../recognition-engine.ts'
import { chunksOf, type ContractCase, withEngine } from './contract.ts'
import { listeningCases } from './listening.ts'

/** A recognizer under test, and speech that it recognizes. */
export interface RecognitionSubject {
  /** Makes a new engine. */
  readonly create: () => Promise<RecognitionEngine>
  /** Speech in 16 kHz mono signed 16-bit little-endian PCM, at least 1 s. */
  readonly speech: Uint8Array
  /** A pattern that the text of the speech matches. */
  readonly says: RegExp
}

/** The facts of {@link RecognitionEngine}. */
export const recognitionContract: readonly ContractCase<RecognitionSubject>[] = [
  {
    name: 'speech becomes text, and words or segments in the order of time within the audio',
    run: ({ create, speech, says }) =>
      withEngine(create, async (engine) => {
        const { text, words, segments = [], durationSeconds } = await engine.recognize(chunksOf(speech))
        assert.match(text, says)
        assert.ok(words.length > 0 || segments.length > 0, 'a text has words or segments')
        assert.ok(words.length === 0 || segments.length === 0, 'a text has either words or segments')
        for (const { word } of words) assert.notEqual(word, '')
        for (const segment of segments) assert.notEqual(segment.text, '')
        let last = 0
        for (const { startSecond, endSecond } of [...words, ...segments]) {
          assert.ok(startSecond >= last && endSecond >= startSecond, 'words are in the order of time')
          assert.ok(endSecond <= durationSeconds + 0.1, 'words are within the audio')
          last = startSecond
        }
      }),
  },
  {
    name: 'languages are primary tags, and the language of the engine is one of them',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { language, languages = language === undefined ? [] : [language] } = engine
        assert.ok(language === undefined || languages.includes(language), 'the engine has its own language')
        for (const one of languages) assert.match(one, /^[a-z]{2,3}$/)
        const [asked] = languages
        const heard = (await engine.recognize(chunksOf(speech), asked === undefined ? {} : { language: asked }))
          .language
        if (heard !== undefined) assert.match(heard, /^[a-z]{2,3}$/)
      }),
  },
  {
    name: 'chunks of any size give the same text',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { text } = await engine.recognize(chunksOf(speech, 32_000))
        assert.equal((await engine.recognize(chunksOf(speech, 777))).text, text)
      }),
  },
  {
    name: 'silence has no text, no words and no segments',
    run: ({ create }) =>
      withEngine(create, async (engine) => {
        const { text, words, segments = [] } = await engine.recognize(chunksOf(new Uint8Array(64_000)))
        assert.equal(text, '')
        assert.deepEqual([...words, ...segments], [])
      }),
  },
  {
    name: 'the words and segments that arrive during the recognition are those of the result',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const heard: (RecognizedWord | RecognizedSegment)[] = []
        const { words, segments = [] } = await engine.recognize(chunksOf(speech), {
          onWords: (some) => heard.push(...some),
          onSegment: (segment) => heard.push(segment),
        })
        assert.deepEqual(heard, [...words, ...segments])
      }),
  },
  {
    name: 'keyterms that are not spoken do not change the text',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { text } = await engine.recognize(chunksOf(speech))
        assert.equal((await engine.recognize(chunksOf(speech), { keyterms: ['Szczecin'] })).text, text)
      }),
  },
  ...listeningCases<RecognitionSubject>(async ({ create }) => {
    const engine = await create()
    return { listen: (pcm, options) => engine.recognize(pcm, options), close: () => engine.close() }
  }),
]
