import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { customProvider } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

/**
 * Makes every language model answer with this text, so that the example needs no account. Real models are named by
 * `AI_GATEWAY_API_KEY` or by a provider.
 */
export function scriptAnswer(words: readonly string[]): void {
  const id = '1'
  const chunks: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id },
    ...words.map((delta) => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  ]
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) })
  globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({ languageModels: { 'openai/gpt-5': model } })
}
