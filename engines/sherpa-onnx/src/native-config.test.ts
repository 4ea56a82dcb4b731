import { expect, test } from 'vitest'
import type { Family } from './families.ts'
import { recognitionConfig, speechConfig } from './native-config.ts'

const settings = (family: Family, language?: string) => ({
  family,
  files: { tokens: 't', model: 'm', encoder: 'e', decoder: 'd', joiner: 'j' },
  threads: 3,
  provider: 'cpu',
  language,
})

test.each<[Family, string]>([
  ['piper', 'vits'],
  ['vits', 'vits'],
  ['kokoro', 'kokoro'],
  ['matcha', 'matcha'],
  ['kitten', 'kitten'],
  ['supertonic', 'supertonic'],
  ['pocket', 'pocket'],
  ['zipvoice', 'zipvoice'],
])('a voice of %s is configured as %s', (family, section) => {
  const { files } = settings(family)
  expect(speechConfig(settings(family))).toEqual({
    model: { [section]: files, numThreads: 3, provider: 'cpu', debug: 0 },
    maxNumSentences: 1,
  })
})

test.each<[Family, string | undefined, object]>([
  ['whisper', undefined, { whisper: { language: '', task: 'transcribe' } }],
  ['whisper', 'de', { whisper: { language: 'de' } }],
  ['moonshine', undefined, { moonshine: { encoder: 'e' } }],
  ['transducer', undefined, { transducer: { joiner: 'j' }, modelType: 'transducer' }],
  ['parakeet', undefined, { transducer: { joiner: 'j' }, modelType: 'nemo_transducer' }],
  ['sense-voice', undefined, { senseVoice: { language: 'auto', useInverseTextNormalization: 1 } }],
  ['sense-voice', 'ja', { senseVoice: { language: 'ja' } }],
  ['zipformer-ctc', undefined, { zipformerCtc: { model: 'm' } }],
  ['nemo-ctc', undefined, { nemoCtc: { model: 'm' } }],
  ['canary', undefined, { canary: { srcLang: 'en', tgtLang: 'en', usePnc: 1 } }],
  ['canary', 'de', { canary: { srcLang: 'de', tgtLang: 'de' } }],
  ['cohere', 'fr', { cohereTranscribe: { encoder: 'e', language: 'fr', usePunct: 1, useItn: 1 } }],
  ['dolphin', undefined, { dolphin: { model: 'm' } }],
  ['fire-red', undefined, { fireRedAsr: { encoder: 'e', decoder: 'd' } }],
  ['fire-red-ctc', undefined, { fireRedAsrCtc: { model: 'm' } }],
  ['omnilingual', undefined, { omnilingual: { model: 'm' } }],
  ['medasr', undefined, { medasr: { model: 'm' } }],
  ['paraformer', undefined, { paraformer: { model: 'm' } }],
  ['wenet-ctc', undefined, { wenetCtc: { model: 'm' } }],
  ['telespeech-ctc', undefined, { teleSpeechCtc: 'm' }],
])('a recognizer of %s with the language %s has its section', (family, language, section) => {
  expect(recognitionConfig(settings(family, language))).toMatchObject({
    modelConfig: { ...section, tokens: 't', numThreads: 3 },
  })
})
