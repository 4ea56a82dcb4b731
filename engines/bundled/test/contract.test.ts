import {
  diarizationContract,
  type DiarizationSubject,
  recognitionContract,
  type RecognitionSubject,
  speechContract,
  type SpeechSubject,
} from '@svc-audio/engine-ports/contract'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledEngines } from '../src/bundled-engines.ts'
import { makeDialogue } from './diarization/dialogue.ts'

const drivers = bundledEngines()
const options = { signal: new AbortController().signal, workers: 2 }
afterAll(() => drivers.close())

describe('the bundled speech engine keeps the contract', () => {
  const subject: SpeechSubject = {
    create: () => drivers.speech.create(options),
    text: 'The train leaves at seven. It arrives at noon.',
    unspeakable: '…',
  }
  test.each(speechContract)('$name', ({ run }) => expect(run(subject)).resolves.toBeUndefined())
})

describe('the bundled recognizer keeps the contract', () => {
  let subject: RecognitionSubject
  beforeAll(async () => {
    const samples = await fliteSpeech('The train to the coast leaves at seven in the morning.')
    subject = {
      create: () => drivers.recognition.create(options),
      speech: new Uint8Array(samples.buffer),
      says: /train.*coast.*morning/,
    }
  })
  test.each(recognitionContract)('$name', ({ run }) => expect(run(subject)).resolves.toBeUndefined())
})

describe('the bundled diarizer keeps the contract', () => {
  let subject: DiarizationSubject
  beforeAll(async () => {
    const { samples } = await makeDialogue(4, 2, 4)
    subject = {
      create: () => drivers.diarization.create(options),
      speech: new Uint8Array(samples.buffer),
      speakers: 2,
    }
  })
  test.each(diarizationContract)('$name', ({ run }) => expect(run(subject)).resolves.toBeUndefined())
})
