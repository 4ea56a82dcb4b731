// An n8n workflow in n8n's engine. One Svc Audio node speaks a sentence. The next one transcribes it.
import { runWorkflow, svcAudio } from '@svc-audio/kit/n8n-engine'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from '../run.ts'

const TEXT = 'There is fresh bread on the table in the kitchen.'

/** Runs the workflow. In n8n's editor, it is two nodes on a canvas and their credentials. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const voice = { __rl: true, mode: 'id', value: 'rms' } as const
  const nodes = [
    // The text comes from the item, as from a previous node. The WAV goes into the binary field `data`.
    svcAudio('Speak', { resource: 'speech', text: '={{ $json.text }}', voice }),
    svcAudio('Listen', { resource: 'transcription' }),
  ]
  const connections = { Speak: { main: [[{ node: 'Listen', type: 'main' as const, index: 0 }]] } }

  const options = { credentials: { apiKey, baseUrl }, folder, signal: AbortSignal.timeout(120_000) }
  const { Speak: spoken, Listen: heard } = await runWorkflow({ nodes, connections }, { text: TEXT }, options)

  const [audioSeconds, transcript] = [spoken?.json['durationSeconds'], heard?.json['text']]
  if (typeof audioSeconds !== 'number' || typeof transcript !== 'string') throw new Error('The workflow has no result')
  const rate = wordErrorRate(TEXT, transcript)
  return { audioSeconds, transcript, wordErrorRate: rate, summary: 'two nodes of a workflow, run by n8n-core' }
}
