/*
 * A program that recognizes a sentence, prints it and never closes the engine. Argument: the folder of the cache.
 */
import { createPocketSphinxEngine } from '../../src/drivers/engines/pocketsphinx/index.ts'
import { fliteSpeech } from './flite-speech.ts'
import { chunked } from './signals.ts'

const engine = await createPocketSphinxEngine({ cacheDir: process.argv[2] ?? '.' })
const { text } = await engine.recognize(chunked(await fliteSpeech('Thank you for calling and have a very good day.')))
process.stdout.write(text)
