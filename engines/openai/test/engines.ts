import type { DiarizationEngine, RecognitionEngine, SpeechEngine } from '@svc-audio/engine-ports'
import { openAiParts } from '../src/index.ts'
import { OpenAiKeys } from '../src/keys.ts'
import type { ScriptedUpstream } from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'

/** Keys of an entry that differ from those of the tests. */
export interface MoreKeys {
  readonly speech?: object
  readonly recognition?: object
  readonly diarization?: object
  readonly [key: string]: unknown
}

/** Engines of the scripted server. */
export function engines(
  { baseUrl }: Pick<ScriptedUpstream, 'baseUrl'>,
  { speech, recognition, diarization, ...more }: MoreKeys,
): {
  readonly speech: () => Promise<SpeechEngine>
  readonly recognition: () => Promise<RecognitionEngine>
  readonly diarization: () => Promise<DiarizationEngine>
} {
  const keys = OpenAiKeys.parse({
    baseUrl,
    retries: 2,
    ...more,
    speech: { model: 'kokoro', voices: [{ id: 'bella', voice: 'af_bella' }], ...speech },
    recognition: { model: 'whisper-1', ...recognition },
    diarization: { model: 'pyannote', ...diarization },
  })
  const parts = openAiParts('kokoro', keys, { environment: { KEY: 'sk-secret' } })
  const options = { signal: new AbortController().signal, workers: 2 }
  return {
    async speech() {
      if (parts.speech === undefined) throw new TypeError('The entry speaks')
      return parts.speech.create(options)
    },
    async recognition() {
      if (parts.recognition === undefined) throw new TypeError('The entry recognizes')
      return parts.recognition.create(options)
    },
    async diarization() {
      if (parts.diarization === undefined) throw new TypeError('The entry tells speakers apart')
      return parts.diarization.create(options)
    },
  }
}
