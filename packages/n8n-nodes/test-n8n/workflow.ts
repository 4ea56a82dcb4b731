/** Id of the credentials that the workflow uses. */
export const CREDENTIALS_ID = 'svcAudioTestCred'

/** Id of the workflow. */
export const WORKFLOW_ID = 'svcAudioTestFlow'

const NODE = { type: 'n8n-nodes-svc-audio.svcAudio', typeVersion: 1 }
const CREDENTIALS = { svcAudioApi: { id: CREDENTIALS_ID, name: 'Svc Audio API' } }

/** A workflow as n8n exports one: it speaks a text and transcribes what it spoke. */
export function speakAndListen(text: string): object {
  return {
    id: WORKFLOW_ID,
    name: 'Speak and listen',
    // older releases of n8n do not make one
    versionId: '6b1f0a52-6f4e-4c0f-9d53-0d3f6a1f7c11',
    active: false,
    settings: { executionOrder: 'v1' },
    nodes: [
      {
        id: 'a',
        name: 'Start',
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      {
        id: 'b',
        name: 'Speak',
        ...NODE,
        position: [220, 0],
        parameters: { text, voice: byId('rms') },
        credentials: CREDENTIALS,
      },
      {
        id: 'c',
        name: 'Listen',
        ...NODE,
        position: [440, 0],
        parameters: { resource: 'transcription' },
        credentials: CREDENTIALS,
      },
    ],
    connections: { Start: to('Speak'), Speak: to('Listen') },
  }
}

function byId(value: string): object {
  return { __rl: true, mode: 'id', value }
}

function to(node: string): object {
  return { main: [[{ node, type: 'main', index: 0 }]] }
}
