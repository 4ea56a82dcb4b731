import {
  audioNode,
  type AudioRoute,
  coreAudio,
  curlAudio,
  expressAudio,
  nestAudioSnippet,
} from '../../code/audio-code.ts'
import { curlSnippet, langchainSnippet } from '../../code/client-code.ts'
import { block, type Snippet } from '../../code/snippet.ts'
import { dialogueParameters, n8nSnippet } from '../../code/n8n-workflow.ts'
import { callJson } from '../../code/servers.ts'
import { dialogueBody, type Script } from './script.ts'

/** Code that makes the dialogue on the screen. The Vite plugin reads texts in one voice, so it has none. */
export function dialogueSnippets(script: Script): readonly Snippet[] {
  const body = dialogueBody(script)
  const { segments, ...settings } = body
  const { speakers, response_format } = settings
  const output = `dialogue.${response_format}`
  const audio = { name: 'dialogue', resource: 'dialogue', body, output } as const
  // The server chooses voices and model, its callers choose the lines.
  const route: AudioRoute = {
    path: 'dialogue',
    resource: 'dialogue',
    settings: ['dialogue', settings],
    sent: { segments: 'segments' },
    types: { segments: 'DialogueSegment[]' },
  }
  const call = callJson('dialogue', { segments }, output)
  const lines = segments.map(({ speaker, text }) => ({ voice: speaker, text }))
  const voices = speakers.map(({ id, voice_id }) => ({ name: id, voice_id }))
  return [
    coreAudio(audio),
    curlSnippet('dialogue.sh', curlAudio(audio)),
    expressAudio(route, call),
    nestAudioSnippet(route, call),
    langchainSnippet({
      // The voice of the tool that speaks one text.
      options: { voice_id: speakers[0]?.voice_id ?? 'rms', voices },
      code: `const spoken = await toolkit.speakDialogue.invoke(${block({ lines })})
console.log(spoken)`,
    }),
    n8nSnippet('Dialogue', [audioNode('Dialogue', response_format, dialogueParameters(speakers, segments))]),
  ]
}
