import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai'

/** Answers the messages of `useChat`. */
export async function POST(request: Request): Promise<Response> {
  const { messages }: { readonly messages: UIMessage[] } = await request.json()
  const { stream } = streamText({
    model: 'openai/gpt-5',
    instructions: 'Answer in one or two plain sentences. Your answer is spoken.',
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
  })
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) })
}
