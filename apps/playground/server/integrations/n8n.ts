import { bytesOf, runWorkflow, svcAudio } from '@svc-audio/kit/n8n-engine'
import type { IntegrationContext, IntegrationOutcome } from './round-trip.ts'

/** Runs a workflow of two nodes in n8n's engine. */
export async function run(context: IntegrationContext): Promise<IntegrationOutcome> {
  const { text, voice_id, apiKey, baseUrl, folder, signal } = context
  const options = { credentials: { apiKey, baseUrl }, folder, signal }
  // #region shown
  const nodes = [
    svcAudio('Speak', {
      resource: 'speech',
      voice: { __rl: true, mode: 'id', value: voice_id },
      // the text comes from the item
      text: '={{ $json.text }}',
      responseFormat: 'wav',
    }),
    svcAudio('Listen', { resource: 'transcription', source: 'binary' }),
  ]
  const toListen = { node: 'Listen', type: 'main', index: 0 } as const
  const connections = { Speak: { main: [[toListen]] } }
  const made = await runWorkflow({ nodes, connections }, { text }, options)
  // #endregion
  const transcript = made['Listen']?.json['text']
  if (typeof transcript !== 'string') throw new Error('The workflow returned no transcript')
  const bytes = bytesOf(made['Speak']?.binary?.['data'])
  const steps = [`Speak: ${bytes.length} bytes in the field data`, 'Listen: a transcript in the field text']
  return { audio: { bytes, type: 'audio/wav' }, transcript, steps }
}
