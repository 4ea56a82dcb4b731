import type { AudioClient } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { type InstalledN8n, n8nHome } from './n8n-home.ts'
import { packInto } from './pack.ts'
import { CREDENTIALS_ID, speakAndListen, WORKFLOW_ID } from './nodes.ts'

const TEXT = 'The train to the coast leaves at seven in the morning.'

/** What a run on the command line needs. */
export interface CommandLineOptions {
  /** n8n. */
  readonly installed: InstalledN8n
  /** Made for it. */
  readonly folder: string
  /** A client that does not go through n8n. */
  readonly direct: AudioClient
  readonly key: string
}

/** n8n without its server: a workflow speaks a sentence and transcribes what it spoke. */
export async function checkCommandLine({ installed, folder, direct, key }: CommandLineOptions): Promise<string> {
  const home = await n8nHome(installed, folder)
  await packInto(home.packageFolder('n8n-nodes-svc-audio'))
  const data = { apiKey: key, baseUrl: direct.baseUrl }
  await home.importCredentials({ id: CREDENTIALS_ID, name: 'Svc Audio API', type: 'svcAudioApi', data })
  await home.importWorkflow(speakAndListen(TEXT))
  const run = await home.execute(WORKFLOW_ID)
  const body = { model: 'svc-tts-1.5-flash', input: TEXT, voice_id: 'rms', response_format: 'wav' }
  const sent = await direct.speech.create(body).then((audio) => audio.bytes())
  const stored = await home.readBinary(run.binary('Speak', 'data'))
  if (Buffer.compare(stored, sent) !== 0) throw new Error('n8n stores another WAV than the service sends')
  const transcript = String(run.json('Listen')['text'])
  const rate = wordErrorRate(TEXT, transcript)
  if (rate > 0.15) throw new Error(`n8n heard "${transcript}", a word error rate of ${rate}`)
  return `command line: WAV of ${stored.byteLength} bytes identical, word error rate ${rate.toFixed(2)}`
}
