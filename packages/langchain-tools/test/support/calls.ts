import type { ToolMessage } from '@langchain/core/messages'
import type { ToolRunnableConfig } from '@langchain/core/tools'
import { memoryAudioStore, type SpeechTool, SpeechToolkit, type SpeechToolsOptions } from '../../src/index.ts'

/** The tools by name, with a voice and a store unless others are given. */
export function toolsOf(options: Pick<SpeechToolsOptions, 'client'> & Partial<SpeechToolsOptions>): SpeechToolkit {
  return new SpeechToolkit({ voice_id: 'rms', store: memoryAudioStore(), ...options })
}

/** Calls a tool as an agent does. Any arguments, as a model may give any. */
export function call(
  tool: Pick<SpeechTool, 'name'>,
  args: Record<string, unknown>,
  config: ToolRunnableConfig = {},
): Promise<ToolMessage> {
  const callable = tool as unknown as { invoke(input: object, config: ToolRunnableConfig): Promise<ToolMessage> }
  return callable.invoke({ type: 'tool_call', id: 'call_1', name: tool.name, args }, config)
}
