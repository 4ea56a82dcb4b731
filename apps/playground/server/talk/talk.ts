import type { AudioClient } from '@svc-audio/core'
import { VoiceConversation, voiceAgent } from '@svc-audio/langchain-tools/voice'
import type { VoiceCall, VoiceEvent } from '@svc-audio/voice'
import { createAgent, tool } from 'langchain'
import { CLOCK, script } from './script.ts'
import { ScriptedModel } from './scripted-model.ts'

/** What a conversation keeps over a lost connection. */
export interface TalkState {
  /** Made by its first connection. */
  conversation?: VoiceConversation
}

const clock = tool(() => new Date().toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' }), {
  name: CLOCK,
  description: 'The time of day.',
  schema: { type: 'object', properties: {} },
})

const agent = createAgent({ model: new ScriptedModel(script), tools: [clock] })

/** Speaks with one user, with the voice that the query of the address names. */
export function talk(call: VoiceCall<undefined, TalkState>, client: AudioClient): AsyncIterable<VoiceEvent> {
  const { request, state } = call
  state.conversation ??= new VoiceConversation()
  const voice_id = new URL(request.url, 'http://localhost').searchParams.get('voice') ?? ''
  return voiceAgent({ client, voice_id, agent }).converse({ ...call, state: state.conversation })
}
