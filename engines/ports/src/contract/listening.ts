import assert from 'node:assert/strict'
import { type DiarizationEngine, speakerLabel } from '../diarization-engine.ts'
import type { RecognitionEngine, RecognizedSegment, RecognizedWord } from '../recognition-engine.ts'
import {
  chunksOf,
  type ContractCase,
  EndlessSilence,
  failingSource,
  rejectsWith,
  SourceFault,
  withEngine,
} from './contract.ts'

/** What recognizers and diarizers have in common: they read PCM to its end and return a result. */
interface Listener {
  listen(
    pcm: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly durationSeconds: number }>
  close(): Promise<void>
}

const BYTES_PER_SECOND = 32_000

/** The facts of everything that listens to 16 kHz mono PCM. @param listenerOf Makes the engine of a subject. */
export function listeningCases<Subject extends { readonly speech: Uint8Array }>(
  listenerOf: (subject: Subject) => Promise<Listener>,
): readonly ContractCase<Subject>[] {
  const using = (subject: Subject, use: (engine: Listener) => Promise<void>): Promise<void> =>
    withEngine(() => listenerOf(subject), use)
  return [
    {
      name: 'the duration of a result is that of the audio, in chunks of any size',
      run: (subject) =>
        using(subject, async (engine) => {
          const { durationSeconds } = await engine.listen(chunksOf(subject.speech, 3333))
          assert.ok(Math.abs(durationSeconds - subject.speech.length / BYTES_PER_SECOND) < 0.1)
        }),
    },
    {
      name: 'audio without a sample has a result of 0 s',
      run: (subject) =>
        using(subject, async (engine) => {
          assert.equal((await engine.listen(chunksOf(new Uint8Array()))).durationSeconds, 0)
        }),
    },
    {
      name: 'an abort rejects with its reason and closes the source',
      run: (subject) =>
        using(subject, async (engine) => {
          const controller = new AbortController()
          const reason = new Error('the caller aborted')
          const source = new EndlessSilence((chunks) => {
            if (chunks === 20) controller.abort(reason)
          })
          await rejectsWith(engine.listen(source, { signal: controller.signal }), reason)
          await until(() => source.isClosed)
        }),
    },
    {
      name: 'work that was aborted before does not start',
      run: (subject) =>
        using(subject, async (engine) => {
          const reason = new Error('aborted before')
          await rejectsWith(engine.listen(chunksOf(subject.speech), { signal: AbortSignal.abort(reason) }), reason)
        }),
    },
    {
      name: 'an error of the source is the error of the work, and the next recording is not affected',
      run: (subject) =>
        using(subject, async (engine) => {
          await assert.rejects(engine.listen(failingSource()), SourceFault)
          assert.ok((await engine.listen(chunksOf(new Uint8Array(BYTES_PER_SECOND)))).durationSeconds > 0.9)
        }),
    },
    {
      name: 'a close rejects the running work and later work, and a second close does nothing',
      async run(subject) {
        const engine = await listenerOf(subject)
        const reading = Promise.withResolvers<undefined>()
        const running = engine.listen(new EndlessSilence((chunks) => chunks > 2 && reading.resolve(undefined)))
        const outcome = running.then(
          () => 'it resolved',
          () => 'rejected',
        )
        // An engine that does not read ends here too, and fails below.
        await Promise.race([reading.promise, outcome])
        await engine.close()
        await engine.close()
        assert.equal(await outcome, 'rejected')
        await assert.rejects(engine.listen(chunksOf(subject.speech)))
      },
    },
  ]
}

/** Waits for something that follows at once, for at most 5 s. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 5000
  while (!isTrue()) {
    assert.ok(performance.now() < end, 'the source was not closed')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

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
        for (const { word } of words) assert.notEqual(word, '')
        for (const segment of segments) assert.notEqual(segment.text, '')
        let last = 0
        const said = [...words, ...segments].toSorted((one, other) => one.startSecond - other.startSecond)
        for (const segment of segments) {
          const within = words.some(
            ({ startSecond, endSecond }) => startSecond < segment.endSecond && endSecond > segment.startSecond,
          )
          assert.ok(!within, 'a part of the text has either words or a segment')
        }
        for (const { startSecond, endSecond } of said) {
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

/** A diarizer under test, and a dialogue. */
export interface DiarizationSubject {
  /** Makes a new engine. */
  readonly create: () => Promise<DiarizationEngine>
  /** A dialogue in 16 kHz mono signed 16-bit little-endian PCM. */
  readonly speech: Uint8Array
  /** Number of its speakers. */
  readonly speakers: number
}

/** The facts of {@link DiarizationEngine}. */
export const diarizationContract: readonly ContractCase<DiarizationSubject>[] = [
  {
    name: 'a dialogue has its speakers, labelled in the order of their first speech',
    run: ({ create, speech, speakers }) =>
      withEngine(create, async (engine) => {
        const { segments } = await engine.diarize(chunksOf(speech))
        const labels = [...new Set(segments.map(({ speaker }) => speaker))]
        assert.deepEqual(
          labels,
          Array.from({ length: speakers }, (_, index) => speakerLabel(index)),
        )
      }),
  },
  {
    name: 'segments are in the order of time, within the audio and without overlaps',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { segments, durationSeconds } = await engine.diarize(chunksOf(speech))
        let last = 0
        for (const { startSecond, endSecond } of segments) {
          assert.ok(startSecond >= last && endSecond > startSecond && endSecond <= durationSeconds + 0.1)
          last = endSecond
        }
      }),
  },
  {
    name: 'chunks of any size give the same segments',
    run: ({ create, speech }) =>
      withEngine(create, async (engine) => {
        const { segments } = await engine.diarize(chunksOf(speech, 32_000))
        assert.deepEqual((await engine.diarize(chunksOf(speech, 777))).segments, segments)
      }),
  },
  {
    name: 'silence has no segments',
    run: ({ create }) =>
      withEngine(create, async (engine) => {
        assert.deepEqual((await engine.diarize(chunksOf(new Uint8Array(64_000)))).segments, [])
      }),
  },
  ...listeningCases<DiarizationSubject>(async ({ create }) => {
    const engine = await create()
    return { listen: (pcm, options) => engine.diarize(pcm, options), close: () => engine.close() }
  }),
]
