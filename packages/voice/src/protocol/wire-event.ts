import type { VoiceEvent, VoiceStage } from '../events.ts'
import type { WireEvent } from './messages.ts'

/** What the browser reads about a failed stage. The error itself stays on the server: it may name internal things. */
const FAILURES: Readonly<Record<VoiceStage, string>> = {
  transcribe: 'Your words were not understood. Say them again.',
  agent: 'The answer failed. Ask again.',
  speak: 'The answer could not be spoken to its end. Ask again.',
}

/** The event as a browser may read it. Audio goes apart, as binary frames. */
export function wireEvent(event: Exclude<VoiceEvent, { readonly type: 'tts_chunk' }>): WireEvent {
  const { ts } = event
  if (event.type === 'tool_call') return { type: 'tool_call', ts, id: event.id, name: event.name }
  if (event.type === 'tool_result') return { type: 'tool_result', ts, toolCallId: event.toolCallId, name: event.name }
  if (event.type === 'error') return { type: 'error', ts, stage: event.stage, message: FAILURES[event.stage] }
  return event
}
