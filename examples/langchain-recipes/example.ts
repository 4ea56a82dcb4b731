// Runs the code of the LangChain recipes with a scripted model: approval, limits, and a server of several users.
import { join } from 'node:path'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { AudioClient } from '@svc-audio/core'
import type { ExampleContext, ExampleOutcome } from '../run.ts'
import { announce } from './approval.ts'
import { frugalAgent } from './limits.ts'
import { sharedAgent } from './server.ts'

/** Runs each recipe and checks what it promises. */
export async function run({ baseUrl, apiKey, folder }: ExampleContext): Promise<ExampleOutcome> {
  const client = new AudioClient({ apiKey, baseUrl })
  const given = (name: string): { client: AudioClient; folder: string } => ({ client, folder: join(folder, name) })
  const delay = { name: 'speak', args: { text: 'The train is ten minutes late.' } }
  try {
    const asked: unknown[] = []
    const decide = (decision: boolean) => async (text: unknown) => {
      asked.push(text)
      return decision
    }
    const approved = await announce({ ...given('approval'), model: calls(delay) }, decide(true))
    const rejected = await announce({ ...given('approval'), model: calls(delay) }, decide(false))
    check(asked.every((text) => text === delay.args.text) && asked.length === 2, 'a person is asked before each speech')
    check(contents(approved)[0]?.startsWith('Spoken') === true, 'approved text is spoken')
    check(contents(rejected)[0] === 'Do not announce it yet.', 'rejected text is not spoken')

    const voice = { name: 'design_voice', args: { instruction: 'a calm old man', text: 'Welcome.' } }
    const long = { name: 'speak', args: { text: 'A sentence. '.repeat(300) } }
    const model = calls(long, long, long, voice, voice, voice)
    const limited = await frugalAgent({ ...given('limits'), model }).invoke({ messages: ['Go.'] })
    const [, , budget, ...designed] = contents(limited.messages)
    check(budget?.includes('may use 10000 characters of speech') === true, 'the budget of characters holds')
    check(
      designed.slice(0, 2).every((text) => text.startsWith('Spoken')),
      'two voices are designed',
    )
    check(designed[2]?.startsWith('Tool call limit exceeded') === true, 'a third voice is refused')

    const users = given('server')
    const ann = { context: { userId: 'ann' } }
    const said = await sharedAgent({ ...users, model: calls(delay) }).invoke({ messages: ['Say it.'] }, ann)
    const reference = /Reference: (\S+)/.exec(contents(said.messages)[0] ?? '')?.[1]
    const listen = { name: 'transcribe', args: { audio: reference } }
    const bob = { context: { userId: 'bob' } }
    const own = await sharedAgent({ ...users, model: calls(listen) }).invoke({ messages: ['Listen.'] }, ann)
    const other = await sharedAgent({ ...users, model: calls(listen) }).invoke({ messages: ['Listen.'] }, bob)
    check(/train/i.test(contents(own.messages)[0] ?? ''), 'a user reads her own recording')
    check(contents(other.messages)[0]?.startsWith('There is no audio') === true, 'another user does not')
    return { summary: 'approval, limits and users work as the recipes say' }
  } finally {
    await client.close()
  }
}

/** A model that calls one tool after the other. */
function calls(...tools: readonly { readonly name: string; readonly args: object }[]): ReturnType<typeof fakeModel> {
  const model = fakeModel()
  for (const [index, { name, args }] of tools.entries()) {
    model.respond(new AIMessage({ content: '', tool_calls: [{ name, args: { ...args }, id: `call_${index}` }] }))
  }
  return model.respond(new AIMessage('Done.'))
}

/** What the tools answered. */
function contents(messages: readonly BaseMessage[]): readonly string[] {
  return messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)
}

function check(holds: boolean, fact: string): void {
  if (!holds) throw new Error(`It is not true that ${fact}`)
}
