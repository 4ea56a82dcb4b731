/*
 * A program that recognizes a sentence, prints it and never closes the engine.
 */
import { createMoonshineEngine } from '../src/moonshine/moonshine-engine.ts'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { chunked } from '@svc-audio/kit/engine-fixtures/signals.ts'

const engine = await createMoonshineEngine()
const { text } = await engine.recognize(chunked(await fliteSpeech('Thank you for calling and have a very good day.')))
process.stdout.write(text)
