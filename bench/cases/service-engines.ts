import { join } from 'node:path'
import { SENTENCES, wordErrorRate } from '@svc-audio/testing'
import type { Agent } from 'undici'
import { atMost, type BenchCase, type BenchContext, type BenchRow, reported } from '../harness/bench-case.ts'
import { secondsOf } from '../harness/wav.ts'
import { connections, speak, transcribe } from '../self-hosted/requests.ts'
import { Server } from '../self-hosted/server.ts'

/** Allowed word errors of a voice through both engines, in percent. */
const MOST_ERRORS: Readonly<Record<string, number>> = { rms: 5, slt: 15, awb: 15, kal16: 15 }
const FORMATS = ['mp3', 'opus', 'flac', 'aac'] as const
const INPUT = SENTENCES.join(' ')

/** Quality and speed of the self-hosted service's engines. */
export const benchCase: BenchCase = {
  name: 'service-engines',
  description:
    'twenty sentences through both engines of the self-hosted service: word errors, time for a second of audio',
  async run(context) {
    const agent = connections()
    const server = await Server.service(context, join(context.folder, 'service-engines'))
    try {
      await warmUp(agent, server)
      const rows: BenchRow[] = []
      for (const voiceId of Object.keys(MOST_ERRORS)) rows.push(...(await roundTrip(context, agent, server, voiceId)))
      for (const format of FORMATS) rows.push(await encode(context, agent, server, format))
      return rows
    } finally {
      server.stop()
      await agent.close()
    }
  },
}

const nothing = { limit: null, peers: {}, ratio: null }
const share = (name: string, ours: number): BenchRow => ({
  name: `service ${name}`,
  unit: 's',
  ours,
  ...nothing,
  ...reported('for a second of audio'),
})

/** The first transcription loads the recognizer. */
async function warmUp(agent: Agent, server: Server): Promise<void> {
  const { value } = await speak(agent, server, { input: 'Hello.', voiceId: 'rms', format: 'wav' })
  await transcribe(server, value, 'svc-transcribe-diarize-pro')
}

/** All sentences as one recording, spoken and then transcribed. */
async function roundTrip(context: BenchContext, agent: Agent, server: Server, voiceId: string): Promise<BenchRow[]> {
  context.progress(`voice ${voiceId}`)
  context.signal.throwIfAborted()
  const spoken = await speak(agent, server, { input: INPUT, voiceId, format: 'wav' })
  const length = secondsOf(spoken.value)
  const heard = await transcribe(server, spoken.value, 'svc-transcribe-1.0')
  const errors = wordErrorRate(INPUT, heard.value) * 100
  const max = MOST_ERRORS[voiceId] ?? 0
  const diarized = voiceId === 'rms' ? [await transcribe(server, spoken.value, 'svc-transcribe-diarize-pro')] : []
  return [
    {
      name: `service word errors, ${voiceId}`,
      unit: '%',
      ours: errors,
      ...nothing,
      ...atMost('ours', errors, max, ' %'),
    },
    share(`speech, ${voiceId}`, spoken.seconds / length),
    share(`transcription, ${voiceId}`, heard.seconds / length),
    ...diarized.map(({ seconds }) => share(`transcription with speakers, ${voiceId}`, seconds / length)),
  ]
}

/** The same speech in another format. Time beyond WAV is the encoder's, which works in parallel. */
async function encode(context: BenchContext, agent: Agent, server: Server, format: string): Promise<BenchRow> {
  context.progress(`format ${format}`)
  context.signal.throwIfAborted()
  const wav = await speak(agent, server, { input: INPUT, voiceId: 'rms', format: 'wav' })
  const { seconds } = await speak(agent, server, { input: INPUT, voiceId: 'rms', format })
  return share(`speech as ${format}, rms`, seconds / secondsOf(wav.value))
}
