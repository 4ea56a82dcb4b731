import type { LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'

/** A call of a tool. */
export interface ScriptedCall {
  readonly tool: string
  /** The arguments, or how to make them from what the model has read. */
  readonly args: object | ((prompt: LanguageModelV4Prompt) => object)
}

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** A model that makes the calls of each step, one step after the other, and then answers. */
export function scriptedModel(...steps: readonly (readonly ScriptedCall[])[]): MockLanguageModelV4 {
  let next = 0
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const step = next
      next += 1
      const calls = steps[step] ?? []
      const content = calls.map(({ tool, args }, index): LanguageModelV4Content => {
        const input = JSON.stringify(typeof args === 'function' ? args(prompt) : args)
        return { type: 'tool-call', toolCallId: `call_${step}_${index}`, toolName: tool, input }
      })
      const unified = calls.length > 0 ? 'tool-calls' : 'stop'
      const done: LanguageModelV4Content[] = [{ type: 'text', text: 'Done.' }]
      return {
        content: calls.length > 0 ? content : done,
        finishReason: { unified, raw: undefined },
        usage: USAGE,
        warnings: [],
      }
    },
  })
}

/** What the model has read of tools: the text of each result, in order. */
export function readTexts(prompt: LanguageModelV4Prompt): string[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'tool'
      ? content.flatMap((part) => {
          const output = part.type === 'tool-result' ? part.output : undefined
          return output !== undefined && 'value' in output && typeof output.value === 'string' ? [output.value] : []
        })
      : [],
  )
}
