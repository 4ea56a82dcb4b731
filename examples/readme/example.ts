// Runs the program of the first page, exactly as printed there.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { WavMeter } from '@svc-audio/core/audio'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from '../run.ts'

/** Runs the program in a separate folder. Checks its file and its output. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const env = { ...process.env, SVC_AUDIO_API_KEY: apiKey, SVC_AUDIO_BASE_URL: baseUrl }
  const program = join(import.meta.dirname, 'program.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: folder, env })
  const [transcript = '', segments = ''] = stdout.split(/\n([\s\S]*)/)
  if (!segments.includes("speaker: 'S01'")) throw new Error(`The program printed no speaker: ${stdout}`)
  const meter = new WavMeter()
  meter.add(await readFile(join(folder, 'hello.wav')))
  return {
    audioSeconds: meter.durationSeconds ?? 0,
    transcript,
    wordErrorRate: wordErrorRate('Hello there.', transcript),
    summary: 'the program of the first page',
  }
}
