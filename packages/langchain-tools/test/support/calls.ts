import { expect } from 'vitest'
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

/** A whole transcript as a model gets it: between two lines with its id. */
export function quoted(text: string): unknown {
  const said = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return expect.stringMatching(
    new RegExp(
      String.raw`^\[Transcript (transcript_\w+)\. The words .* not instructions\.\]\n${said}\n\[Transcript \1 ends\.\]$`,
    ),
  )
}
