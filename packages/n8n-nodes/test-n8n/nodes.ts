import { randomUUID } from 'node:crypto'
import type { IConnections, INode, INodeParameters } from 'n8n-workflow'

/** The node that is tried. */
export const SVC_AUDIO = 'n8n-nodes-svc-audio.svcAudio'

/** A node of n8n's own, or of ours. */
export function node(name: string, type: string, parameters: INodeParameters, more: Partial<INode> = {}): INode {
  const full = type.includes('.') ? type : `n8n-nodes-base.${type}`
  return { id: randomUUID(), name, type: full, typeVersion: 1, position: [0, 0], parameters, ...more }
}

/** A webhook that begins a workflow, and answers with what its last node outputs. */
export function webhook(name: string, parameters: INodeParameters = {}): INode {
  const options = { httpMethod: 'POST', path: randomUUID(), responseMode: 'lastNode', options: {}, ...parameters }
  return node(name, 'webhook', options, { typeVersion: 2, webhookId: randomUUID() })
}

/** Nodes one after the other. */
export function chain(...names: string[]): IConnections {
  const pairs = names.slice(1).map((to, index) => [names[index] ?? '', to] as const)
  return Object.fromEntries(pairs.map(([from, to]) => [from, { main: [[{ node: to, type: 'main', index: 0 }]] }]))
}

/** A resource locator whose id was typed in. */
export function byId(value: string): INodeParameters {
  return { __rl: true, mode: 'id', value }
}

/** Id of the credentials that the workflow uses. */
export const CREDENTIALS_ID = 'svcAudioTestCred'

/** Id of the workflow. */
export const WORKFLOW_ID = 'svcAudioTestFlow'

/** A workflow as n8n exports one: it speaks a text and transcribes what it spoke. */
export function speakAndListen(text: string): object {
  const credentials = { svcAudioApi: { id: CREDENTIALS_ID, name: 'Svc Audio API' } }
  return {
    id: WORKFLOW_ID,
    name: 'Speak and listen',
    versionId: '6b1f0a52-6f4e-4c0f-9d53-0d3f6a1f7c11',
    active: false,
    settings: { executionOrder: 'v1' },
    nodes: [
      node('Start', 'manualTrigger', {}),
      node('Speak', SVC_AUDIO, { text, voice: byId('rms') }, { credentials }),
      node('Listen', SVC_AUDIO, { resource: 'transcription' }, { credentials }),
    ],
    connections: chain('Start', 'Speak', 'Listen'),
  }
}
