// Converts a page of Markdown to one WAV with captions. Then a task transcribes it in the background.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { toVtt } from '@svc-audio/core/subtitles'
import { createLexicon, narrate } from '@svc-audio/core/text'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const PAGE = `# The harbor

The old harbor lies **behind the market**. Dr. Smith goes there [every morning](https://example.com/walks).

* The train leaves from platform five.
* The boats are small, and some of them are blue. 🚤
`

/** The spoken text. The recognizer writes "doctor" as "dr". */
const SPOKEN =
  'The harbor. The old harbor lies behind the market. Dr. Smith goes there every morning. ' +
  'The train leaves from platform five. The boats are small, and some of them are blue.'

/** Speaks a page, writes its captions, and transcribes it with a task. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const audio = new AudioClient({ apiKey, baseUrl })
  const file = join(folder, 'harbour.wav')

  const lexicon = createLexicon({ en: { 'Dr.': 'Doctor' } })
  const body = { model: 'svc-tts-1.5-flash', input: PAGE, voice_id: 'rms', aigc_metadata: { enabled: true } } as const
  const narration = await narrate(audio, body, { lexicon, language: 'en', maxCharacters: 120 })
  const { durationSeconds } = await narration.saveTo(file)

  // Captions hold the written form, not the respelling for the voice.
  const cues = narration.pieces.map(({ written, startSecond, endSecond }) => ({
    text: written,
    start: startSecond,
    end: endSecond,
  }))
  await writeFile(join(folder, 'harbour.vtt'), toVtt(cues))
  const captions = await readFile(join(folder, 'harbour.vtt'), 'utf8')
  if (!captions.includes('Dr. Smith')) throw new Error('The captions lack the written form')

  // One deadline for upload, creation and wait.
  const task = await audio.transcriptions.createTask({ model: 'svc-transcribe-1.0', file }, { timeout: 120_000 })
  const { text = '' } = await task.wait()
  await audio.close()
  return {
    audioSeconds: durationSeconds,
    transcript: text,
    wordErrorRate: wordErrorRate(SPOKEN, text),
    summary: `${narration.pieces.length} pieces joined into one file with captions, transcribed by a task`,
  }
}
