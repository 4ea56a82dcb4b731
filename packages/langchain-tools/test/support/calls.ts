import type { ToolMessage } from '@langchain/core/messages'
import type { ToolRunnableConfig } from '@langchain/core/tools'
import { createSpeechTools, type SpeakTool, type SpeechToolsOptions, type TranscribeTool } from '../../src/index.ts'
import { memoryAudioStore } from './memory-audio-store.ts'

/** The tools by name, with a voice and a store unless others are given. */
export function toolsOf(options: Pick<SpeechToolsOptions, 'client'> & Partial<SpeechToolsOptions>): {
  readonly speak: SpeakTool
  readonly transcribe: TranscribeTool
} {
  const [speak, transcribe] = createSpeechTools({ voice_id: 'rms', store: memoryAudioStore(), ...options })
  return { speak, transcribe }
}

/** Calls a tool as an agent does. Any arguments, as a model may give any. */
export function call(
  tool: SpeakTool | TranscribeTool,
  args: Record<string, unknown>,
  config: ToolRunnableConfig = {},
): Promise<ToolMessage> {
  const invoke = tool.invoke.bind(tool) as (input: object, config: ToolRunnableConfig) => Promise<ToolMessage>
  return invoke({ type: 'tool_call', id: 'call_1', name: tool.name, args }, config)
}
